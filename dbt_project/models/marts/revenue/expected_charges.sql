-- What should be charged, published: schedules and certifications by rent period, with how each amount came about.
-- Nothing is computed here.
with int_billing__expected as (
    select * from {{ ref('int_billing__expected') }}
),

expected_charges as (
    select
        source_system,
        property_id,
        lease_id,
        origin,
        coalesce(schedule_id, certification_id) as schedule_id,
        charge_code,
        ledger_party,
        responsible_person_id,
        concession_id,
        period_from,
        period_to,
        service_from,
        service_to,
        due_on,
        proration_method as method,
        counted_days as days,
        denominator,
        full_amount,
        expected_amount as amount,
        service_days,
        is_prorated,
        is_due,
        expected_key
    from int_billing__expected
)

select * from expected_charges
