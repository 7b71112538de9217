-- Every entry of a resident account up to the build's day, sorted into what it is to someone who hears a claim for rent:
-- rent that is due, rent not due yet, money that counts, money that does not, charges that may not be claimed, and the rest.
-- Each entry falls into exactly one class: the bridge from ledger balance to claim is their sum, so nothing can be lost.
with int_ledger__entries as (
    select * from {{ ref('int_ledger__entries') }}
),

int_portfolio__codes as (
    select * from {{ ref('int_portfolio__codes') }}
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

rule_forums as (
    select * from {{ ref('rule_forums') }} where forum = 'earliest_rent'
),

designated_codes as (
    select code_key, max_by(counts_as_rent, valid_from) as counts_as_rent
    from int_portfolio__codes
    group by code_key
),

entries as (
    select
        entries.event_key,
        entries.names_event_key,
        entries.account_key,
        entries.source_system,
        entries.lease_key,
        entries.lease_id,
        entries.property_id,
        entries.kind,
        entries.source_table,
        entries.source_key,
        entries.source_id,
        entries.category,
        entries.amount,
        entries.business_on,
        entries.due_on,
        entries.rent_period_from,
        entries.rent_period_to,
        entries.current_period_from,
        entries.rent_due_day,
        entries.entry_seq,
        entries.detail_kind,
        -- A concession or a subsidy credit is on the rent whatever its code says.
        entries.is_claimable_rent
        or (entries.kind in ('credit', 'charge_reversal') and coalesce(entries.category, '') in ('concession', 'subsidy')) as is_rent,
        case
            when entries.designation in ('fees', 'written_off') then false
            when entries.designation = 'code' then coalesce(designated_codes.counts_as_rent, false)
            else true
        end as is_money_for_rent,
        settings.as_of_on
    from int_ledger__entries as entries
    cross join int_build__settings as settings
    left join designated_codes on entries.designation_code_key = designated_codes.code_key
    where entries.ledger_party = 'resident' and entries.business_on <= settings.as_of_on
),

-- A credit or correction that names a charge is what that charge is; a return is what its payment is.
linked as (
    select
        entries.*,
        case
            when entries.kind in ('credit', 'correction') and named.event_key is not null then named.is_rent
            else entries.is_rent
        end as claims_rent,
        case when entries.kind = 'payment_return' then coalesce(named.is_money_for_rent, true) else entries.is_money_for_rent end as counts_for_rent,
        case
            when entries.detail_kind = 'rent_deposit' or named.detail_kind = 'rent_deposit' then true
            else false
        end as is_rent_deposit
    from entries
    left join entries as named on entries.names_event_key = named.event_key
),

classed as (
    select
        rule_forums.forum,
        linked.*,
        case
            -- What was waiting when the books began here was paid by somebody.
            when kind = 'opening_balance' and amount < 0 then 'money'
            when kind in ('opening_balance', 'charge', 'correction', 'credit', 'charge_reversal') and claims_rent
                then case
                    when kind = 'credit' and rent_period_from <= as_of_on then 'rent_due'
                    when due_on <= as_of_on and kind <> 'credit' then 'rent_due'
                    else 'rent_not_due'
                end
            when kind in ('opening_balance', 'charge', 'correction', 'credit', 'charge_reversal') then 'not_claimable'
            when kind in ('payment', 'payment_return') and counts_for_rent then 'money'
            when kind in ('payment', 'payment_return') then 'money_for_other'
            when kind = 'deposit_applied' and is_rent_deposit and rule_forums.rent_deposit = 'leave_out' then 'rent_deposit'
            when kind in ('deposit_applied', 'refund_of_credit') then 'money'
            when kind in ('write_off', 'write_off_recovery') then 'write_off'
            else 'transfer'
        end as arrears_class
    from linked
    cross join rule_forums
),

int_arrears__entries as (
    select
        forum,
        event_key,
        names_event_key,
        account_key,
        source_system,
        lease_key,
        lease_id,
        property_id,
        kind,
        source_table,
        source_key,
        source_id,
        coalesce(category, 'other') as category,
        amount,
        business_on,
        coalesce(rent_period_from, current_period_from) as period_from,
        coalesce(rent_period_to, {{ rent_period_to('current_period_from', 'rent_due_day') }}) as period_to,
        entry_seq,
        arrears_class,
        as_of_on
    from classed
)

select * from int_arrears__entries
