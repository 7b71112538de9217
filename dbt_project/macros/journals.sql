{#- The journals of one book, line by line, from its postings: what int_journals__entries says of the accrual book holds for
    every book, so that they differ in what is posted and in nothing else. `postings` is a relation in the shared shape. -#}
{% macro journal_lines(postings, book) %}
{% set lineage = [
    'event', 'source_table', 'source_key', 'journal_part', 'source_id', 'source_system', 'property_key', 'property_id',
    'charge_code', 'entry_on', 'recorded_at', 'batch_id', 'file', 'row_number'
] %}

with int_journals__postings as (
    select * from {{ postings }}
),

int_owners__periods as (
    select * from {{ ref('int_owners__periods') }}
),

int_closes__entities as (
    select * from {{ ref('int_closes__entities') }}
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

chart_accounts as (
    select
        entities.entity_key,
        accounts.account,
        accounts.name,
        accounts.type,
        accounts.role
    from int_portfolio__entities as entities
    inner join int_portfolio__gl_accounts as accounts
        on accounts.chart_key = entities.chart_key
),

-- A role that several accounts have names none of them.
role_accounts as (
    select
        entity_key,
        role,
        min(account) as account
    from chart_accounts
    where role is not null
    group by entity_key, role
    having count(*) = 1
),

signs as (
    select 1 as sign
    union all
    select -1 as sign
),

sold_properties as (
    select distinct property_key
    from int_owners__periods
),

-- Properties that never changed hands, which are nearly all of them: a side of a posting is a line.
plain_lines as (
    select
        {% for column in lineage %}postings.{{ column }}, {% endfor %}
        postings.entity_key,
        postings.entity_id,
        postings.lease_key,
        postings.lease_id,
        postings.ledger_party,
        case when signs.sign = 1 then postings.debit_role else postings.credit_role end as posted_role,
        case when signs.sign = 1 then postings.debit_account else postings.credit_account end as code_account,
        postings.accounting_on,
        postings.amount * signs.sign as debit_amount
    from int_journals__postings as postings
    left join sold_properties
        on sold_properties.property_key = postings.property_key
    cross join signs
    where sold_properties.property_key is null
),

-- From here to gross_lines: properties that changed hands only.
sides as (
    select
        postings.*,
        case when signs.sign = 1 then postings.debit_role else postings.credit_role end as posted_role,
        case when signs.sign = 1 then postings.debit_account else postings.credit_account end as code_account,
        postings.amount * signs.sign as debit_amount
    from int_journals__postings as postings
    inner join sold_properties
        on sold_properties.property_key = postings.property_key
    cross join signs
),

sold_sides as (
    select
        sides.*,
        owners.entity_key as owner_key,
        owners.entity_id as owner_id,
        owners.owned_from as stands_from,
        case when sides.posted_role = 'code' then chart_accounts.role else sides.posted_role end as role,
        -- What was booked with the owner before, when the sale was not known yet, stays and moves in the journal of the sale.
        coalesce(
            sides.recorded_at < owners.sold_at and sides.entity_key = owners.from_entity_key, false
        ) as is_booked_before_sale,
        coalesce(owners.entity_key <> sides.entity_key, false)
        and not coalesce(
            sides.recorded_at < owners.sold_at and sides.entity_key = owners.from_entity_key, false
        ) as has_changed_owner,
        {{ accounting_day('sides.accounting_on', 'closes.open_from') }} as open_to_entity_on
    from sides
    inner join int_owners__periods as owners
        on owners.property_key = sides.property_key
        and owners.owned_from <= sides.accounting_on
        and (owners.owned_to is null or sides.accounting_on < owners.owned_to)
    left join int_closes__entities as closes
        on closes.entity_key = sides.entity_key
        and {{ stands_on('closes', 'sides.recorded_at') }}
    left join chart_accounts
        on sides.posted_role = 'code'
        and chart_accounts.entity_key = sides.entity_key
        and chart_accounts.account = sides.code_account
),

owned_sides as (
    select
        *,
        coalesce(role in {{ listed(roles_of_residents()) }}, false) as is_of_residents
    from sold_sides
),

booked_sides as (
    select
        * ,
        case when is_of_residents and has_changed_owner then owner_key else entity_key end as line_entity_key,
        case when is_of_residents and has_changed_owner then owner_id else entity_id end as line_entity_id,
        -- An owner who sold may have closed months that are open for the property: their side waits for their open month.
        case when has_changed_owner and not is_of_residents then open_to_entity_on else accounting_on end as line_on
    from owned_sides
),

-- Both sides of a posting that stay together (prepaid to receivable) need no intercompany.
crossings as (
    select posting_id
    from booked_sides
    where has_changed_owner
    group by posting_id
    having count(distinct is_of_residents) = 2
),

-- What was known before the sale moves in the journal of the sale; what became known later moves in its own journal.
sales as (
    select
        case when is_known_at_sale then 'owner_change' else event end as event,
        case when is_known_at_sale then 'properties' else source_table end as source_table,
        case
            when is_known_at_sale then property_key || ':' || {{ text('owned_from') }} || ':' || role
            else source_key
        end as source_key,
        case when is_known_at_sale then '' else journal_part end as journal_part,
        case when is_known_at_sale then property_id else source_id end as source_id,
        source_system,
        property_key,
        property_id,
        case when is_known_at_sale then null else charge_code end as charge_code,
        case when is_known_at_sale then owned_from else entry_on end as entry_on,
        case when is_known_at_sale then sold_at else recorded_at end as recorded_at,
        moved_on,
        case when is_known_at_sale then null else batch_id end as batch_id,
        case when is_known_at_sale then null else file end as file,
        case when is_known_at_sale then null else row_number end as row_number,
        from_entity_key,
        from_entity_id,
        to_entity_key,
        to_entity_id,
        lease_key,
        lease_id,
        ledger_party,
        role,
        debit_amount
    from (
        select
            booked_sides.*,
            owners.owned_from,
            greatest(owners.owned_from, booked_sides.accounting_on) as moved_on,
            owners.from_entity_key,
            owners.from_entity_id,
            owners.entity_key as to_entity_key,
            owners.entity_id as to_entity_id,
            owners.sold_at,
            booked_sides.recorded_at < owners.sold_at as is_known_at_sale
        from booked_sides
        inner join int_owners__periods as owners
            on owners.property_key = booked_sides.property_key
            and owners.from_entity_key is not null
            and (
                booked_sides.accounting_on < owners.owned_from
                or (booked_sides.is_booked_before_sale and booked_sides.stands_from = owners.owned_from)
            )
        cross join int_build__settings
        where
            booked_sides.is_of_residents
            and owners.owned_from <= int_build__settings.as_of_on
    ) as moved
),

gross_lines as (
    select * from plain_lines
    union all
    select
        {{ lineage | join(', ') }},
        line_entity_key, line_entity_id, lease_key, lease_id, ledger_party, posted_role, code_account, line_on,
        debit_amount
    from booked_sides
    union all
    select
        {% for column in lineage %}booked_sides.{{ column }}, {% endfor %}
        line_entity_key, line_entity_id, null, null, null, 'intercompany', null, line_on, -debit_amount
    from booked_sides
    inner join crossings
        on crossings.posting_id = booked_sides.posting_id
    {% for sign, owner in [(-1, 'from'), (1, 'to')] %}
    union all
    select
        {{ lineage | join(', ') }},
        {{ owner }}_entity_key, {{ owner }}_entity_id, lease_key, lease_id, ledger_party, role, null, moved_on,
        debit_amount * {{ sign }}
    from sales
    union all
    select
        {{ lineage | join(', ') }},
        {{ owner }}_entity_key, {{ owner }}_entity_id, null, null, null, 'intercompany', null, moved_on,
        debit_amount * {{ -sign }}
    from sales
    {% endfor %}
),

-- Intercompany is nobody's ledger: the two legs of a transfer inside one property meet there and leave nothing.
resolved_lines as (
    select
        {% for column in lineage %}gross_lines.{{ column }}, {% endfor %}
        gross_lines.entity_key,
        gross_lines.entity_id,
        case when gross_lines.posted_role <> 'intercompany' then gross_lines.lease_key end as lease_key,
        case when gross_lines.posted_role <> 'intercompany' then gross_lines.lease_id end as lease_id,
        case when gross_lines.posted_role <> 'intercompany' then gross_lines.ledger_party end as ledger_party,
        gross_lines.accounting_on,
        gross_lines.debit_amount,
        coalesce(gross_lines.code_account, role_accounts.account) as account,
        case when gross_lines.code_account is null and role_accounts.account is null then gross_lines.posted_role end
            as missing_role
    from gross_lines
    left join role_accounts
        on role_accounts.entity_key = gross_lines.entity_key
        and role_accounts.role = gross_lines.posted_role
    -- All lines of a journal carry its source_key.
    where {{ in_this_part(postings, 'gross_lines.source_key') }}
),

netted_lines as (
    select
        source_table,
        source_key,
        journal_part,
        entity_key,
        property_key,
        lease_key,
        ledger_party,
        account,
        missing_role,
        accounting_on,
        any_value(event) as event,
        any_value(source_id) as source_id,
        any_value(source_system) as source_system,
        any_value(entity_id) as entity_id,
        any_value(property_id) as property_id,
        any_value(lease_id) as lease_id,
        any_value(charge_code) as charge_code,
        any_value(entry_on) as entry_on,
        any_value(recorded_at) as recorded_at,
        any_value(batch_id) as batch_id,
        any_value(file) as file,
        any_value(row_number) as row_number,
        sum(debit_amount) as debit_amount
    from resolved_lines
    group by
        source_table, source_key, journal_part, entity_key, property_key, lease_key, ledger_party, account,
        missing_role, accounting_on
    having sum(debit_amount) <> 0
),

named_lines as (
    select
        {{ dbt.hash("'" ~ book ~ "|' || source_table || '|' || source_key || '|' || journal_part || '|' || coalesce(netted_lines.entity_key, '')") }}
            as journal_id,
        netted_lines.*,
        chart_accounts.name as account_name,
        chart_accounts.type as account_type,
        chart_accounts.role as account_role
    from netted_lines
    left join chart_accounts
        on chart_accounts.entity_key = netted_lines.entity_key
        and chart_accounts.account = netted_lines.account
),

int_journals__entries as (
    select
        journal_id,
        cast(row_number() over (
            partition by journal_id
            order by
                accounting_on, case when debit_amount > 0 then 0 else 1 end, account, missing_role, property_key, lease_key,
                ledger_party
        ) as integer) as line_no,
        '{{ book }}' as book,
        entity_key,
        entity_id,
        property_key,
        property_id,
        lease_key,
        lease_id,
        ledger_party,
        coalesce(account, '(unmapped)') as account,
        account_name,
        account_type,
        account_role,
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
    from named_lines
)

select * from int_journals__entries
{% endmacro %}

{#- What every book takes of an application beside its amount: whose it is and when it counts from the application itself,
    what caused it from the entry at which it was played. -#}
{% macro of_application() %}
        causes.kind, causes.source_table, causes.source_key, causes.source_id, causes.source_system, causes.charge_code,
        causes.business_on, causes.recorded_at, causes.batch_id, causes.file, causes.row_number,
        applications.entity_key, applications.entity_id, applications.property_key, applications.property_id,
        applications.lease_key, applications.lease_id, applications.ledger_party, applications.accounting_on
{%- endmacro %}
