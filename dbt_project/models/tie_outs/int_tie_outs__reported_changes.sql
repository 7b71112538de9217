-- What a closed month would say by business date if it were told today: for every late arrival that is dated in or before it and
-- was booked after it, what it changed on each account. As reported plus these rows is as known now; a month that was
-- closed never changes, so this is the only place where what came late is put back on its own day. A late arrival also
-- moves money between charges of later days, in its own journal: what it applied after the month is none of the month.
-- What could go wrong: a row for the move of a property to a new owner; the move is of another day and changes no past one.

with int_late_arrivals__entries as (
    select * from {{ ref('int_late_arrivals__entries') }}
),

int_journals__entries as (
    select * from {{ ref('int_journals__entries') }}
),

int_tie_outs__closed_months as (
    select * from {{ ref('int_tie_outs__closed_months') }}
),

int_allocation__applications as (
    select * from {{ ref('int_allocation__applications') }}
),

int_events__entries as (
    select * from {{ ref('int_events__entries') }}
),

int_owners__periods as (
    select * from {{ ref('int_owners__periods') }}
),

int_portfolio__entities as (
    select * from {{ ref('int_portfolio__entities') }}
),

int_portfolio__gl_accounts as (
    select * from {{ ref('int_portfolio__gl_accounts') }}
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
),

of_months as (
    select
        effects.*,
        closes.period as closed_period,
        closes.period_end
    from effects
    inner join int_tie_outs__closed_months as closes
        on closes.entity_key = effects.entity_key
        and effects.entry_on <= closes.period_end
        and closes.period_end < effects.accounting_on
),

-- What a late arrival applied, or took back, on a later day than its own; it stands in the books of the owner on the day
-- on which it was booked.
applied_later as (
    select
        causes.source_system,
        coalesce(owners.entity_key, applications.entity_key) as entity_key,
        coalesce(owners.entity_id, applications.entity_id) as entity_id,
        applications.property_key,
        applications.property_id,
        applications.ledger_party,
        applications.applied_on,
        applications.amount,
        causes.kind as event,
        late.source_table,
        late.source_key,
        causes.source_id,
        late.entry_on,
        late.accounting_on,
        late.recorded_at,
        late.cause,
        causes.batch_id,
        causes.file,
        causes.row_number
    from late
    inner join int_events__entries as causes
        on causes.source_table = late.source_table
        and {{ journal_source_key('causes') }} = late.source_key
        and causes.business_on = late.entry_on
    inner join int_allocation__applications as applications
        on applications.cause_event_key = causes.event_key
        and applications.accounting_on = late.accounting_on
        and applications.applied_on > late.entry_on
    left join int_owners__periods as owners
        on owners.property_key = applications.property_key
        and owners.owned_from <= applications.accounting_on
        and (owners.owned_to is null or applications.accounting_on < owners.owned_to)
),

-- Of each month that ended in between, this is taken off again, on both accounts that it was booked on.
after_months as (
    select
        applied_later.source_system,
        applied_later.entity_key,
        applied_later.entity_id,
        applied_later.property_key,
        applied_later.property_id,
        closes.period as closed_period,
        closes.period_end,
        accounts.account,
        accounts.name as account_name,
        accounts.role as account_role,
        applied_later.event,
        applied_later.source_table,
        applied_later.source_key,
        applied_later.source_id,
        applied_later.entry_on,
        applied_later.accounting_on,
        applied_later.recorded_at,
        applied_later.cause,
        case when accounts.role = 'prepaid' then -applied_later.amount else applied_later.amount end as amount,
        applied_later.batch_id,
        applied_later.file,
        applied_later.row_number
    from applied_later
    inner join int_tie_outs__closed_months as closes
        on closes.entity_key = applied_later.entity_key
        and applied_later.entry_on <= closes.period_end
        and closes.period_end < applied_later.applied_on
        and closes.period_end < applied_later.accounting_on
    inner join int_portfolio__entities as entities on entities.entity_key = applied_later.entity_key
    inner join int_portfolio__gl_accounts as accounts
        on accounts.chart_key = entities.chart_key
        and accounts.role in ('prepaid', {{ receivable_role('applied_later') }})
),

parts as (
    {% for name in ['of_months', 'after_months'] %}
    select
        source_system, entity_key, entity_id, property_key, property_id, closed_period, period_end, account, account_name,
        account_role, event, source_table, source_key, source_id, entry_on, accounting_on, recorded_at, cause, amount,
        batch_id, file, row_number
    from {{ name }}
    {{ 'union all' if not loop.last }}
    {% endfor %}
),

int_tie_outs__reported_changes as (
    select
        source_system,
        entity_key,
        min(entity_id) as entity_id,
        property_key,
        min(property_id) as property_id,
        closed_period,
        account,
        min(account_name) as account_name,
        min(account_role) as account_role,
        min(event) as event,
        source_table,
        source_key,
        min(source_id) as source_id,
        entry_on,
        accounting_on,
        {{ whole(days_between('period_end', 'accounting_on')) }} as days_after_month,
        recorded_at,
        cause,
        {{ money('sum(amount)') }} as amount,
        min(batch_id) as batch_id,
        min(file) as file,
        min(row_number) as row_number
    from parts
    group by
        source_system, entity_key, property_key, closed_period, period_end, account, source_table, source_key, entry_on,
        accounting_on, recorded_at, cause
    having sum(amount) <> 0
)

select * from int_tie_outs__reported_changes
