-- What applying money posts in the cash book: prepaid against the account of the charge that the money pays in the end, at
-- the application's own accounting date; a reversed application takes the income back. Money on a refund clears the
-- refund. A credit is no money: it posts nothing, but where it is paid out as a refund its account bears that.
-- What an agency pays on its share of a contract rent is income of the rent, because the credit that carried the share over
-- was no money: the clearing account between the two stands at nothing in this book.
-- What could go wrong: the account of a charge of the old owner in the chart of the new one; the new chart's own is read.

with int_journals__cash_origins as (
    select * from {{ ref('int_journals__cash_origins') }}
),

int_allocation__applications as (
    select * from {{ ref('int_allocation__applications') }}
),

int_events__entries as (
    select * from {{ ref('int_events__entries') }}
),

int_portfolio__entities as (
    select * from {{ ref('int_portfolio__entities') }}
),

int_portfolio__gl_accounts as (
    select * from {{ ref('int_portfolio__gl_accounts') }}
),

int_portfolio__gl_mappings as (
    select * from {{ ref('int_portfolio__gl_mappings') }}
),

subsidy_accounts as (
    select
        chart_key,
        account
    from int_portfolio__gl_accounts
    where role = 'subsidy_clearing'
),

-- What a piece of money pays for, on either side: a charge, or the credit that was paid out as a refund.
paid as (
    select
        origins.*,
        targets.chart_key,
        targets.code_key,
        targets.gl_account,
        targets.ledger_party as target_party,
        sources.gl_account as source_account,
        subsidy_accounts.account as subsidy_account,
        case when targets.gl_account = subsidy_accounts.account then targets.lease_key else sources.lease_key end
            as rented_lease_key,
        case when targets.gl_account = subsidy_accounts.account then targets.rent_period_from else sources.rent_period_from end
            as rented_from
    from int_journals__cash_origins as origins
    inner join int_events__entries as targets on origins.target_event_key = targets.event_key
    inner join int_events__entries as sources on origins.source_event_key = sources.event_key
    left join subsidy_accounts
        on targets.chart_key = subsidy_accounts.chart_key
        and subsidy_accounts.account in (targets.gl_account, sources.gl_account)
),

contract_rents as (
    select
        paid.piece_id,
        rents.gl_account,
        row_number() over (
            partition by paid.piece_id
            order by
                case when rents.rent_period_from = paid.rented_from then 0 else 1 end, rents.recorded_at,
                rents.event_key
        ) as rank_in_piece
    from paid
    inner join int_events__entries as rents
        on paid.rented_lease_key = rents.lease_key
        and rents.kind = 'charge'
        and rents.category = 'rent'
        and rents.ledger_party = 'resident'
        and rents.recorded_at <= paid.known_at
    where paid.subsidy_account is not null
),

incomes as (
    select
        paid.*,
        case
            when paid.gl_account = paid.subsidy_account then coalesce(contract_rents.gl_account, paid.gl_account)
            else paid.gl_account
        end as income_account,
        case
            when paid.source_account = paid.subsidy_account then coalesce(contract_rents.gl_account, paid.source_account)
            else paid.source_account
        end as credit_paid_out_account
    from paid
    left join contract_rents
        on paid.piece_id = contract_rents.piece_id
        and contract_rents.rank_in_piece = 1
),

postings as (
    select
        incomes.piece_id,
        incomes.amount,
        {{ of_application() }},
        case
            when incomes.source_kind in ('credit', 'correction') then 'code'
            when incomes.source_kind = 'write_off' then 'bad_debt'
            else 'prepaid'
        end as debit_role,
        case when incomes.source_kind in ('credit', 'correction') then incomes.credit_paid_out_account end as debit_account,
        case
            when incomes.is_unreported then 'unreported_income'
            when incomes.target_kind = 'refund_of_credit' then 'receivable_' || incomes.target_party
            else 'code'
        end as credit_role,
        case
            when incomes.is_unreported or incomes.target_kind = 'refund_of_credit' then null
            when entities.chart_key = incomes.chart_key then incomes.income_account
            else coalesce(mappings.account, incomes.income_account)
        end as credit_account
    from incomes
    inner join int_allocation__applications as applications on incomes.application_id = applications.application_id
    inner join int_events__entries as causes on applications.cause_event_key = causes.event_key
    inner join int_portfolio__entities as entities on applications.entity_key = entities.entity_key
    left join int_portfolio__gl_mappings as mappings
        on entities.chart_key <> incomes.chart_key
        and mappings.chart_key = entities.chart_key
        and mappings.code_key = incomes.code_key
        and mappings.place = 1
),

int_journals__cash_applications as (
    select
        {{ posting(
            'postings', "'application:' || postings.piece_id", 'postings.amount',
            'postings.debit_role', 'postings.credit_role',
            debit_account='postings.debit_account', credit_account='postings.credit_account'
        ) }}
    from postings
)

select * from int_journals__cash_applications
