-- Where a debt that was moved came from: the entry that brings it back to an account (an instalment of an agreement, what an
-- agreement's end put back, the other leg of a transfer) beside the entries that took it away. An agreement on income
-- that was never reported took nothing away; it says so. A row per entry brought and entry taken.
with int_events__entries as (
    select * from {{ ref('int_events__entries') }} where kind = 'transfer'
),

stg_transfers as (
    select * from {{ ref('stg_transfers') }}
),

stg_repayment_agreements as (
    select * from {{ ref('stg_repayment_agreements') }} where version_no = 1
),

legs as (
    select
        entries.event_key,
        entries.transfer_kind,
        entries.amount,
        transfers.transfer_key,
        transfers.agreement_key,
        coalesce(agreements.kind = 'unreported_income', false) as is_unreported
    from int_events__entries as entries
    inner join stg_transfers as transfers
        on {{ journal_source_key('entries') }} = transfers.transfer_key
    left join stg_repayment_agreements as agreements on transfers.agreement_key = agreements.agreement_key
),

brought as (
    select * from legs where amount > 0
),

taken as (
    select * from legs where amount < 0
),

int_events__moved_debts as (
    select
        brought.event_key,
        taken.event_key as taken_event_key,
        brought.is_unreported
    from brought
    inner join taken on brought.transfer_key = taken.transfer_key
    where brought.transfer_kind = 'account'
    union all
    select
        brought.event_key,
        taken.event_key,
        brought.is_unreported
    from brought
    left join taken
        on
            brought.agreement_key = taken.agreement_key
            and taken.transfer_kind = 'agreement_out'
    where brought.transfer_kind <> 'account'
)

select * from int_events__moved_debts
