-- What a closed month would say by business date if it were told today: for every late arrival that is dated in or before it and
-- was booked after it, what it changed on each account. As reported plus these rows is as known now; a month that was
-- closed never changes, so this is the only place where what came late is put back on its own day.
-- What could go wrong: a row for the move of a property to a new owner; the move is of another day and changes no past one.

with int_late_arrivals__entries as (
    select * from {{ ref('int_late_arrivals__entries') }}
),

int_journals__entries as (
    select * from {{ ref('int_journals__entries') }}
),

int_closes__periods as (
    select * from {{ ref('int_closes__periods') }}
),

late as (
    select
        source_table,
        case
            when source_table = 'transfers' then regexp_replace(source_key, ':(in|out)$', '')
            else source_key
        end as source_key,
        entry_on,
        accounting_on,
        min(cause) as cause,
        min(closed_period) as closed_period,
        min(recorded_at) as recorded_at
    from int_late_arrivals__entries
    group by
        source_table,
        case
            when source_table = 'transfers' then regexp_replace(source_key, ':(in|out)$', '')
            else source_key
        end,
        entry_on, accounting_on
),

effects as (
    select
        journal.source_system,
        journal.entity_key,
        journal.entity_id,
        journal.property_key,
        journal.property_id,
        journal.account,
        min(journal.account_name) as account_name,
        min(journal.account_role) as account_role,
        late.source_table,
        late.source_key,
        min(journal.source_id) as source_id,
        min(journal.event) as event,
        late.entry_on,
        late.accounting_on,
        late.recorded_at,
        late.cause,
        min(journal.batch_id) as batch_id,
        min(journal.file) as file,
        min(journal.row_number) as row_number,
        sum(journal.debit - journal.credit) as amount
    from late
    inner join int_journals__entries as journal
        on journal.source_table = late.source_table
        and {{ journal_source_key('journal') }} = late.source_key
        and journal.entry_on = late.entry_on
        and journal.accounting_on = late.accounting_on
    group by
        journal.source_system, journal.entity_key, journal.entity_id, journal.property_key, journal.property_id,
        journal.account, late.source_table, late.source_key, late.entry_on, late.accounting_on, late.recorded_at, late.cause
    having sum(journal.debit - journal.credit) <> 0
),

int_tie_outs__reported_changes as (
    select
        effects.source_system,
        effects.entity_key,
        effects.entity_id,
        effects.property_key,
        effects.property_id,
        closes.period as closed_period,
        effects.account,
        effects.account_name,
        effects.account_role,
        effects.event,
        effects.source_table,
        effects.source_key,
        effects.source_id,
        effects.entry_on,
        effects.accounting_on,
        {{ whole(days_between('closes.period_end', 'effects.accounting_on')) }} as days_after_month,
        effects.recorded_at,
        effects.cause,
        {{ money('effects.amount') }} as amount,
        effects.batch_id,
        effects.file,
        effects.row_number
    from effects
    inner join int_closes__periods as closes
        on closes.entity_key = effects.entity_key
        and effects.entry_on <= closes.period_end
        and closes.period_end < effects.accounting_on
)

select * from int_tie_outs__reported_changes
