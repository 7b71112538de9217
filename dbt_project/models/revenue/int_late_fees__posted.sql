-- Late fees as they were charged: on whose account, for which rent period, and what of them was waived, by whom and why.
-- The period is the one of the service dates of the fee; a fee that names none belongs to the period that holds its due
-- day, or where the rent of that one was paid by then to the latest earlier one that was still owed.
-- What could go wrong: a fee for May's rent judged by April's clock.
with int_ledger__entries as (
    select * from {{ ref('int_ledger__entries') }} where not is_future
),

int_late_fees__periods as (
    select * from {{ ref('int_late_fees__periods') }}
),

int_events__charge_details as (
    select * from {{ ref('int_events__charge_details') }}
),

fees as (
    select *
    from int_ledger__entries
    where category = 'late_fee' and kind in ('charge', 'correction') and amount > 0 and names_event_key is null
),

placed as (
    select
        fees.event_key,
        periods.period_from,
        row_number() over (
            partition by fees.event_key
            order by
                case
                    when fees.service_from is not null then 0
                    when periods.is_late and periods.due_on < fees.business_on and (periods.paid_on is null or periods.paid_on >= fees.business_on) then 1
                    when periods.period_from = fees.rent_period_from then 2
                    else 3
                end,
                periods.period_from desc
        ) as place
    from fees
    inner join int_late_fees__periods as periods
        on
            fees.lease_key = periods.lease_key
            and periods.period_from <= fees.rent_period_from
            and (fees.service_from is null or periods.period_from = fees.rent_period_from)
),

waivers as (
    select
        undoing.names_event_key as event_key,
        {{ money('-sum(undoing.amount)') }} as waived_amount,
        min(undoing.business_on) as waived_on,
        max_by(details.posted_by, undoing.event_key) as waived_by,
        max_by(details.approved_by, undoing.event_key) as waiver_approved_by,
        max_by(details.reason, undoing.event_key) as waiver_reason,
        max_by(undoing.source_id, undoing.event_key) as waiver_charge_id
    from int_ledger__entries as undoing
    inner join fees on undoing.names_event_key = fees.event_key
    left join int_events__charge_details as details on undoing.source_key = details.charge_key and undoing.source_table = 'charges'
    where undoing.amount < 0 and undoing.kind in ('charge_reversal', 'credit')
    group by undoing.names_event_key
),

int_late_fees__posted as (
    select
        fees.event_key,
        fees.source_key as charge_key,
        fees.source_id as charge_id,
        fees.lease_key,
        fees.lease_id,
        fees.source_system,
        fees.ledger_party,
        fees.property_key,
        fees.property_id,
        fees.amount as posted,
        fees.business_on as posted_on,
        fees.recorded_at as known_at,
        placed.period_from,
        fees.rent_period_from,
        fees.rent_period_to,
        waivers.waived_amount,
        waivers.waived_on,
        waivers.waived_by,
        waivers.waiver_approved_by,
        waivers.waiver_reason,
        waivers.waiver_charge_id,
        details.posted_by,
        fees.batch_id,
        fees.file,
        fees.row_number
    from fees
    left join placed on fees.event_key = placed.event_key and placed.place = 1
    left join waivers on fees.event_key = waivers.event_key
    left join int_events__charge_details as details on fees.source_key = details.charge_key
)

select * from int_late_fees__posted
