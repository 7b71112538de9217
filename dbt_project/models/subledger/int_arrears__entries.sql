-- Every entry of a resident account up to the build's day, sorted into what it is to someone who hears a claim for rent:
-- rent that is due, rent not due yet, money that counts, money that does not, charges that may not be claimed, and the rest.
-- Each entry falls into exactly one class: the bridge from ledger balance to claim is their sum, so nothing can be lost.
-- Where a forum deducts a rent deposit that is still held, it stands here as money of its own, outside the ledger.
with int_ledger__entries as (
    select * from {{ ref('int_ledger__entries') }}
),

int_portfolio__codes as (
    select * from {{ ref('int_portfolio__codes') }}
),

int_portfolio__accounts as (
    select * from {{ ref('int_portfolio__accounts') }} where ledger_party = 'resident'
),

int_events__deposits as (
    select * from {{ ref('int_events__deposits') }} where is_rent_deposit and ledger_party = 'resident'
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

int_arrears__forums as (
    select * from {{ ref('int_arrears__forums') }}
),

rule_charge_treatments as (
    select * from {{ ref('rule_charge_treatments') }}
),

-- What a payment names is what its code was on the day of the payment, as known when the payment was.
designated_codes as (
    select
        entries.event_key,
        max_by(codes.counts_as_rent, {{ version_fit('codes', 'entries.business_on', 'entries.recorded_at') }}) as counts_as_rent
    from int_ledger__entries as entries
    inner join int_portfolio__codes as codes on entries.designation_code_key = codes.code_key
    group by entries.event_key
),

entries as (
    select
        entries.event_key,
        entries.names_event_key,
        entries.account_key,
        accounts.property_key as home_property_key,
        entries.source_system,
        entries.lease_key,
        entries.lease_id,
        entries.property_id,
        entries.kind,
        entries.source_table,
        entries.source_key,
        entries.source_id,
        entries.code_key,
        entries.charge_code,
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
        entries.designation,
        entries.designation_code_key,
        entries.covers_from,
        entries.covers_to,
        entries.is_claimable_rent,
        -- A concession or a subsidy credit is on the rent whatever its code says.
        entries.kind in ('credit', 'charge_reversal') and coalesce(entries.category, '') in {{ listed(lowering_categories()) }} as is_rent_credit,
        case
            when entries.designation in ('fees', 'written_off') then false
            when entries.designation = 'code' then coalesce(designated_codes.counts_as_rent, false)
            else true
        end as is_money_for_rent,
        settings.as_of_on
    from int_ledger__entries as entries
    inner join int_portfolio__accounts as accounts on entries.account_key = accounts.account_key
    cross join int_build__settings as settings
    left join designated_codes on entries.event_key = designated_codes.event_key
    where entries.business_on <= settings.as_of_on
),

-- What the law of the place says on the build's day of a class of charge, asked for the forum's purpose. The most local
-- row decides, one for a code before one for its category, the later start before the earlier.
classes as (
    select distinct
        home_property_key,
        charge_code,
        category
    from entries
    where category is not null
),

treated_classes as (
    select
        forums.forum,
        classes.home_property_key,
        classes.charge_code,
        classes.category,
        treatments.treatment_key,
        treatments.treatment,
        row_number() over (
            partition by forums.forum, classes.home_property_key, classes.charge_code, classes.category
            order by
                length(treatments.jurisdiction) desc, case when treatments.charge_code is null then 1 else 0 end,
                treatments.valid_from desc, treatments.treatment_key desc
        ) as place
    from classes
    cross join int_build__settings as settings
    inner join int_arrears__forums as forums on classes.home_property_key = forums.property_key
    inner join rule_charge_treatments as treatments
        on
            {{ covers_place('treatments.jurisdiction', 'forums.jurisdiction') }}
            and forums.purpose = treatments.purpose
            and (treatments.charge_code = classes.charge_code or (treatments.charge_code is null and treatments.category = classes.category))
            and {{ holds_on('treatments', 'forums.as_of_on') }}
            and {{ known_when('treatments', 'settings.loaded_at') }}
),

-- The built-in forum belongs to no place: it hears each charge as it was classified on its own day.
heard as (
    select
        forums.forum,
        forums.money_order,
        forums.rent_deposit,
        entries.*,
        treated.treatment_key,
        treated.treatment,
        entries.is_rent_credit or case
            when forums.is_built_in or treated.treatment is null then entries.is_claimable_rent
            else treated.treatment = 'rent'
        end as is_rent,
        coalesce(treated.treatment = 'demandable', false) and not forums.is_built_in as is_demandable
    from entries
    inner join int_arrears__forums as forums on entries.home_property_key = forums.property_key
    left join treated_classes as treated
        on
            treated.place = 1
            and forums.forum = treated.forum
            and entries.home_property_key = treated.home_property_key
            and entries.category = treated.category
            and coalesce(entries.charge_code, '') = coalesce(treated.charge_code, '')
),

-- A credit or correction that names a charge is what that charge is; a return is what its payment is.
linked as (
    select
        heard.*,
        coalesce(heard.kind in ('credit', 'correction') and named.event_key is not null, false) as is_as_named,
        case when heard.kind in ('credit', 'correction') and named.event_key is not null then named.is_rent else heard.is_rent end as claims_rent,
        case
            when heard.kind in ('credit', 'correction') and named.event_key is not null then named.is_demandable
            else heard.is_demandable
        end as claims_apart,
        case
            when heard.kind in ('credit', 'correction') and named.event_key is not null then named.treatment_key
            else heard.treatment_key
        end as claims_treatment_key,
        case when heard.kind = 'payment_return' then coalesce(named.is_money_for_rent, true) else heard.is_money_for_rent end as counts_for_rent,
        coalesce(heard.detail_kind = 'rent_deposit', false) or coalesce(named.detail_kind = 'rent_deposit', false) as is_rent_deposit
    from heard
    left join heard as named on heard.names_event_key = named.event_key and heard.forum = named.forum
),

classed as (
    select
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
            when kind in ('opening_balance', 'charge', 'correction', 'credit', 'charge_reversal') and claims_apart and due_on <= as_of_on
                then 'claimed_apart'
            when kind in ('opening_balance', 'charge', 'correction', 'credit', 'charge_reversal') then 'not_claimable'
            when kind in ('payment', 'payment_return') and counts_for_rent then 'money'
            when kind in ('payment', 'payment_return') then 'money_for_other'
            when kind = 'deposit_applied' and is_rent_deposit and rent_deposit = 'leave_out' then 'rent_deposit'
            when kind in ('deposit_applied', 'refund_of_credit') then 'money'
            when kind in ('write_off', 'write_off_recovery') then 'write_off'
            else 'transfer'
        end as arrears_class
    from linked
),

deposits_held as (
    select
        lease_key,
        sum(amount) as held
    from int_events__deposits
    cross join int_build__settings as settings
    where business_on <= settings.as_of_on
    group by lease_key
    having sum(amount) > 0
),

deducted as (
    select
        forums.forum,
        -accounts.account_key as event_key,
        accounts.account_key,
        accounts.source_system,
        accounts.lease_key,
        accounts.lease_id,
        accounts.property_id,
        deposits_held.held,
        forums.as_of_on
    from deposits_held
    inner join int_portfolio__accounts as accounts on deposits_held.lease_key = accounts.lease_key
    inner join int_arrears__forums as forums on accounts.property_key = forums.property_key and forums.rent_deposit = 'deduct'
),

int_arrears__entries as (
    select
        forum,
        event_key,
        names_event_key,
        is_as_named,
        account_key,
        source_system,
        lease_key,
        lease_id,
        property_id,
        kind,
        source_table,
        source_key,
        source_id,
        code_key,
        charge_code,
        coalesce(category, 'other') as category,
        claims_treatment_key as treatment_key,
        amount,
        business_on,
        due_on,
        coalesce(rent_period_from, current_period_from) as period_from,
        coalesce(rent_period_to, {{ rent_period_to('current_period_from', 'rent_due_day') }}) as period_to,
        designation,
        designation_code_key,
        case
            when money_order = 'payer_direction_then_earliest_rent' and coalesce(covers_from, covers_to) is not null
                then coalesce(covers_from, date '0001-01-01')
            when money_order = 'current_month_first' then current_period_from
        end as directed_from,
        case
            when money_order = 'payer_direction_then_earliest_rent' and coalesce(covers_from, covers_to) is not null
                then coalesce(covers_to, date '9999-12-31')
            when money_order = 'current_month_first' then current_period_from
        end as directed_to,
        entry_seq,
        arrears_class,
        as_of_on
    from classed
    union all
    select
        forum,
        event_key,
        cast(null as bigint) as names_event_key,
        false as is_as_named,
        account_key,
        source_system,
        lease_key,
        lease_id,
        property_id,
        'deposit_held' as kind,
        'deposit_movements' as source_table,
        lease_key as source_key,
        'deposit held: ' || lease_id as source_id,
        cast(null as string) as code_key,
        cast(null as string) as charge_code,
        'deposit' as category,
        cast(null as integer) as treatment_key,
        {{ money('-held') }} as amount,
        as_of_on as business_on,
        cast(null as date) as due_on,
        as_of_on as period_from,
        as_of_on as period_to,
        cast(null as string) as designation,
        cast(null as string) as designation_code_key,
        cast(null as date) as directed_from,
        cast(null as date) as directed_to,
        cast(9223372036854775807 as bigint) as entry_seq,
        'money' as arrears_class,
        as_of_on
    from deducted
)

select * from int_arrears__entries
