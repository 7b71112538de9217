-- What is judged: every late fee posted, and every rent period that was or is paid late, as of the day of the build.
-- The base is what was past due when the fee was posted, at the start of that day; where the rent had come in late before,
-- what was past due when it came.
-- What could go wrong: money of the day of the fee lowering a base that it came too late to lower.
with int_late_fees__periods as (
    select * from {{ ref('int_late_fees__periods') }}
),

int_late_fees__posted as (
    select * from {{ ref('int_late_fees__posted') }}
),

int_open_items__changes as (
    select * from {{ ref('int_open_items__changes') }} where side = 'open'
),

int_late_fees__rents as (
    select * from {{ ref('int_late_fees__rents') }}
),

int_portfolio__leases as (
    select * from {{ ref('int_portfolio__leases') }}
),

int_portfolio__properties as (
    select * from {{ ref('int_portfolio__properties') }}
),

int_portfolio__holds as (
    select * from {{ ref('int_portfolio__holds') }}
),

int_billing__obligations as (
    select * from {{ ref('int_billing__obligations') }}
),

int_portfolio__codes as (
    select * from {{ ref('int_portfolio__codes') }} where known_to is null
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

-- Months in a row whose rent came late, this one included.
streaks as (
    select
        lease_key,
        period_from,
        case when is_late then row_number() over (partition by lease_key, last_paid_no order by period_from) - case when last_paid_no > 0 then 1 else 0 end else 0 end as consecutive_month
    from (
        select
            lease_key,
            period_from,
            is_late,
            sum(case when is_late then 0 else 1 end) over (partition by lease_key order by period_from) as last_paid_no
        from int_late_fees__periods
    ) as counted
),

fees as (
    select
        'fee:' || charge_key as case_key,
        lease_key,
        period_from,
        charge_key,
        posted_on as assessed_on
    from int_late_fees__posted
),

unfeed as (
    select
        'period:' || periods.lease_key || ':' || {{ text('periods.period_from') }} as case_key,
        periods.lease_key,
        periods.period_from,
        cast(null as string) as charge_key,
        settings.as_of_on as assessed_on
    from int_late_fees__periods as periods
    cross join int_build__settings as settings
    where periods.is_late and periods.due_on < settings.as_of_on
),

asked as (
    select * from fees
    union all
    select * from unfeed
),

judged as (
    select
        asked.case_key,
        asked.lease_key,
        coalesce(posted.lease_id, periods.lease_id) as lease_id,
        coalesce(posted.source_system, periods.source_system) as source_system,
        coalesce(posted.property_key, periods.property_key) as property_key,
        coalesce(posted.property_id, periods.property_id) as property_id,
        coalesce(posted.ledger_party, 'resident') as ledger_party,
        coalesce(asked.period_from, posted.rent_period_from) as period_from,
        coalesce(periods.period_to, posted.rent_period_to) as period_to,
        periods.due_on,
        periods.paid_on,
        coalesce(periods.period_rent, 0) as period_rent,
        periods.account_key,
        asked.charge_key,
        posted.charge_id,
        posted.event_key,
        posted.posted,
        posted.posted_on,
        coalesce(posted.known_at, settings.loaded_at) as known_at,
        asked.assessed_on,
        {{ add_days('least(asked.assessed_on, coalesce(periods.paid_on, asked.assessed_on))', -1) }} as base_on,
        posted.waived_amount,
        posted.waived_on,
        posted.waived_by,
        posted.waiver_approved_by,
        posted.waiver_reason,
        posted.waiver_charge_id,
        posted.posted_by,
        posted.batch_id,
        posted.file,
        posted.row_number
    from asked
    cross join int_build__settings as settings
    left join int_late_fees__posted as posted on asked.charge_key = posted.charge_key
    left join int_late_fees__periods as periods on asked.lease_key = periods.lease_key and asked.period_from = periods.period_from
),

rent_changes as (
    select
        changes.account_key,
        items.period_from,
        greatest(changes.business_on, items.due_on) as due_on,
        changes.change
    from int_open_items__changes as changes
    inner join int_late_fees__rents as items on changes.item_key = items.event_key
),

-- What stood open at the end of a day is a running sum: the question is put into the row of changes and answered there.
period_moments as (
    select account_key, period_from, due_on as moment_on, 0 as question_no, change, cast(null as string) as case_key
    from rent_changes
    union all
    select account_key, period_from, base_on, 1, 0, case_key
    from judged
    where due_on is not null
),

account_moments as (
    select account_key, due_on as moment_on, 0 as question_no, change, cast(null as string) as case_key
    from rent_changes
    union all
    select account_key, base_on, 1, 0, case_key
    from judged
    where due_on is not null
),

past_due as (
    select
        case_key,
        sum(change) over (partition by account_key, period_from order by moment_on, question_no) as past_due_rent
    from period_moments
),

remaining as (
    select
        case_key,
        sum(change) over (partition by account_key order by moment_on, question_no) as remaining_balance
    from account_moments
),

bases as (
    select
        past_due.case_key,
        past_due.past_due_rent,
        remaining.remaining_balance
    from past_due
    inner join remaining on past_due.case_key = remaining.case_key
),

rent_codes as (
    {{ latest_of('int_portfolio__codes', 'code_key', ['category']) }}
),

monthly as (
    select
        judged.case_key,
        sum(obligations.amount) as monthly_rent
    from judged
    inner join int_billing__obligations as obligations
        on
            judged.lease_key = obligations.lease_key
            and obligations.ledger_party = 'resident'
            and obligations.valid_from <= judged.due_on
            and (obligations.valid_to is null or judged.due_on < obligations.valid_to)
    inner join rent_codes on obligations.code_key = rent_codes.code_key and rent_codes.category in ('rent', 'subsidy')
    group by judged.case_key
),

-- What was charged before for the same late payment and still stood, and what was ever charged for it.
others as (
    select
        judged.case_key,
        sum(case when earlier.waived_on is null or earlier.waived_on > judged.assessed_on then earlier.posted else earlier.posted - earlier.waived_amount end) as charged_before,
        sum(case when earlier.waived_on is null or earlier.waived_on > judged.assessed_on or earlier.waived_amount < earlier.posted then 1 else 0 end) as fees_before,
        sum(earlier.posted) as charged_ever,
        count(*) as fees_ever
    from judged
    inner join int_late_fees__posted as earlier
        on
            judged.lease_key = earlier.lease_key
            and judged.period_from = earlier.period_from
            and earlier.ledger_party = 'resident'
            and (
                judged.event_key is null
                or earlier.posted_on < judged.posted_on
                or (earlier.posted_on = judged.posted_on and earlier.event_key < judged.event_key)
            )
    group by judged.case_key
),

held as (
    select
        judged.case_key,
        max(1) as is_held
    from judged
    inner join int_portfolio__holds as holds
        on
            judged.lease_key = holds.lease_key
            and holds.valid_from <= judged.assessed_on
            and (holds.valid_to is null or judged.assessed_on < holds.valid_to)
    group by judged.case_key
),

int_late_fees__cases as (
    select
        judged.case_key,
        judged.lease_key,
        judged.lease_id,
        judged.source_system,
        judged.property_key,
        judged.property_id,
        properties.jurisdiction,
        judged.ledger_party,
        leases.program,
        leases.tenancy,
        properties.local_office,
        coalesce(leases.structure_units, cast(properties.structure_units as integer)) as structure_units,
        judged.period_from,
        judged.period_to,
        judged.due_on,
        leases.signed_on,
        judged.charge_key,
        judged.charge_id,
        judged.posted,
        judged.posted_on,
        judged.known_at,
        judged.assessed_on,
        judged.paid_on,
        {{ money('coalesce(monthly.monthly_rent, judged.period_rent)') }} as monthly_rent,
        {{ money('judged.period_rent') }} as period_rent,
        {{ money('greatest(coalesce(bases.past_due_rent, 0), 0)') }} as past_due_rent,
        {{ money('greatest(coalesce(bases.remaining_balance, 0), 0)') }} as remaining_balance,
        cast(coalesce(streaks.consecutive_month, 0) as integer) as consecutive_month,
        {{ money('coalesce(others.charged_before, 0)') }} as charged_before,
        cast(coalesce(others.fees_before, 0) as integer) as fees_before,
        {{ money('coalesce(others.charged_ever, 0)') }} as charged_ever,
        cast(coalesce(others.fees_ever, 0) as integer) as fees_ever,
        coalesce(held.is_held, 0) = 1 as is_on_hold,
        judged.waived_amount is not null as is_waived,
        judged.waived_amount,
        judged.waived_on,
        judged.waived_by,
        judged.waiver_approved_by,
        judged.waiver_reason,
        judged.waiver_charge_id,
        judged.posted_by,
        judged.batch_id,
        judged.file,
        judged.row_number
    from judged
    inner join int_portfolio__leases as leases on judged.lease_key = leases.lease_key
    left join int_portfolio__properties as properties
        on
            judged.property_key = properties.property_key
            and properties.valid_from <= coalesce(judged.due_on, judged.assessed_on)
            and (properties.valid_to is null or coalesce(judged.due_on, judged.assessed_on) < properties.valid_to)
    left join bases on judged.case_key = bases.case_key
    left join monthly on judged.case_key = monthly.case_key
    left join others on judged.case_key = others.case_key
    left join held on judged.case_key = held.case_key
    left join streaks on judged.lease_key = streaks.lease_key and judged.period_from = streaks.period_from
)

select * from int_late_fees__cases
