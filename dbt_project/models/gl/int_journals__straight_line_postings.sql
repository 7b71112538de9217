-- What the straight-line book adds to the accrual book: a concession that was given is put off, out of the account it was
-- booked to and into deferred rent, and comes back by its share of the term. Everything else is booked alike, so the two
-- books differ by these postings alone. A chart without an account for deferred rent keeps no such book, unless its
-- entity says that it shows concessions so: then the missing account stops the build like any other.

with int_concessions__given as (
    select * from {{ ref('int_concessions__given') }}
),

int_concessions__shares as (
    select
        *,
        'straight_line_share' as event,
        'concessions' as source_table,
        concession_key || ':' || cast(state_no as string) || ':' || {{ text('share_on') }} as source_key,
        concession_id as source_id,
        cast(null as {{ dbt.type_string() }}) as charge_code,
        share_on as business_on
    from {{ ref('int_concessions__shares') }}
),

int_portfolio__entities as (
    select * from {{ ref('int_portfolio__entities') }}
),

int_portfolio__gl_accounts as (
    select * from {{ ref('int_portfolio__gl_accounts') }}
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

keepers as (
    select distinct entities.entity_key
    from int_portfolio__entities as entities
    left join int_portfolio__gl_accounts as accounts
        on accounts.chart_key = entities.chart_key
        and accounts.role = 'deferred_rent'
    where accounts.account is not null or entities.concession_policy = 'straight_line'
),

postings as (
    select
        {{ posting(
            'given', "'given:' || cast(given.event_key as string)", 'given.amount',
            "'deferred_rent'", "'code'", credit_account='given.gl_account', event='event'
        ) }}
    from (select *, 'straight_line_given' as event from int_concessions__given) as given
    union all
    select
        {{ posting(
            'shares', "'share:' || shares.source_key", 'shares.amount',
            "'code'", "'deferred_rent'", debit_account='shares.gl_account', event='event'
        ) }}
    from int_concessions__shares as shares
),

int_journals__straight_line_postings as (
    select postings.*
    from postings
    inner join keepers on keepers.entity_key = postings.entity_key
    cross join int_build__settings
    where
        postings.amount <> 0
        and postings.accounting_on <= int_build__settings.as_of_on
)

select * from int_journals__straight_line_postings
