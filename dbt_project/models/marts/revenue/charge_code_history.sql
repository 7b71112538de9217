-- What each charge code meant on any day, as the books knew it at any moment, and who classified it.
-- Nothing is computed here.
with int_portfolio__codes as (
    select * from {{ ref('int_portfolio__codes') }}
),

charge_code_history as (
    select
        source_system,
        charge_code,
        name,
        category,
        is_mandatory,
        is_recurring,
        in_advertised_price,
        counts_as_rent,
        prorates,
        application_priority,
        classified_by,
        valid_from,
        valid_to,
        known_from,
        known_to,
        code_version_key
    from int_portfolio__codes
)

select * from charge_code_history
