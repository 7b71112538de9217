-- How a concession is earned: its worth spread over its term by days, a share on the last day of each month, and what is
-- left when its lease ends early. When something else becomes known, the difference of the two schedules is added, known from
-- then and booked in a month that is open then: a share that was shown once is never changed.
-- What could go wrong: rounding each month by itself; each share is the rounded total up to its day less the one before.

with int_concessions__states as (
    select * from {{ ref('int_concessions__states') }}
),

int_concessions__given as (
    select * from {{ ref('int_concessions__given') }}
),

int_portfolio__owners as (
    select * from {{ ref('int_portfolio__owners') }}
),

int_portfolio__entities as (
    select * from {{ ref('int_portfolio__entities') }}
),

int_portfolio__codes as (
    select * from {{ ref('int_portfolio__codes') }}
),

int_portfolio__gl_mappings as (
    select * from {{ ref('int_portfolio__gl_mappings') }}
),

int_closes__properties as (
    select * from {{ ref('int_closes__properties') }}
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

spans as (
    select
        *,
        least(term_to, coalesce(ended_on, term_to)) as last_on,
        {{ days_between('term_from', 'term_to') }} + 1 as term_days,
        cast(
            12 * (
                extract(year from least(term_to, coalesce(ended_on, term_to))) - extract(year from term_from)
            ) + extract(month from least(term_to, coalesce(ended_on, term_to))) - extract(month from term_from) + 1 as integer
        ) as months
    from int_concessions__states
    where term_to >= term_from
),

numbered as (
    {{ expand_range(
        'spans', 'concession_key, state_no, term_from, last_on, term_days, total_amount', '0', 'months', 'month_no'
    ) }}
),

days_earned as (
    select
        *,
        least({{ month_end(add_months(month_start('term_from'), 'month_no')) }}, last_on) as share_on
    from numbered
    where last_on >= term_from
),

totals as (
    select
        *,
        {{ share_of('total_amount', days_between('term_from', 'share_on') ~ ' + 1', 'term_days') }} as earned_amount
    from days_earned
),

shares as (
    select
        concession_key,
        state_no,
        share_on,
        earned_amount - lag(earned_amount, 1, cast(0 as decimal(18, 2))) over (
            partition by concession_key, state_no order by share_on
        ) as amount
    from totals
),

-- What had been put off until the end was known, less what was earned by then.
put_off as (
    select
        states.concession_key,
        states.state_no,
        states.ended_on as share_on,
        coalesce(sum(given.amount), 0) as amount
    from int_concessions__states as states
    left join int_concessions__given as given
        on
            states.concession_key = given.concession_key
            and given.recorded_at < states.known_from
    where states.ended_on is not null
    group by states.concession_key, states.state_no, states.ended_on
),

earned as (
    select
        concession_key,
        state_no,
        sum(amount) as amount
    from shares
    group by concession_key, state_no
),

schedules as (
    select concession_key, state_no, share_on, amount
    from shares
    union all
    select
        put_off.concession_key,
        put_off.state_no,
        put_off.share_on,
        put_off.amount - coalesce(earned.amount, 0)
    from put_off
    left join earned
        on
            put_off.concession_key = earned.concession_key
            and put_off.state_no = earned.state_no
),

differences as (
    select concession_key, state_no, share_on, sum(amount) as amount
    from (
        select concession_key, state_no, share_on, amount
        from schedules
        union all
        select schedules.concession_key, schedules.state_no + 1, schedules.share_on, -schedules.amount
        from schedules
        inner join int_concessions__states as later
            on
                schedules.concession_key = later.concession_key
                and schedules.state_no + 1 = later.state_no
    ) as both_schedules
    group by concession_key, state_no, share_on
    having sum(amount) <> 0
),

dated as (
    select
        states.*,
        differences.share_on,
        differences.amount,
        greatest(states.known_from, cast(differences.share_on as timestamp)) as recorded_at
    from differences
    inner join int_concessions__states as states
        on
            differences.concession_key = states.concession_key
            and differences.state_no = states.state_no
),

-- The account that concessions of a chart are booked to, where all of its codes for them lead to one.
concession_accounts as (
    select
        mappings.chart_key,
        min(mappings.account) as account
    from int_portfolio__gl_mappings as mappings
    inner join int_portfolio__codes as codes on mappings.code_key = codes.code_key
    where codes.category = 'concession' and mappings.place = 1 and codes.place = 1
    group by mappings.chart_key
    having count(distinct mappings.account) = 1
),

first_given as (
    select
        concession_key,
        gl_account,
        ledger_party,
        recorded_at,
        row_number() over (partition by concession_key order by recorded_at, event_key) as rank_given
    from int_concessions__given
    where gl_account is not null and amount > 0
),

owned as (
    select
        dated.*,
        owners.entity_key,
        owners.entity_id,
        row_number() over (
            partition by dated.concession_key, dated.state_no, dated.share_on
            order by {{ owner_fit('owners', 'dated.share_on') }} desc, owners.place desc
        ) as rank_owner
    from dated
    inner join int_portfolio__owners as owners
        on
            dated.property_key = owners.property_key
            and {{ known_when('owners', 'dated.recorded_at') }}
),

int_concessions__shares as (
    select
        owned.concession_key,
        owned.concession_id,
        owned.state_no,
        owned.source_system,
        owned.entity_key,
        owned.entity_id,
        owned.property_key,
        owned.property_id,
        owned.lease_key,
        owned.lease_id,
        coalesce(first_given.ledger_party, 'resident') as ledger_party,
        coalesce(first_given.gl_account, concession_accounts.account) as gl_account,
        {{ money('owned.amount') }} as amount,
        owned.share_on,
        {{ accounting_day('owned.share_on', 'closes.open_from') }} as accounting_on,
        owned.recorded_at,
        owned.batch_id,
        owned.file,
        owned.row_number
    from owned
    cross join int_build__settings as settings
    inner join int_portfolio__entities as entities on owned.entity_key = entities.entity_key
    left join concession_accounts on entities.chart_key = concession_accounts.chart_key
    left join first_given
        on
            owned.concession_key = first_given.concession_key
            and first_given.rank_given = 1
            and first_given.recorded_at < {{ 'cast(' ~ add_days('cast(owned.recorded_at as date)', 1) ~ ' as timestamp)' }}
    left join int_closes__properties as closes
        on
            owned.property_key = closes.property_key
            and {{ stands_on('closes', 'owned.recorded_at') }}
    where owned.rank_owner = 1 and owned.share_on <= settings.as_of_on
)

select * from int_concessions__shares
