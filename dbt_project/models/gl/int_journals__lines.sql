-- Postings as lines with an account, netted: lines of one event with the same account and accounting date are one.
-- What residents owe, and what is held for them, belongs to the owner on the accounting date and moves to a new owner on
-- the first day; the other side stays with the owner of the business date, and both meet in intercompany.
-- What could go wrong: a role that no account has, or two have. Such a line keeps a null account and stops the build.

with int_journals__postings as (
    select * from {{ ref('int_journals__postings') }}
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

role_accounts as (
    select
        chart_key,
        role,
        min(account) as account
    from int_portfolio__gl_accounts
    where role is not null
    group by chart_key, role
    having count(*) = 1
),

code_accounts as (
    select
        entities.entity_key,
        accounts.account,
        accounts.role
    from int_portfolio__entities as entities
    inner join int_portfolio__gl_accounts as accounts
        on accounts.chart_key = entities.chart_key
),

sides as (
    select
        *,
        debit_role as posted_role,
        debit_account as code_account,
        amount as debit_amount
    from int_journals__postings
    union all
    select
        *,
        credit_role as posted_role,
        credit_account as code_account,
        -amount as debit_amount
    from int_journals__postings
),

known_sides as (
    select
        sides.*,
        case when sides.posted_role = 'code' then code_accounts.role else sides.posted_role end as role
    from sides
    left join code_accounts
        on sides.posted_role = 'code'
        and code_accounts.entity_key = sides.entity_key
        and code_accounts.account = sides.code_account
),

owned_sides as (
    select
        known_sides.*,
        coalesce(known_sides.role in {{ roles_of_residents() }}, false) as is_of_residents,
        owners.entity_key as booked_entity_key,
        owners.entity_id as booked_entity_id,
        coalesce(owners.entity_key <> known_sides.entity_key, false) as has_changed_owner
    from known_sides
    left join int_owners__periods as owners
        on owners.property_key = known_sides.property_key
        and owners.owned_from <= known_sides.accounting_on
        and (owners.owned_to is null or known_sides.accounting_on < owners.owned_to)
),

-- Both sides of a posting that stay together (prepaid to receivable) need no intercompany.
crossings as (
    select posting_id
    from owned_sides
    where has_changed_owner
    group by posting_id
    having count(distinct is_of_residents) = 2
),

booked_sides as (
    select
        owned_sides.*,
        case when is_of_residents and has_changed_owner then booked_entity_key else entity_key end as line_entity_key,
        case when is_of_residents and has_changed_owner then booked_entity_id else entity_id end as line_entity_id
    from owned_sides
),

intercompany_sides as (
    select booked_sides.*
    from booked_sides
    inner join crossings
        on crossings.posting_id = booked_sides.posting_id
),

sales as (
    select
        sides.*,
        owners.owned_from,
        owners.from_entity_key,
        owners.from_entity_id,
        owners.entity_key as to_entity_key,
        owners.entity_id as to_entity_id,
        owners.sold_at,
        sides.recorded_at < owners.sold_at as is_known_at_sale
    from booked_sides as sides
    inner join int_owners__periods as owners
        on owners.property_key = sides.property_key
        and owners.from_entity_key is not null
        and sides.accounting_on < owners.owned_from
    cross join {{ ref('int_build__settings') }} as settings
    where
        sides.is_of_residents
        and owners.owned_from <= settings.as_of_on
),

{% set lineage %}
        event, source_table, source_key, journal_part, source_id, source_system, property_key, property_id, charge_code, entry_on,
        recorded_at, batch_id, file, row_number
{% endset %}

{% set sale_lineage %}
        case when is_known_at_sale then 'owner_change' else event end as event,
        case when is_known_at_sale then 'properties' else source_table end as source_table,
        case when is_known_at_sale then property_key || ':' || {{ text('owned_from') }} || ':' || role
            else source_key end as source_key,
        case when is_known_at_sale then '' else journal_part end as journal_part,
        case when is_known_at_sale then property_id else source_id end as source_id,
        source_system,
        property_key,
        property_id,
        case when is_known_at_sale then null else charge_code end as charge_code,
        case when is_known_at_sale then owned_from else entry_on end as entry_on,
        case when is_known_at_sale then sold_at else recorded_at end as recorded_at,
        case when is_known_at_sale then null else batch_id end as batch_id,
        case when is_known_at_sale then null else file end as file,
        case when is_known_at_sale then null else row_number end as row_number
{% endset %}

gross_lines as (
    select
        {{ lineage }},
        line_entity_key as entity_key,
        line_entity_id as entity_id,
        case when posted_role <> 'intercompany' then lease_key end as lease_key,
        case when posted_role <> 'intercompany' then lease_id end as lease_id,
        case when posted_role <> 'intercompany' then ledger_party end as ledger_party,
        posted_role,
        code_account,
        accounting_on,
        debit_amount
    from booked_sides
    union all
    select
        {{ lineage }},
        line_entity_key,
        line_entity_id,
        null,
        null,
        null,
        'intercompany',
        null,
        accounting_on,
        -debit_amount
    from intercompany_sides
    {% for sign, owner in [('-', 'from'), ('', 'to')] %}
    union all
    select
        {{ sale_lineage }},
        {{ owner }}_entity_key,
        {{ owner }}_entity_id,
        lease_key,
        lease_id,
        ledger_party,
        role,
        null,
        owned_from,
        {{ sign }}debit_amount
    from sales
    union all
    select
        {{ sale_lineage }},
        {{ owner }}_entity_key,
        {{ owner }}_entity_id,
        null,
        null,
        null,
        'intercompany',
        null,
        owned_from,
        {{ '' if sign else '-' }}debit_amount
    from sales
    {% endfor %}
),

netted_by_role as (
    select
        source_table,
        source_key,
        journal_part,
        entity_key,
        property_key,
        lease_key,
        ledger_party,
        posted_role,
        code_account,
        accounting_on,
        min(event) as event,
        min(source_id) as source_id,
        min(source_system) as source_system,
        min(entity_id) as entity_id,
        min(property_id) as property_id,
        min(lease_id) as lease_id,
        min(charge_code) as charge_code,
        min(entry_on) as entry_on,
        min(recorded_at) as recorded_at,
        min(batch_id) as batch_id,
        min(file) as file,
        min(row_number) as row_number,
        sum(debit_amount) as debit_amount
    from gross_lines
    group by
        source_table, source_key, journal_part, entity_key, property_key, lease_key, ledger_party, posted_role, code_account,
        accounting_on
    having sum(debit_amount) <> 0
),

resolved as (
    select
        netted.*,
        entities.chart_key,
        case when netted.posted_role = 'code' then netted.code_account else role_accounts.account end as account
    from netted_by_role as netted
    left join int_portfolio__entities as entities
        on entities.entity_key = netted.entity_key
    left join role_accounts
        on role_accounts.chart_key = entities.chart_key
        and role_accounts.role = netted.posted_role
),

netted_by_account as (
    select
        source_table,
        source_key,
        journal_part,
        entity_key,
        property_key,
        lease_key,
        ledger_party,
        account,
        accounting_on,
        case when account is null then posted_role end as missing_role,
        min(chart_key) as chart_key,
        min(event) as event,
        min(source_id) as source_id,
        min(source_system) as source_system,
        min(entity_id) as entity_id,
        min(property_id) as property_id,
        min(lease_id) as lease_id,
        min(charge_code) as charge_code,
        min(entry_on) as entry_on,
        min(recorded_at) as recorded_at,
        min(batch_id) as batch_id,
        min(file) as file,
        min(row_number) as row_number,
        sum(debit_amount) as debit_amount
    from resolved
    group by
        source_table, source_key, journal_part, entity_key, property_key, lease_key, ledger_party, account, accounting_on,
        case when account is null then posted_role end
    having sum(debit_amount) <> 0
),

int_journals__lines as (
    select
        {{ dbt.hash("'accrual|' || source_table || '|' || source_key || '|' || journal_part || '|' || coalesce(entity_key, '')") }} as journal_id,
        'accrual' as book,
        chart_key,
        entity_key,
        entity_id,
        property_key,
        property_id,
        lease_key,
        lease_id,
        ledger_party,
        account,
        missing_role,
        {{ money('case when debit_amount > 0 then debit_amount else 0 end') }} as debit,
        {{ money('case when debit_amount < 0 then -debit_amount else 0 end') }} as credit,
        accounting_on,
        entry_on,
        recorded_at,
        event,
        source_table,
        source_key,
        source_id,
        source_system,
        charge_code,
        batch_id,
        file,
        row_number
    from netted_by_account
)

select * from int_journals__lines
