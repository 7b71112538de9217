-- What a charge says beside money and dates: the schedule and the run that posted it, how it was prorated, who posted
-- and approved it, and why. A row per charge; none of it moves money.
-- What could go wrong: a schedule of another system taken for the one that is meant.
with stg_charges as (
    select * from {{ ref('stg_charges') }}
),

int_portfolio__schedules as (
    select * from {{ ref('int_portfolio__schedules') }}
),

int_events__charge_details as (
    select
        charges.charge_key,
        charges.charge_id,
        charges.source_system,
        charges.schedule_id,
        coalesce(own.schedule_key, shared.schedule_key) as schedule_key,
        charges.posting_run_id,
        charges.concession_id,
        charges.proration_method,
        charges.reason,
        charges.posted_by,
        charges.approved_by,
        charges.reverses_charge_key,
        charges.corrects_charge_key
    from stg_charges as charges
    left join int_portfolio__schedules as own on charges.schedule_id = own.schedule_id and charges.source_system = own.source_system
    left join int_portfolio__schedules as shared on charges.schedule_id = shared.schedule_id and shared.source_system = 'default'
)

select * from int_events__charge_details
