-- The resident's ledger: every entry of an account in business order, with the balance after it. Recoveries of write-offs
-- are derived by the allocation and stand here as entries of their own. Position and running balance are a view of that
-- order and may shift when something backdated arrives; the entries themselves never change.
with int_events__entries as (
    select * from {{ ref('int_events__entries') }}
),

int_allocation__journal as (
    select * from {{ ref('int_allocation__journal') }} where row_kind = 'recovery' and what_if_key is null
),

int_allocation__ids as (
    select * from {{ ref('int_allocation__ids') }}
),

int_portfolio__owners as (
    select * from {{ ref('int_portfolio__owners') }}
),

int_closes__properties as (
    select * from {{ ref('int_closes__properties') }}
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

last_event as (
    select coalesce(max(event_key), 0) as event_key from int_events__entries
),

recovery_owners as (
    select
        journal.journal_seq,
        max_by(owners.entity_key, {{ owner_fit('owners', 'journal.applied_on') }}) as entity_key,
        max_by(owners.entity_id, {{ owner_fit('owners', 'journal.applied_on') }}) as entity_id
    from int_allocation__journal as journal
    inner join int_events__entries as write_offs on journal.target_event_key = write_offs.event_key
    inner join int_portfolio__owners as owners
        on
            write_offs.property_key = owners.property_key
            and {{ known_when('owners', 'journal.known_at') }}
    group by journal.journal_seq
),

entries as (
    select
        entries.*,
        cast(null as bigint) as cause_event_key,
        case
            when kind = 'opening_balance' then 0
            when kind in ('charge', 'correction') then 1
            when kind = 'transfer' and amount >= 0 then 1
            when kind = 'credit' then 2
            when kind = 'charge_reversal' then 4
            when is_undoing or kind = 'refund_of_credit' then 5
            else 3
        end as class_rank
    from int_events__entries as entries
),

recoveries as (
    select
        last_event.event_key + journal.journal_seq as event_key,
        write_offs.account_key,
        write_offs.lease_key,
        write_offs.lease_id,
        write_offs.source_system,
        write_offs.ledger_party,
        write_offs.property_key,
        write_offs.property_id,
        owners.entity_key,
        owners.entity_id,
        write_offs.chart_key,
        'write_off_recovery' as kind,
        'write_off_recovery' as source_table,
        ids.row_id as source_key,
        'recovery:' || write_offs.source_id || ':' || payments.source_id as source_id,
        write_offs.event_key as names_event_key,
        write_offs.source_id as names_source_id,
        cast(null as string) as code_key,
        cast(null as string) as charge_code,
        cast(null as string) as category,
        cast(null as string) as gl_account,
        case when journal.amount_minor < 0 then 'Recovery of write-off undone' else 'Write-off recovered' end as description,
        {{ minor_to_money('journal.amount_minor') }} as amount,
        journal.applied_on as business_on,
        {{ accounting_day('journal.applied_on', 'closes.open_from') }} as accounting_on,
        journal.known_at as recorded_at,
        false as recorded_assumed,
        cast(null as date) as due_on,
        false as due_defaulted,
        cast(null as date) as posted_on,
        cast(null as date) as service_from,
        cast(null as date) as service_to,
        cast(null as date) as rent_period_from,
        cast(null as date) as rent_period_to,
        payments.current_period_from,
        false as counts_as_rent,
        false as is_claimable_rent,
        cast(null as integer) as application_priority,
        cast(null as string) as responsible_person_key,
        cast(null as string) as payer_person_key,
        cast(null as string) as payer_kind,
        write_offs.is_individual_billing,
        cast(null as string) as designation,
        cast(null as string) as designation_code_key,
        cast(null as date) as covers_from,
        cast(null as date) as covers_to,
        write_offs.is_forgiven,
        payments.is_after_move_out,
        cast(null as string) as settlement_account,
        payments.settlement_role,
        cast(null as string) as method,
        cast(null as string) as transfer_kind,
        cast(null as string) as detail_kind,
        true as is_undoing,
        journal.policy_rule_key,
        journal.law_rule_key,
        last_event.event_key + journal.journal_seq as tie_rank,
        payments.rent_due_day,
        payments.batch_id,
        payments.file,
        payments.row_number,
        journal.applied_on > settings.as_of_on as is_future,
        journal.cause_event_key,
        5 as class_rank
    from int_allocation__journal as journal
    cross join last_event
    cross join int_build__settings as settings
    inner join int_allocation__ids as ids on journal.journal_seq = ids.journal_seq
    inner join int_events__entries as write_offs on journal.target_event_key = write_offs.event_key
    inner join int_events__entries as payments on journal.source_event_key = payments.event_key
    inner join recovery_owners as owners on journal.journal_seq = owners.journal_seq
    left join int_closes__properties as closes
        on
            write_offs.property_key = closes.property_key
            and {{ stands_on('closes', 'journal.known_at') }}
),

all_entries as {{ read_in_place() }} (
    select * from entries
    union all
    select * from recoveries
),

-- The order is found for the few columns that decide it: sorting all sixty takes more memory than a portfolio of years has.
ordered as (
    select
        event_key,
        row_number() over (
            partition by account_key
            order by business_on, class_rank, recorded_at, tie_rank
        ) as entry_seq,
        cast(sum(amount) over (
            partition by account_key
            order by business_on, class_rank, recorded_at, tie_rank
            rows unbounded preceding
        ) as decimal(18, 2)) as running_balance
    from all_entries
),

int_ledger__entries as (
    select
        all_entries.*,
        ordered.entry_seq,
        ordered.running_balance
    from all_entries
    inner join ordered on all_entries.event_key = ordered.event_key
)

select * from int_ledger__entries
