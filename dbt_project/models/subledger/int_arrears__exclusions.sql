-- What a claim for rent leaves out, entry by entry, each with the reason: charges that are no rent to the forum, rent that
-- is not due yet, money meant for something else, and the rent deposit. A reversal or credit stands beside its charge, so
-- that the rows of a class add up to its line of the bridge.
with int_arrears__entries as (
    select * from {{ ref('int_arrears__entries') }}
    where arrears_class in ('not_claimable', 'claimed_apart', 'rent_not_due', 'money_for_other', 'rent_deposit')
),

rule_charge_treatments as (
    select * from {{ ref('rule_charge_treatments') }}
),

int_arrears__forums as (
    select * from {{ ref('int_arrears__forums') }}
),

int_portfolio__accounts as (
    select * from {{ ref('int_portfolio__accounts') }}
),

int_arrears__exclusions as (
    select
        entries.forum,
        entries.account_key,
        entries.event_key,
        entries.source_system,
        entries.lease_id,
        entries.property_id,
        entries.as_of_on as as_of,
        entries.arrears_class,
        entries.kind,
        entries.source_table,
        entries.source_id,
        entries.charge_code,
        entries.category,
        entries.business_on,
        entries.due_on,
        entries.amount,
        case when entries.arrears_class in ('not_claimable', 'claimed_apart') then treatments.treatment end as treatment,
        case
            when entries.arrears_class = 'rent_not_due' then 'rent that is not due on the day of the figure'
            when entries.arrears_class = 'money_for_other' then 'the payer designated it to something other than rent'
            when entries.arrears_class = 'rent_deposit' then 'a rent deposit pays the last rent of the tenancy and is not set against arrears'
            else coalesce(treatments.reason, 'the charge code does not count as rent')
        end as reason,
        case
            when entries.arrears_class in ('not_claimable', 'claimed_apart') then coalesce(treatments.citation, forums.citation)
            else forums.citation
        end as citation
    from int_arrears__entries as entries
    inner join int_portfolio__accounts as accounts on entries.account_key = accounts.account_key
    inner join int_arrears__forums as forums on entries.forum = forums.forum and accounts.property_key = forums.property_key
    left join rule_charge_treatments as treatments on entries.treatment_key = treatments.treatment_key
)

select * from int_arrears__exclusions
