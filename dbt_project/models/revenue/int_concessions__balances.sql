-- Each concession as a record of the day of the build: what was granted, what of it was given and taken back, what is left,
-- what a month costs with it, and what an early end leaves to be paid back where the clause allows it. A month of the term
-- that had begun when the lease ended counts as earned; parts of one whole are rounded as they run, so that they add up.
-- What could go wrong: credits that add up to more than the record because each month was rounded by itself.
with int_concessions__states as (
    select * from {{ ref('int_concessions__states') }} where known_to is null
),

int_events__concessions as (
    select * from {{ ref('int_events__concessions') }}
),

int_ledger__entries as (
    select * from {{ ref('int_ledger__entries') }} where not is_future
),

int_billing__obligations as (
    select * from {{ ref('int_billing__obligations') }} where ledger_party = 'resident'
),

int_portfolio__codes as (
    select * from {{ ref('int_portfolio__codes') }} where known_to is null
),

codes as (
    {{ latest_of('int_portfolio__codes', 'code_key', ['category']) }}
),

given as (
    select
        concessions.concession_key,
        -sum(entries.amount) as given_amount
    from int_events__concessions as concessions
    inner join int_ledger__entries as entries on concessions.event_key = entries.event_key
    group by concessions.concession_key
),

rents as (
    select
        states.concession_key,
        sum(obligations.amount) as monthly_rent
    from int_concessions__states as states
    inner join int_billing__obligations as obligations
        on
            states.lease_key = obligations.lease_key
            and obligations.valid_from <= states.term_from
            and (obligations.valid_to is null or states.term_from < obligations.valid_to)
    inner join codes on obligations.code_key = codes.code_key and codes.category in ('rent', 'subsidy')
    group by states.concession_key
),

termed as (
    select
        states.*,
        rents.monthly_rent,
        coalesce(given.given_amount, 0) as given_amount,
        {{ whole_months('states.term_from', add_days('states.term_to', 1)) }} as term_months,
        case when states.ended_on is not null then {{ whole_months('states.term_from', 'states.ended_on') }} + 1 end as begun_months
    from int_concessions__states as states
    left join given on states.concession_key = given.concession_key
    left join rents on states.concession_key = rents.concession_key
),

counted as (
    select
        *,
        -- A term of less than a month is one.
        greatest(term_months, 1) as months,
        least(begun_months, greatest(term_months, 1)) as earned_months
    from termed
),

int_concessions__balances as (
    select
        concession_key,
        concession_id,
        source_system,
        property_id,
        lease_id,
        kind,
        term_from,
        term_to,
        cast(months as integer) as term_months,
        {{ money('total_amount') }} as granted_amount,
        {{ money('given_amount') }} as given_amount,
        {{ money('total_amount - given_amount') }} as remaining_amount,
        {{ money('monthly_rent') }} as monthly_rent,
        {{ money('monthly_rent - ' ~ share_of('total_amount', '1', 'months')) }} as effective_rent,
        is_repayable,
        ended_on,
        {{ money("case when ended_on is null then null when is_repayable then greatest(given_amount, 0) else 0 end") }} as repayable_in_full,
        {{ money("""
            case
                when ended_on is null then null
                when is_repayable then greatest(given_amount - """ ~ share_of('total_amount', 'earned_months', 'months') ~ """, 0)
                else 0
            end""") }} as repayable_unearned,
        {{ money('greatest(given_amount - total_amount, 0)') }} as overgiven_amount
    from counted
)

select * from int_concessions__balances
