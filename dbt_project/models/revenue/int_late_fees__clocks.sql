-- The first day on which each rule lets a fee start, by its own way of counting: strict, and where the text can be read
-- otherwise lenient. Days are days of the property's calendar; nothing here knows the time of day.
-- What could go wrong: an off-by-one between being N days late, N full days having passed, and the N-th day of a period.
with int_late_fees__rules as (
    select * from {{ ref('int_late_fees__rules') }}
),

rule_late_fees as (
    select * from {{ ref('rule_late_fees') }}
),

rule_closed_days as (
    select * from {{ ref('rule_closed_days') }}
),

asked as (
    select
        rules.late_fee_rule_key,
        asked.due_on,
        asked.period_from,
        rules.grace_semantics,
        rules.grace_days,
        rules.lenient_grace_days,
        rules.roll,
        rules.calendar_id
    from int_late_fees__rules as asked
    inner join rule_late_fees as rules on asked.late_fee_rule_key = rules.late_fee_rule_key
    group by
        rules.late_fee_rule_key, asked.due_on, asked.period_from, rules.grace_semantics, rules.grace_days,
        rules.lenient_grace_days, rules.roll, rules.calendar_id
),

-- The last day on which rent is still in time, before closed days are looked at.
counted as (
    select
        asked.*,
        case grace_semantics
            when 'at_least_n_days_late' then {{ add_days('due_on', 'grace_days - 1') }}
            when 'after_n_full_days' then {{ add_days('due_on', 'grace_days') }}
            when 'day_of_period' then {{ add_days('period_from', 'grace_days - 1') }}
            when 'per_agreement' then due_on
        end as safe_on,
        case grace_semantics
            when 'at_least_n_days_late' then {{ add_days('due_on', 'lenient_grace_days') }}
            when 'after_n_full_days' then {{ add_days('due_on', 'lenient_grace_days + 1') }}
            when 'day_of_period' then {{ add_days('period_from', 'lenient_grace_days') }}
        end as lenient_first_on
    from asked
),

ahead as (
    {{ expand_range('counted', 'late_fee_rule_key, due_on, period_from, roll, calendar_id, grace_days, safe_on', '0', 'cast(grace_days * 2 + 21 as bigint)', 'step') }}
),

days as (
    select
        ahead.late_fee_rule_key,
        ahead.due_on,
        ahead.period_from,
        ahead.roll,
        ahead.grace_days,
        case when ahead.roll = 'every_closed_day' then {{ add_days('ahead.due_on', 'ahead.step + 1') }} else {{ add_days('ahead.safe_on', 'ahead.step') }} end as open_on,
        ahead.calendar_id
    from ahead
    where ahead.roll <> 'none'
),

open_days as (
    select
        days.late_fee_rule_key,
        days.due_on,
        days.period_from,
        days.open_on,
        case when days.roll = 'every_closed_day' then days.grace_days else 1 end as wanted_place,
        row_number() over (partition by days.late_fee_rule_key, days.due_on, days.period_from order by days.open_on) as place
    from days
    left join rule_closed_days as closed on days.calendar_id = closed.calendar_id and days.open_on = closed.closed_on
    where closed.closed_on is null and not {{ is_weekend('days.open_on') }}
),

reach as (
    select
        calendar_id,
        min(known_from_on) as known_from_on,
        max(known_to_on) as known_to_on
    from rule_closed_days
    group by calendar_id
),

strict as (
    select
        counted.late_fee_rule_key,
        counted.due_on,
        counted.period_from,
        counted.grace_semantics,
        counted.lenient_first_on,
        {{ add_days("case when counted.roll = 'none' then counted.safe_on else coalesce(open_days.open_on, counted.safe_on) end", 1) }} as first_eligible_on,
        case
            when counted.roll = 'none' then true
            else coalesce(counted.due_on >= reach.known_from_on and {{ add_days('counted.due_on', 'counted.grace_days * 2 + 21') }} <= reach.known_to_on, false)
        end as is_calendar_known
    from counted
    left join open_days
        on
            counted.late_fee_rule_key = open_days.late_fee_rule_key
            and counted.due_on = open_days.due_on
            and counted.period_from = open_days.period_from
            and open_days.place = open_days.wanted_place
    left join reach on counted.calendar_id = reach.calendar_id
),

own_clocks as (
    select
        rules.case_key,
        rules.late_fee_rule_key,
        rules.source,
        rules.due_on,
        strict.grace_semantics,
        strict.first_eligible_on,
        coalesce({{ earlier_of('strict.lenient_first_on', 'strict.first_eligible_on') }}, strict.first_eligible_on) as lenient_first_eligible_on,
        strict.is_calendar_known
    from int_late_fees__rules as rules
    inner join strict
        on
            rules.late_fee_rule_key = strict.late_fee_rule_key
            and rules.due_on = strict.due_on
            and rules.period_from = strict.period_from
),

agreements as (
    select
        case_key,
        first_eligible_on
    from own_clocks
    where source = 'policy' and grace_semantics <> 'per_agreement'
),

int_late_fees__clocks as (
    select
        clocks.case_key,
        clocks.late_fee_rule_key,
        clocks.source,
        -- Where the law leaves the day to the agreement, the agreement's day is the law's; without one there is none.
        case
            when clocks.grace_semantics = 'per_agreement'
                then case when agreements.first_eligible_on is not null then {{ later_of('agreements.first_eligible_on', 'clocks.first_eligible_on') }} end
            else clocks.first_eligible_on
        end as first_eligible_on,
        case
            when clocks.grace_semantics = 'per_agreement'
                then case when agreements.first_eligible_on is not null then {{ later_of('agreements.first_eligible_on', 'clocks.first_eligible_on') }} end
            else clocks.lenient_first_eligible_on
        end as lenient_first_eligible_on,
        clocks.is_calendar_known
    from own_clocks as clocks
    left join agreements on clocks.case_key = agreements.case_key
)

select * from int_late_fees__clocks
