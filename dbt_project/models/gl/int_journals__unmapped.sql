-- What cannot be booked: a charge code that no mapping in force leads to an account, or a role that no account of the
-- chart has (or several have). The build stops on any row here, because books with a hole would still balance
-- somewhere else; each row says what is missing, for how much and how many lines, and where the first of them stands.

with int_journals__books as (
    select * from {{ ref('int_journals__books') }}
),

int_portfolio__entities as (
    select * from {{ ref('int_portfolio__entities') }}
),

homeless_lines as (
    select
        coalesce(entities.chart_key, '(no chart)') as chart_key,
        coalesce(lines.entity_id, '(no entity)') as entity_id,
        case when lines.missing_role is null or lines.missing_role = 'code' then 'charge_code' else 'role' end as missing,
        case
            when lines.missing_role is null then lines.account
            when lines.missing_role = 'code' then coalesce(lines.charge_code, '(no code)')
            else lines.missing_role
        end as missing_name,
        lines.missing_role is null as is_outside_chart,
        lines.book,
        lines.debit + lines.credit as amount,
        lines.accounting_on,
        lines.source_table || ' ' || lines.source_id as entry
    from int_journals__books as lines
    left join int_portfolio__entities as entities
        on entities.entity_key = lines.entity_key
    where
        lines.account_type is null
        -- What the straight-line book takes over from the accrual book is said there.
        and lines.journal_id not like 'sl-%'
),

grouped as (
    select
        chart_key,
        entity_id,
        missing,
        missing_name,
        is_outside_chart,
        book,
        cast(count(*) as bigint) as lines_without_account,
        {{ money('sum(amount)') }} as amount,
        min(accounting_on) as first_accounting_on,
        min(entry) as first_entry
    from homeless_lines
    group by chart_key, entity_id, missing, missing_name, is_outside_chart, book
),

int_journals__unmapped as (
    select
        book,
        chart_key,
        entity_id,
        missing,
        missing_name,
        lines_without_account,
        amount,
        first_accounting_on,
        case
            when is_outside_chart
                then 'account ' || missing_name || ' of a charge code is not in chart ' || chart_key || ' (gl_accounts)'
            when missing = 'charge_code'
                then 'charge code ' || missing_name || ' has no account in chart ' || chart_key
                    || ' on its posting day (gl_mappings)'
            else 'role ' || missing_name || ' needs exactly one account in chart ' || chart_key || ' (gl_accounts.role)'
        end
        || ': ' || {{ text('lines_without_account') }} || ' lines, ' || {{ text('amount') }} || ' in all, entity '
        || entity_id || case when book = 'accrual' then '' else ', ' || book || ' book' end || ', first booked on ' || {{ text('first_accounting_on') }} || ', for instance ' || first_entry
            as message
    from grouped
)

select * from int_journals__unmapped
