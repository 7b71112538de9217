-- Recurring charges promised on a lease, as they are described now: a row per schedule.
-- A change of rent is a new schedule with its own dates; a new version of a schedule corrects what was written about it.
-- What could go wrong: a version that was corrected read beside its correction, so that a month is expected twice.
with stg_charge_schedules as (
    select * from {{ ref('stg_charge_schedules') }}
),

latest as (
    select row_key, max(version_no) as version_no from stg_charge_schedules group by row_key
),

int_portfolio__schedules as (
    select
        schedules.schedule_key,
        schedules.schedule_id,
        schedules.source_system,
        schedules.lease_key,
        schedules.lease_id,
        schedules.code_key,
        schedules.charge_code,
        schedules.amount,
        coalesce(schedules.ledger_party, 'resident') as ledger_party,
        schedules.responsible_person_id,
        schedules.proration_method,
        schedules.prorates,
        schedules.concession_id,
        schedules.valid_from,
        schedules.valid_to
    from stg_charge_schedules as schedules
    inner join latest on schedules.row_key = latest.row_key and schedules.version_no = latest.version_no
)

select * from int_portfolio__schedules
