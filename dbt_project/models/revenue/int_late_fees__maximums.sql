-- What each rule lets a late payment cost in all, on the day it is judged: parts outside their band are left out, parts
-- of a group are summed and capped, groups combined. A rule none of whose parts is left does not apply.
-- What could go wrong: a limit on the total taken for a limit on each fee, or days of a daily fee counted past payment.
with int_late_fees__cases as (
    select * from {{ ref('int_late_fees__cases') }}
),

int_late_fees__rules as (
    select * from {{ ref('int_late_fees__rules') }}
),

int_late_fees__clocks as (
    select * from {{ ref('int_late_fees__clocks') }}
),

rule_late_fees as (
    select * from {{ ref('rule_late_fees') }}
),

rule_late_fee_components as (
    select * from {{ ref('rule_late_fee_components') }}
),

parts as (
    select
        clocks.case_key,
        clocks.late_fee_rule_key,
        components.group_no,
        components.group_limit,
        components.component_no,
        components.kind,
        components.unit_amount,
        components.rate,
        components.base,
        components.block_days,
        components.band_field,
        case components.base
            when 'monthly_rent' then cases.monthly_rent
            when 'period_rent' then cases.period_rent
            when 'past_due_rent' then cases.past_due_rent
            when 'remaining_balance' then cases.remaining_balance
            when 'market_customary_flat' then asked.customary_flat_amount
        end - coalesce(components.base_less_amount, 0) as base_amount,
        case components.band_field
            when 'structure_units' then cast(cases.structure_units as decimal(18, 6))
            when 'monthly_rent' then cast(cases.monthly_rent as decimal(18, 6))
            when 'consecutive_month' then cast(cases.consecutive_month as decimal(18, 6))
        end as band_value,
        components.band_min,
        components.band_max,
        case
            when components.days_late_from is not null then {{ add_days('cases.due_on', 'components.days_late_from') }}
            when rules.accrual_start = 'due+1' then {{ add_days('cases.due_on', 1) }}
            else clocks.first_eligible_on
        end as accrual_from,
        least(
            cases.assessed_on,
            case when rules.accrual_end like '%period_end%' then cases.period_to else cases.assessed_on end,
            coalesce(case when rules.is_payment_day_counted then cases.paid_on else {{ add_days('cases.paid_on', -1) }} end, cases.assessed_on)
        ) as accrual_to,
        clocks.first_eligible_on
    from int_late_fees__clocks as clocks
    inner join int_late_fees__cases as cases on clocks.case_key = cases.case_key
    inner join int_late_fees__rules as asked on clocks.case_key = asked.case_key and clocks.late_fee_rule_key = asked.late_fee_rule_key
    inner join rule_late_fees as rules on clocks.late_fee_rule_key = rules.late_fee_rule_key
    inner join rule_late_fee_components as components on clocks.late_fee_rule_key = components.late_fee_rule_key
    where rules.combine not in ('none', 'prohibited')
),

banded as (
    select
        parts.*,
        case
            when band_field is null then true
            when band_value is null then null
            else (band_min is null or band_value >= band_min) and (band_max is null or band_value <= band_max)
        end as is_in_band,
        -- Once the lease pays, what ran until then stays: the days are counted from the first to the last, never below none.
        greatest({{ days_between('accrual_from', 'accrual_to') }} + 1, 0) as accrual_days
    from parts
),

priced as (
    select
        case_key,
        late_fee_rule_key,
        group_no,
        group_limit,
        case
            when kind = 'flat' then unit_amount
            when kind = 'percent' then greatest(base_amount, 0) * rate
            when kind = 'per_day' then cast(accrual_days as bigint) * coalesce(unit_amount, greatest(base_amount, 0) * rate)
            when kind = 'per_block' then cast({{ whole_quotient('accrual_days + block_days - 1', 'block_days') }} as bigint) * coalesce(unit_amount, greatest(base_amount, 0) * rate)
        end as part_amount,
        case when base is not null and base_amount is null then base end as missing_base,
        base,
        base_amount
    from banded
    where is_in_band
),

groups as (
    select
        case_key,
        late_fee_rule_key,
        group_no,
        case
            when count(part_amount) < count(*) then null
            when max(group_limit) is not null then least(sum(part_amount), max(group_limit))
            else sum(part_amount)
        end as group_amount,
        max(missing_base) as missing_base,
        max(base) as base,
        max(base_amount) as base_amount
    from priced
    group by case_key, late_fee_rule_key, group_no
),

combined as (
    select
        case_key,
        late_fee_rule_key,
        count(*) as group_count,
        count(group_amount) as known_count,
        min(group_amount) as least_amount,
        max(group_amount) as greatest_amount,
        sum(group_amount) as summed_amount,
        max(missing_base) as missing_base,
        max(base) as base,
        max(base_amount) as base_amount
    from groups
    group by case_key, late_fee_rule_key
),

bands as (
    select
        case_key,
        late_fee_rule_key,
        max(case when is_in_band is null then band_field end) as unknown_band
    from banded
    group by case_key, late_fee_rule_key
),

int_late_fees__maximums as (
    select
        clocks.case_key,
        clocks.late_fee_rule_key,
        rules.rule_id,
        rules.version,
        clocks.source,
        clocks.first_eligible_on,
        -- A rule that may not apply makes no fee too early; it keeps one from being called lawful.
        case when asked.unknown_field is null then clocks.lenient_first_eligible_on end as lenient_first_eligible_on,
        rules.combine = 'prohibited' as is_prohibited,
        {{ money("""
            case
                when rules.combine = 'prohibited' then 0
                when asked.unknown_field is not null or combined.group_count is null or combined.known_count < combined.group_count then null
                else least(
                    case rules.combine when 'min' then combined.least_amount when 'max' then combined.greatest_amount else combined.summed_amount end,
                    coalesce(rules.total_limit, case rules.combine when 'min' then combined.least_amount when 'max' then combined.greatest_amount else combined.summed_amount end)
                )
            end""") }} as maximum,
        combined.base,
        {{ money('combined.base_amount') }} as base_amount,
        rules.count_limit,
        rules.is_human_basis_needed,
        rules.is_agreement_needed,
        case
            when asked.unknown_field is not null then 'not on file: ' || replace(asked.unknown_field, '_', ' ')
            when bands.unknown_band is not null then 'not on file: ' || replace(bands.unknown_band, '_', ' ')
            when combined.missing_base is not null then 'not on file: ' || replace(combined.missing_base, '_', ' ')
            when not clocks.is_calendar_known then 'calendar ' || rules.calendar_id || ' does not reach this day'
            when clocks.first_eligible_on is null and rules.combine <> 'prohibited' then 'no agreement on file that says when a fee starts'
        end as unproven_because
    from int_late_fees__clocks as clocks
    inner join int_late_fees__rules as asked on clocks.case_key = asked.case_key and clocks.late_fee_rule_key = asked.late_fee_rule_key
    inner join rule_late_fees as rules on clocks.late_fee_rule_key = rules.late_fee_rule_key
    left join combined on clocks.case_key = combined.case_key and clocks.late_fee_rule_key = combined.late_fee_rule_key
    left join bands on clocks.case_key = bands.case_key and clocks.late_fee_rule_key = bands.late_fee_rule_key
    -- All parts known to be outside their bands: the rule is of another kind of lease.
    where not (bands.case_key is not null and bands.unknown_band is null and combined.case_key is null)
)

select * from int_late_fees__maximums
