-- Figures that cannot be proved, by month, entity, property and reason, for the checklist of a close.
-- Nothing is judged here.
with int_late_fees__unproven as (
    select * from {{ ref('int_late_fees__unproven') }}
),

unproven_figures as (
    select
        source_system,
        entity_id,
        property_id,
        period,
        figure,
        verdict,
        reason,
        figures,
        unproven_left,
        example_id
    from int_late_fees__unproven
)

select * from unproven_figures
