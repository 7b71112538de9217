-- The journal of every event, line by line, with the account and what the chart says of it. Debit and credit are two
-- columns and never negative. Line numbers count within a journal in the order of dates, then debits before credits,
-- and never shift when something becomes known later, because a later fact has a journal of its own.

with int_journals__lines as (
    select * from {{ ref('int_journals__lines') }}
),

int_portfolio__gl_accounts as (
    select * from {{ ref('int_portfolio__gl_accounts') }}
),

int_journals__entries as (
    select
        lines.journal_id,
        cast(row_number() over (
            partition by lines.journal_id
            order by
                lines.accounting_on, lines.credit, lines.debit desc, lines.account, lines.property_key,
                lines.lease_key, lines.ledger_party
        ) as integer) as line_no,
        lines.book,
        lines.entity_key,
        lines.entity_id,
        lines.property_key,
        lines.property_id,
        lines.lease_key,
        lines.lease_id,
        lines.ledger_party,
        coalesce(lines.account, '(unmapped)') as account,
        accounts.name as account_name,
        accounts.type as account_type,
        accounts.role as account_role,
        lines.debit,
        lines.credit,
        lines.accounting_on,
        lines.entry_on,
        lines.recorded_at,
        lines.event,
        lines.source_table,
        lines.source_key,
        lines.source_id,
        lines.source_system,
        lines.charge_code,
        lines.batch_id,
        lines.file,
        lines.row_number
    from int_journals__lines as lines
    left join int_portfolio__gl_accounts as accounts
        on accounts.chart_key = lines.chart_key
        and accounts.account = lines.account
)

select * from int_journals__entries
