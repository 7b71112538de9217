-- Facts that stand on an account, with the account, the moment they are known there, and the terms of the lease then.
-- A payment that came without a lease stands on the account of the lease it was matched to, from the match on, and its
-- returns with it. What could go wrong: a return on another account than the payment it takes back.
with int_events__facts as (
    select * from {{ ref('int_events__facts') }}
),

int_events__known as (
    select * from {{ ref('int_events__known') }}
),

int_portfolio__lease_terms as (
    select * from {{ ref('int_portfolio__lease_terms') }}
),

int_portfolio__leases as (
    select * from {{ ref('int_portfolio__leases') }}
),

rule_programs as (
    select * from {{ ref('rule_programs') }}
),

awarded as (
    select distinct payment_key
    from {{ ref('stg_rental_assistance_awards') }}
    where payment_key is not null
),

matches as (
    select
        facts.names_key as payment_key,
        facts.lease_key,
        known.known_at
    from int_events__facts as facts
    inner join int_events__known as known on facts.source_table = known.source_table and facts.source_key = known.source_key
    where facts.kind = 'match'
),

on_accounts as (
    select
        facts.source_table,
        facts.source_key,
        facts.kind,
        facts.names_table,
        facts.names_key,
        facts.amount,
        facts.stated_party,
        facts.payer_kind,
        facts.code_key,
        coalesce(facts.lease_key, matches.lease_key) as lease_key,
        known.business_on,
        greatest(known.known_at, coalesce(matches.known_at, known.known_at)) as known_at,
        known.recorded_assumed
    from int_events__facts as facts
    inner join int_events__known as known on facts.source_table = known.source_table and facts.source_key = known.source_key
    left join matches
        on
            facts.lease_key is null
            and facts.source_table in ('payments', 'payment_reversals')
            and matches.payment_key = case when facts.source_table = 'payments' then facts.source_key else facts.names_key end
    where
        coalesce(facts.lease_key, matches.lease_key) is not null
        and facts.kind not in (
            'match', 'deposit_received', 'deposit_refunded', 'deposit_forfeited', 'deposit_interest',
            'agreement_signed', 'agreement_cancelled'
        )
),

numbered as (
    select
        *,
        row_number() over (order by source_table, source_key) as event_key
    from on_accounts
),

-- The account of a payment: what its source says, else by who paid and whether the program gives the agency an account.
payment_parties as (
    select
        numbered.source_key as payment_key,
        case
            when numbered.stated_party is not null then numbered.stated_party
            when awarded.payment_key is not null then 'resident'
            when numbered.payer_kind = 'agency' and programs.has_subsidy_account then 'subsidy'
            else 'resident'
        end as ledger_party
    from numbered
    left join awarded on numbered.source_key = awarded.payment_key
    left join int_portfolio__lease_terms as terms
        on numbered.lease_key = terms.lease_key and {{ known_when('terms', 'numbered.known_at') }}
    left join rule_programs as programs on terms.program = programs.program
    where numbered.source_table = 'payments'
),

named as (
    select
        numbered.*,
        earlier.event_key as names_event_key,
        earlier.code_key as named_code_key,
        earlier.stated_party as named_party,
        earlier.business_on as named_business_on,
        earlier.known_at as named_known_at
    from numbered
    left join numbered as earlier on numbered.names_table = earlier.source_table and numbered.names_key = earlier.source_key
),

int_events__placed as (
    select
        named.event_key,
        named.source_table,
        named.source_key,
        named.lease_key,
        case
            when named.source_table in ('payments', 'payment_reversals') then payment_parties.ledger_party
            when named.kind = 'charge_reversal' then coalesce(named.named_party, 'resident')
            else coalesce(named.stated_party, named.named_party, 'resident')
        end as ledger_party,
        coalesce(terms.property_key, leases.property_key) as property_key,
        terms.terms_key,
        coalesce(terms.program, leases.program) as program,
        coalesce(terms.billing, leases.billing) = 'individual' as is_individual_billing,
        coalesce(terms.rent_due_day, leases.rent_due_day) as rent_due_day,
        coalesce(named.business_on > terms.move_out_on, false) as is_after_move_out,
        named.names_event_key,
        named.business_on,
        named.known_at,
        named.recorded_assumed,
        -- A reversal is the exact negative of its charge: it is classified as its charge was. A transfer is what it moves.
        case
            when named.kind = 'charge_reversal' then coalesce(named.named_code_key, named.code_key)
            when named.kind = 'transfer' then named.named_code_key
            else named.code_key
        end as code_key,
        case when named.kind in ('charge_reversal', 'transfer') then coalesce(named.named_business_on, named.business_on) else named.business_on end as classified_on,
        case when named.kind in ('charge_reversal', 'transfer') then coalesce(named.named_known_at, named.known_at) else named.known_at end as classified_at
    from named
    inner join int_portfolio__leases as leases on named.lease_key = leases.lease_key
    left join int_portfolio__lease_terms as terms
        on named.lease_key = terms.lease_key and {{ known_when('terms', 'named.known_at') }}
    left join payment_parties
        on payment_parties.payment_key = case when named.source_table = 'payments' then named.source_key else named.names_key end
        and named.source_table in ('payments', 'payment_reversals')
)

select * from int_events__placed
