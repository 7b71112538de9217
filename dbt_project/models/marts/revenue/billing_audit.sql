-- Every difference between what should have been charged and what was, and every row of billing that could not be judged
-- because the door keeps it: its code is not classified on every axis, or its schedule has no lease.
-- What could go wrong: a row in quarantine missing here, so that an audit looks complete.
with int_billing__findings as (
    select * from {{ ref('int_billing__findings') }}
),

quarantine as (
    select * from {{ source('landing', 'quarantine') }} where status = 'open' and table_name in ('charges', 'charge_schedules', 'charge_codes')
),

billing_audit as (
    select
        finding,
        source_system,
        property_id,
        lease_id,
        unit_number,
        charge_code,
        ledger_party,
        period_from,
        service_from,
        service_to,
        expected,
        posted,
        difference,
        service_days as days,
        expected_rows,
        posted_rows,
        charge_id,
        explanation,
        cast(null as string) as quarantine_id
    from int_billing__findings
    union all
    select
        case
            when table_name = 'charge_schedules' then 'schedule_without_lease'
            when table_name = 'charge_codes' or detail like '%charge_code%' then 'unclassified_code'
            else 'in_quarantine'
        end as finding,
        source_system,
        cast(null as string) as property_id,
        cast(null as string) as lease_id,
        cast(null as string) as unit_number,
        cast(null as string) as charge_code,
        cast(null as string) as ledger_party,
        cast(null as date) as period_from,
        cast(null as date) as service_from,
        cast(null as date) as service_to,
        cast(null as decimal(18, 2)) as expected,
        amount as posted,
        cast(null as decimal(18, 2)) as difference,
        cast(null as integer) as days,
        cast(null as integer) as expected_rows,
        cast(null as integer) as posted_rows,
        cast(null as string) as charge_id,
        reason || ': ' || detail as explanation,
        quarantine_id
    from quarantine
)

select * from billing_audit
