-- What deposits post. Received: out of deposits billed where a charge asked for it, else into trust cash; refunded out
-- of trust cash; forfeited to income; interest as an expense. A deposit that is applied is an entry of the account: it
-- lowers deposits held against prepaid, once, so the movement itself posts nothing a second time.

with int_events__deposits as (
    select * from {{ ref('int_events__deposits') }}
),

int_events__entries as (
    select * from {{ ref('int_events__entries') }}
),

movements as (
    select
        deposits.*,
        deposits.movement_key as source_key,
        deposits.movement_id as source_id,
        cast(null as {{ dbt.type_string() }}) as charge_code,
        'deposit_' || deposits.kind as event,
        case
            when deposits.kind = 'received' and deposits.names_charge then 'deposits_billed'
            when deposits.kind in ('received', 'refunded') then 'trust_cash'
            when deposits.kind = 'forfeited' then 'forfeited_deposits'
            when deposits.kind = 'interest' then 'interest_expense'
        end as other_role
    from int_events__deposits as deposits
    where deposits.kind <> 'applied'
),

int_journals__deposits as (
    select
        {{ posting(
            'movements', "'deposit:' || movements.movement_key", 'movements.amount',
            'movements.other_role', "'deposits_held'", event='event'
        ) }}
    from movements
    union all
    select
        {{ posting(
            'entries', "'entry:' || cast(entries.event_key as string)", '-entries.amount',
            "'deposits_held'", "'prepaid'"
        ) }}
    from int_events__entries as entries
    where entries.kind = 'deposit_applied'
)

select * from int_journals__deposits
