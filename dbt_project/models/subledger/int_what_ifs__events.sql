-- The events to play again under each order, for resident accounts that owe something on the build's day and have paid
-- something: elsewhere no order could matter. Everything counts as known at one moment, so each account is played once.
-- What could go wrong: keys of two orders that meet; a key is the event's own times a thousand, plus the order's.
-- A view: it repeats the events once for every order, wide as they are, and is read once, a range of accounts at a time.
{{ config(materialized='view') }}

with int_events__entries as (
    select * from {{ ref('int_events__entries') }} where ledger_party = 'resident' and not is_future
),

rule_what_ifs as (
    select * from {{ ref('rule_what_ifs') }}
),

asked as (
    select account_key
    from int_events__entries
    group by account_key
    having sum(amount) > 0 and sum(case when amount < 0 and not is_undoing then 1 else 0 end) > 0
),

int_what_ifs__events as (
    select
        entries.account_key * 1000 + what_ifs.what_if_key as account_key,
        entries.event_key * 1000 + what_ifs.what_if_key as event_key,
        entries.kind,
        cast(entries.amount * 100 as bigint) as amount_minor,
        entries.business_on,
        timestamp '2000-01-01 00:00:00' as known_at,
        entries.tie_rank,
        entries.names_event_key * 1000 + what_ifs.what_if_key as names_event_key,
        entries.due_on,
        entries.business_on as posted_on,
        entries.category,
        entries.code_key,
        entries.gl_account,
        entries.counts_as_rent,
        entries.application_priority,
        entries.rent_period_from,
        entries.current_period_from,
        entries.service_from,
        entries.service_to,
        entries.responsible_person_key,
        entries.payer_person_key,
        entries.is_individual_billing,
        case when what_ifs.is_direction_heeded or entries.designation = 'written_off' then entries.designation end as designation,
        case when what_ifs.is_direction_heeded then entries.designation_code_key end as designation_code_key,
        case when what_ifs.is_direction_heeded then entries.covers_from end as covers_from,
        case when what_ifs.is_direction_heeded then entries.covers_to end as covers_to,
        entries.is_forgiven,
        entries.is_after_move_out,
        what_ifs.what_if_key as policy_rule_key,
        cast(null as integer) as law_rule_key
    from int_events__entries as entries
    inner join asked on entries.account_key = asked.account_key
    cross join rule_what_ifs as what_ifs
)

select * from int_what_ifs__events
