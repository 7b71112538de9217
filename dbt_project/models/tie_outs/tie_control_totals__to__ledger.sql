-- Tie-out 13: what the source's own report said against the same figure here, to the cent, by business date. A difference is
-- a finding about what was landed (a batch that is missing, a report cut at another moment): it stops nothing by itself,
-- and marks the build and the close of its month incomplete. The rows stand here as evidence beside all other comparisons.

with totals as (
    select * from {{ ref('int_tie_outs__control_totals') }}
),

compared as (
    select
        'control_totals__to__ledger' as tie_out,
        13 as tie_out_no,
        as_of,
        entity_key,
        entity_id,
        place_key as property_key,
        place_id as property_id,
        {{ text('null') }} as ledger_party,
        measure || ' of ' || coalesce('lease ' || lease_id, 'property ' || property_id, source_system)
        || ' in ' || source_report || ' of ' || source_system as subject,
        source_report as left_label,
        {{ money('reported_amount') }} as left_amount,
        replace(measure, '_', ' ') || ' here' as right_label,
        found_amount as right_amount,
        difference,
        case when difference = 0 then 'ties' else 'differs' end as status,
        case
            when difference <> 0 then 'file ' || file || ' row ' || cast(row_number as {{ dbt.type_string() }})
        end as look_at
    from totals
)

select * from compared
