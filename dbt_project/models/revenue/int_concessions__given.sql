-- What was given of each concession, and taken back (a repayment before its end was known), entry by entry, as long as it
-- has to wait for its term: from the end of a lease on nothing is put off any more. Positive is given. What was given before
-- its concession was heard of is put off from that moment, in a month that is open then.
-- What could go wrong: reading the end of a lease as it is known today; each entry asks what was known when it came.

with int_events__concessions as (
    select * from {{ ref('int_events__concessions') }}
),

int_events__entries as (
    select * from {{ ref('int_events__entries') }}
),

int_concessions__states as (
    select * from {{ ref('int_concessions__states') }}
),

int_closes__properties as (
    select * from {{ ref('int_closes__properties') }}
),

int_concessions__given as (
    select
        given.concession_key,
        entries.event_key,
        entries.kind,
        entries.source_table,
        entries.source_key,
        entries.source_id,
        entries.source_system,
        entries.entity_key,
        entries.entity_id,
        entries.property_key,
        entries.property_id,
        entries.lease_key,
        entries.lease_id,
        entries.ledger_party,
        entries.charge_code,
        coalesce(reversed.gl_account, entries.gl_account) as gl_account,
        {{ money('-entries.amount') }} as amount,
        entries.business_on,
        case
            when states.known_from > entries.recorded_at then {{ accounting_day('entries.business_on', 'closes.open_from') }}
            else entries.accounting_on
        end as accounting_on,
        greatest(entries.recorded_at, states.known_from) as recorded_at,
        entries.batch_id,
        entries.file,
        entries.row_number
    from int_events__concessions as given
    inner join int_events__entries as entries on given.event_key = entries.event_key
    left join int_events__entries as reversed
        on
            entries.names_event_key = reversed.event_key
            and entries.kind = 'charge_reversal'
    inner join int_concessions__states as states
        on
            given.concession_key = states.concession_key
            and (states.known_from <= entries.recorded_at or states.state_no = 1)
            and (states.known_to is null or entries.recorded_at < states.known_to)
    left join int_closes__properties as closes
        on
            entries.property_key = closes.property_key
            and {{ stands_on('closes', 'states.known_from') }}
    where
        entries.kind in ('charge', 'credit', 'correction', 'charge_reversal')
        and states.ended_on is null
)

select * from int_concessions__given
