-- What cannot be booked: a charge code that no mapping in force leads to an account, or a role that no account of the
-- chart has (or several have). The build stops on any row here, because books with a hole would still balance
-- somewhere else; each row says what is missing, for how much and how many lines, and where the first of them stands.

with int_journals__lines as (
    select * from {{ ref('int_journals__lines') }}
),

int_portfolio__gl_accounts as (
    select * from {{ ref('int_portfolio__gl_accounts') }}
),

known_accounts as (
    select distinct
        chart_key,
        account
    from int_portfolio__gl_accounts
),

homeless_lines as (
    select
        lines.*,
        case when lines.missing_role = 'code' or lines.account is not null then 'charge_code' else 'role' end as missing,
        case
            when lines.account is not null then lines.account
            when lines.missing_role = 'code' then coalesce(lines.charge_code, '(no code)')
            else lines.missing_role
        end as missing_name,
        lines.account is not null as is_outside_chart
    from int_journals__lines as lines
    left join known_accounts
        on known_accounts.chart_key = lines.chart_key
        and known_accounts.account = lines.account
    where known_accounts.account is null
),

grouped as (
    select
        coalesce(chart_key, '(no chart)') as chart_key,
        coalesce(entity_id, '(no entity)') as entity_id,
        missing,
        missing_name,
        is_outside_chart,
        cast(count(*) as bigint) as lines_without_account,
        {{ money('sum(debit + credit)') }} as amount,
        min(accounting_on) as first_accounting_on,
        min(source_table || ' ' || source_id) as first_entry
    from homeless_lines
    group by coalesce(chart_key, '(no chart)'), coalesce(entity_id, '(no entity)'), missing, missing_name, is_outside_chart
),

int_journals__unmapped as (
    select
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
        || entity_id || ', first booked on ' || {{ text('first_accounting_on') }} || ', for instance ' || first_entry
            as message
    from grouped
)

select * from int_journals__unmapped
