-- How the receivable of each charge code rolls from month to month, by accounting date: what was billed into it and
-- what was applied to it, by the kind of source. It closes at the open charges of the code, so all codes together are
-- the receivable account. Money that waits is no part of it; it enters with the application.
-- What could go wrong: a column that changes its meaning with the sign. Every column is signed alike: + raises what is owed.

with int_ledger__entries as (
    select * from {{ ref('int_ledger__entries') }}
),

int_allocation__applications as (
    select * from {{ ref('int_allocation__applications') }}
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

targets as (
    select
        entries.event_key,
        entries.kind,
        coalesce(entries.charge_code, entries.kind) as charge_code
    from int_ledger__entries as entries
    where entries.amount > 0
),

raised as (
    select
        entries.entity_key,
        entries.entity_id,
        entries.property_key,
        entries.property_id,
        entries.ledger_party,
        coalesce(targets.charge_code, entries.charge_code, entries.kind) as charge_code,
        entries.accounting_on as movement_on,
        case
            when entries.kind = 'transfer' then 'transfers'
            when entries.kind = 'refund_of_credit' then 'returns'
            else 'charges'
        end as movement,
        entries.amount
    from int_ledger__entries as entries
    left join targets
        on targets.event_key = entries.names_event_key
        and entries.kind = 'charge_reversal'
    where
        (entries.amount > 0 and entries.kind in ('opening_balance', 'charge', 'correction', 'refund_of_credit', 'transfer'))
        or (entries.amount < 0 and entries.kind = 'charge_reversal')
),

applied as (
    select
        applications.entity_key,
        applications.entity_id,
        applications.property_key,
        applications.property_id,
        applications.ledger_party,
        targets.charge_code,
        applications.accounting_on as movement_on,
        case
            when applications.reason = 'return' then 'returns'
            when applications.source_kind in ('credit', 'correction') then 'credits'
            when applications.source_kind = 'write_off' then 'write_offs'
            when applications.source_kind = 'transfer' then 'transfers'
            else 'receipts'
        end as movement,
        -applications.amount as amount
    from int_allocation__applications as applications
    inner join targets
        on targets.event_key = applications.target_event_key
),

gross_movements as (
    select * from raised
    union all
    select * from applied
),

owned_movements as (
    select
        gross.*,
        coalesce(owners.entity_key, gross.entity_key) as owner_key,
        coalesce(owners.entity_id, gross.entity_id) as owner_id
    from gross_movements as gross
    left join {{ ref('int_owners__periods') }} as owners
        on owners.property_key = gross.property_key
        and owners.owned_from <= gross.movement_on
        and (owners.owned_to is null or gross.movement_on < owners.owned_to)
),

movements as (
    select owner_key, owner_id, property_key, property_id, ledger_party, charge_code, movement_on, movement, amount
    from owned_movements
    {% for sign, owner in [('-', 'from_entity'), ('', 'entity')] %}
    union all
    select
        owners.{{ owner }}_key,
        owners.{{ owner }}_id,
        owned.property_key,
        owned.property_id,
        owned.ledger_party,
        owned.charge_code,
        owners.owned_from,
        'transfers',
        {{ sign }}owned.amount
    from owned_movements as owned
    inner join {{ ref('int_owners__periods') }} as owners
        on owners.property_key = owned.property_key
        and owners.from_entity_key is not null
        and owned.movement_on < owners.owned_from
    {% endfor %}
),

month_movements as (
    select
        owner_key as entity_key,
        min(owner_id) as entity_id,
        property_key,
        min(property_id) as property_id,
        ledger_party,
        charge_code,
        {{ month_start('movement_on') }} as month_start,
        {% for name in ['charges', 'credits', 'receipts', 'returns', 'write_offs', 'transfers'] %}
        sum(case when movement = '{{ name }}' then amount else 0 end) as {{ name }},
        {% endfor %}
        sum(amount) as change
    from movements
    cross join int_build__settings
    where movement_on <= int_build__settings.as_of_on
    group by owner_key, property_key, ledger_party, charge_code, {{ month_start('movement_on') }}
),

groups as (
    select
        entity_key,
        min(entity_id) as entity_id,
        property_key,
        min(property_id) as property_id,
        ledger_party,
        charge_code,
        min(month_start) as first_month
    from month_movements
    group by entity_key, property_key, ledger_party, charge_code
),

months as (
    {{ month_series(
        '(select min(first_month) from groups)',
        "(select cast(date_trunc('month', as_of_on) as date) from int_build__settings)"
    ) }}
),

filled as (
    select
        groups.entity_key,
        groups.entity_id,
        groups.property_key,
        groups.property_id,
        groups.ledger_party,
        groups.charge_code,
        months.month_start,
        {% for name in ['charges', 'credits', 'receipts', 'returns', 'write_offs', 'transfers', 'change'] %}
        coalesce(month_movements.{{ name }}, 0) as {{ name }}{{ ',' if not loop.last }}
        {% endfor %}
    from groups
    inner join months
        on months.month_start >= groups.first_month
    left join month_movements
        on month_movements.entity_key = groups.entity_key
        and month_movements.property_key = groups.property_key
        and month_movements.ledger_party = groups.ledger_party
        and month_movements.charge_code = groups.charge_code
        and month_movements.month_start = months.month_start
),

balances as (
    select
        *,
        sum(change) over (
            partition by entity_key, property_key, ledger_party, charge_code order by month_start
        ) as closing
    from filled
),

int_receivables__periods as (
    select
        {{ period_of('month_start') }} as period,
        month_start as period_start,
        {{ source_system_of('entity_key', 'entity_id') }} as source_system,
        entity_key,
        entity_id,
        property_key,
        property_id,
        ledger_party,
        charge_code,
        {{ money('closing - change') }} as opening,
        {% for name in ['charges', 'credits', 'receipts', 'returns', 'write_offs', 'transfers'] %}
        {{ money(name) }} as {{ name }},
        {% endfor %}
        {{ money('closing') }} as closing
    from balances
)

select * from int_receivables__periods
