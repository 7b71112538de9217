-- Expected against charged, in both directions: a row for each lease, code, party and rent period where the two differ,
-- with the cents, the days and the cause. A month that was reversed on purpose is no finding.
-- What could go wrong: a difference hidden because two errors of one month cancel out; rows are counted beside sums.
with int_billing__expected as (
    select * from {{ ref('int_billing__expected') }}
),

int_billing__charged as (
    select * from {{ ref('int_billing__charged') }}
),

int_portfolio__leases as (
    select * from {{ ref('int_portfolio__leases') }}
),

int_portfolio__schedules as (
    select * from {{ ref('int_portfolio__schedules') }}
),

int_ledger__entries as (
    select * from {{ ref('int_ledger__entries') }}
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

-- Where books begin with opening balances, what fell due before stands in them.
book_starts as (
    select
        property_key,
        min(case when kind = 'opening_balance' then {{ add_days('business_on', 1) }} end) as opened_on,
        min(case when kind = 'charge' then rent_period_from end) as first_charged_on
    from int_ledger__entries
    group by property_key
),

expected as (
    select
        expected.lease_key,
        expected.code_key,
        expected.ledger_party,
        expected.period_from,
        max(expected.lease_id) as lease_id,
        max(expected.source_system) as source_system,
        max(expected.property_key) as property_key,
        max(expected.property_id) as property_id,
        max(expected.charge_code) as charge_code,
        max(expected.category) as category,
        min(expected.service_from) as service_from,
        max(expected.service_to) as service_to,
        sum(expected.expected_amount) as expected_amount,
        sum(expected.service_days) as service_days,
        sum(expected.by_month_amount) as by_month_amount,
        sum(expected.by_thirty_amount) as by_thirty_amount,
        sum(expected.by_thirty_long_amount) as by_thirty_long_amount,
        sum(expected.by_year_amount) as by_year_amount,
        max(expected.full_amount) as full_amount,
        max(expected.proration_method) as proration_method,
        max(case when expected.is_prorated then 1 else 0 end) as has_part,
        count(*) as expected_rows,
        min(case when expected.is_due then 1 else 0 end) as is_due
    from int_billing__expected as expected
    inner join book_starts as starts
        on expected.property_key = starts.property_key and expected.period_from >= coalesce(starts.opened_on, starts.first_charged_on)
    group by expected.lease_key, expected.code_key, expected.ledger_party, expected.period_from
),

charged as (
    select
        lease_key,
        code_key,
        ledger_party,
        period_from,
        max(lease_id) as lease_id,
        max(source_system) as source_system,
        max(property_key) as property_key,
        max(property_id) as property_id,
        max(case when is_true_up then null else charge_code end) as charge_code,
        max(category) as category,
        min(service_from) as service_from,
        max(service_to) as service_to,
        sum(posted_amount) as posted_amount,
        sum(case when is_true_up then 0 else 1 end) as charged_rows,
        sum(case when is_reversed or is_true_up then 0 else 1 end) as standing_rows,
        max(case when is_reversed then null else first_amount end) as largest_amount,
        min(case when is_reversed then null else first_amount end) as smallest_amount,
        max(concession_id) as concession_id,
        max(case when schedule_id is not null and schedule_key is null then schedule_id end) as unknown_schedule_id,
        max(case when is_reversed then null else charge_id end) as charge_id
    from int_billing__charged
    group by lease_key, code_key, ledger_party, period_from
),

ended as (
    select
        lease_key,
        code_key,
        max(valid_to) as schedules_to
    from int_portfolio__schedules
    group by lease_key, code_key
),

both_sides as (
    select
        coalesce(expected.lease_key, charged.lease_key) as lease_key,
        coalesce(expected.code_key, charged.code_key) as code_key,
        coalesce(expected.ledger_party, charged.ledger_party) as ledger_party,
        coalesce(expected.period_from, charged.period_from) as period_from,
        coalesce(expected.lease_id, charged.lease_id) as lease_id,
        coalesce(expected.source_system, charged.source_system) as source_system,
        coalesce(expected.property_key, charged.property_key) as property_key,
        coalesce(expected.property_id, charged.property_id) as property_id,
        coalesce(expected.charge_code, charged.charge_code) as charge_code,
        coalesce(expected.category, charged.category) as category,
        coalesce(expected.service_from, charged.service_from) as service_from,
        coalesce(expected.service_to, charged.service_to) as service_to,
        coalesce(expected.expected_amount, 0) as expected_amount,
        coalesce(charged.posted_amount, 0) as posted_amount,
        coalesce(expected.expected_rows, 0) as expected_rows,
        coalesce(charged.charged_rows, 0) as charged_rows,
        coalesce(charged.standing_rows, 0) as standing_rows,
        coalesce(expected.is_due, 0) as is_due,
        expected.service_days,
        expected.by_month_amount,
        expected.by_thirty_amount,
        expected.by_thirty_long_amount,
        expected.by_year_amount,
        expected.full_amount,
        expected.proration_method,
        coalesce(expected.has_part, 0) as has_part,
        charged.largest_amount,
        charged.smallest_amount,
        charged.service_to as charged_to,
        charged.concession_id,
        charged.unknown_schedule_id,
        charged.charge_id
    from expected
    full outer join charged
        on
            expected.lease_key = charged.lease_key
            and expected.code_key = charged.code_key
            and expected.ledger_party = charged.ledger_party
            and expected.period_from = charged.period_from
),

compared as (
    select
        both_sides.*,
        coalesce(leases.move_out_on, leases.end_on) as lease_ends_on,
        leases.unit_number,
        ended.schedules_to,
        posted_amount - expected_amount as difference
    from both_sides
    inner join int_portfolio__leases as leases on both_sides.lease_key = leases.lease_key
    left join ended on both_sides.lease_key = ended.lease_key and both_sides.code_key = ended.code_key
),

caused as (
    select
        compared.*,
        case
            when charged_rows = 0 then case when is_due = 1 and expected_amount <> posted_amount then 'missing' end
            when standing_rows = 0 then null
            when difference = 0 and (expected_rows > 0 or posted_amount = 0) then null
            when unknown_schedule_id is not null and expected_rows = 0 then 'schedule_without_lease'
            when expected_rows = 0 and lease_ends_on < service_from then 'after_move_out'
            when posted_amount < 0 and expected_rows = 0 and schedules_to is not null and schedules_to <= service_from then 'expired_concession'
            when expected_rows = 0 then 'not_scheduled'
            when standing_rows > expected_rows and (difference = largest_amount or difference = smallest_amount) then 'duplicated'
            when lease_ends_on < coalesce(charged_to, service_to) and abs(posted_amount) > abs(expected_amount) then 'after_move_out'
            when has_part = 1 and posted_amount in (by_month_amount, by_thirty_amount, by_thirty_long_amount, by_year_amount) then 'wrong_method'
            when abs(posted_amount) > abs(expected_amount) then 'over'
            else 'under'
        end as finding
    from compared
),

int_billing__findings as (
    select
        finding,
        source_system,
        property_id,
        lease_key,
        lease_id,
        unit_number,
        code_key,
        charge_code,
        ledger_party,
        period_from,
        service_from,
        service_to,
        {{ money('expected_amount') }} as expected,
        {{ money('posted_amount') }} as posted,
        {{ money('difference') }} as difference,
        cast(expected_rows as integer) as expected_rows,
        cast(standing_rows as integer) as posted_rows,
        cast(coalesce(service_days, 0) as integer) as service_days,
        charge_id,
        case finding
            when 'missing' then 'no charge was posted for ' || {{ text('service_from') }} || ' to ' || {{ text('service_to') }}
            when 'schedule_without_lease' then 'names schedule ' || unknown_schedule_id || ', which is not on this lease'
            when 'after_move_out' then 'the lease ended on ' || {{ text('lease_ends_on') }}
            when 'expired_concession' then 'its schedule ended on ' || {{ text('schedules_to') }} || ' and it is still credited'
            when 'not_scheduled' then 'no schedule of this code was in force'
            when 'duplicated' then {{ text('standing_rows') }} || ' charges stand where ' || {{ text('expected_rows') }} || ' was to be posted'
            when 'wrong_method' then 'prorated by another method than ' || replace(proration_method, '_', ' ')
            when 'over' then 'more than the ' || {{ text('service_days') }} || ' days come to'
            when 'under' then 'less than the ' || {{ text('service_days') }} || ' days come to'
        end as explanation
    from caused
    where finding is not null
)

select * from int_billing__findings
