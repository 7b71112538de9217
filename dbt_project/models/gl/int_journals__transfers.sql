-- What a transfer posts. Between two accounts each leg posts against intercompany, which nets to nothing inside one
-- property and stays where the money crossed to another property or owner. To and from a repayment agreement the other
-- side is the agreement's own receivable, so the resident's debt is moved and never forgotten.

with int_events__entries as (
    select * from {{ ref('int_events__entries') }}
),

transfers as (
    select
        *,
        case
            when detail_kind = 'account' then 'intercompany'
            else 'agreement_receivable'
        end as other_role
    from int_events__entries
    where kind = 'transfer'
),

int_journals__transfers as (
    select
        {{ posting(
            'transfers', "'entry:' || cast(transfers.event_key as string)", 'transfers.amount',
            "case when transfers.amount > 0 then " ~ receivable_role('transfers') ~ " else 'prepaid' end",
            'transfers.other_role'
        ) }}
    from transfers
)

select * from int_journals__transfers
