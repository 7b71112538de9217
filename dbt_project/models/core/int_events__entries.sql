-- The one stream: a row per entry on an account, with its three times, its class and the rules it is played by.
-- Entries are never edited; a mistake is another entry that names the one it undoes.
-- What could go wrong: anything read here as it is today instead of as it was known when the entry was known.
with int_events__facts as (
    select * from {{ ref('int_events__facts') }}
),

int_events__placed as (
    select * from {{ ref('int_events__placed') }}
),

int_events__versions as (
    select * from {{ ref('int_events__versions') }}
),

int_portfolio__accounts as (
    select * from {{ ref('int_portfolio__accounts') }}
),

int_portfolio__owners as (
    select * from {{ ref('int_portfolio__owners') }}
),

int_portfolio__codes as (
    select * from {{ ref('int_portfolio__codes') }}
),

int_closes__properties as (
    select * from {{ ref('int_closes__properties') }}
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

code_names as (
    select
        source_system,
        charge_code,
        code_key
    from int_portfolio__codes
    group by source_system, charge_code, code_key
),

-- What a reversal, or a transfer of one charge, takes over from the charge it names.
named as (
    select
        placed.event_key,
        facts.source_id,
        facts.due_on,
        facts.own_on,
        facts.service_from,
        facts.service_to,
        facts.responsible_person_key,
        facts.kind
    from int_events__placed as placed
    inner join int_events__facts as facts on placed.source_table = facts.source_table and placed.source_key = facts.source_key
),

described as (
    select
        placed.event_key,
        accounts.account_key,
        placed.lease_key,
        accounts.lease_id,
        facts.source_system,
        accounts.source_system as lease_system,
        placed.ledger_party,
        placed.property_key,
        owners.property_id,
        owners.entity_key,
        owners.entity_id,
        accounts.chart_key,
        facts.kind,
        facts.detail_kind,
        facts.source_table,
        facts.source_key,
        facts.source_id,
        placed.names_event_key,
        named.source_id as names_source_id,
        placed.code_key,
        codes.charge_code,
        case
            when facts.kind = 'refund_of_credit' then 'refund'
            -- Instalments of an agreement on back rent bring rent back; another transfer is what it names, if anything.
            when facts.kind = 'transfer' then coalesce(codes.category, case when facts.is_back_rent then 'rent' else 'other' end)
            else codes.category
        end as category,
        versions.gl_account,
        codes.name as code_name,
        facts.amount,
        placed.business_on,
        closes.open_from,
        placed.known_at,
        placed.recorded_assumed,
        facts.kind in ('charge_reversal', 'transfer') and named.event_key is not null as takes_over,
        case when facts.kind in ('charge_reversal', 'transfer') then coalesce(named.due_on, named.own_on, facts.due_on) else facts.due_on end as stated_due_on,
        case when facts.kind in ('charge_reversal', 'transfer') then coalesce(named.service_from, facts.service_from) else facts.service_from end as service_from,
        case when facts.kind in ('charge_reversal', 'transfer') then coalesce(named.service_to, facts.service_to) else facts.service_to end as service_to,
        placed.rent_due_day,
        coalesce(versions.is_rent_by_law, codes.counts_as_rent, facts.is_back_rent) as counts_as_rent,
        coalesce(versions.is_rent_in_forum, codes.counts_as_rent, facts.is_back_rent) as is_claimable_rent,
        codes.application_priority,
        case
            when facts.kind in ('charge_reversal', 'transfer') then coalesce(named.responsible_person_key, facts.responsible_person_key)
            else facts.responsible_person_key
        end as responsible_person_key,
        facts.payer_person_key,
        facts.payer_kind,
        placed.is_individual_billing,
        facts.designation,
        facts.covers_from,
        facts.covers_to,
        facts.is_forgiven,
        placed.is_after_move_out,
        facts.settlement_account,
        facts.settlement_role,
        facts.method,
        versions.policy_rule_key,
        versions.law_rule_key,
        facts.batch_id,
        facts.file,
        facts.row_number,
        placed.business_on > settings.as_of_on as is_future
    from int_events__placed as placed
    inner join int_events__facts as facts on placed.source_table = facts.source_table and placed.source_key = facts.source_key
    inner join int_events__versions as versions on placed.event_key = versions.event_key
    inner join int_portfolio__accounts as accounts on placed.lease_key = accounts.lease_key and placed.ledger_party = accounts.ledger_party
    inner join int_portfolio__owners as owners on versions.owner_key = owners.owner_key
    cross join int_build__settings as settings
    left join int_portfolio__codes as codes on versions.code_version_key = codes.code_version_key
    left join int_closes__properties as closes
        on
            placed.property_key = closes.property_key
            and {{ stands_on('closes', 'placed.known_at') }}
    left join named on placed.names_event_key = named.event_key
),

due as (
    select
        described.*,
        kind in ('opening_balance', 'charge', 'credit', 'correction', 'charge_reversal', 'refund_of_credit')
        or (kind = 'transfer' and amount > 0) as has_due_day
    from described
),

anchored as (
    select
        due.*,
        case when has_due_day then coalesce(stated_due_on, business_on) end as due_on,
        case when has_due_day then coalesce(service_from, stated_due_on, business_on) end as period_day
    from due
),

periods as (
    select
        anchored.*,
        case when has_due_day then {{ rent_period_from('period_day', 'rent_due_day') }} end as rent_period_from,
        {{ rent_period_from('business_on', 'rent_due_day') }} as current_period_from
    from anchored
),

int_events__entries as (
    select
        periods.event_key,
        periods.account_key,
        periods.lease_key,
        periods.lease_id,
        -- With lease_id it says whose entry this is: a lockbox may report the payment under a system of its own.
        periods.lease_system as source_system,
        periods.ledger_party,
        periods.property_key,
        periods.property_id,
        periods.entity_key,
        periods.entity_id,
        periods.chart_key,
        periods.kind,
        periods.source_table,
        periods.source_key,
        periods.source_id,
        periods.names_event_key,
        periods.names_source_id,
        periods.code_key,
        periods.charge_code,
        periods.category,
        periods.gl_account,
        {{ entry_description('periods') }} as description,
        periods.amount,
        periods.business_on,
        {{ accounting_day('periods.business_on', 'periods.open_from') }} as accounting_on,
        periods.known_at as recorded_at,
        periods.recorded_assumed,
        periods.due_on,
        periods.has_due_day and periods.stated_due_on is null as due_defaulted,
        case when periods.has_due_day then periods.business_on end as posted_on,
        periods.service_from,
        periods.service_to,
        periods.rent_period_from,
        case when periods.has_due_day then {{ rent_period_to('periods.rent_period_from', 'periods.rent_due_day') }} end as rent_period_to,
        periods.current_period_from,
        periods.counts_as_rent,
        periods.is_claimable_rent,
        periods.application_priority,
        periods.responsible_person_key,
        periods.payer_person_key,
        periods.payer_kind,
        periods.is_individual_billing,
        case
            when periods.designation is null or periods.designation in ('rent', 'fees', 'written_off') then periods.designation
            else 'code'
        end as designation,
        -- A code that nobody defined is kept: money designated to it pays nothing else and waits.
        case
            when periods.designation not in ('rent', 'fees', 'written_off')
                then coalesce(own_codes.code_key, shared_codes.code_key, periods.source_system || ':' || periods.designation)
        end as designation_code_key,
        periods.covers_from,
        periods.covers_to,
        periods.is_forgiven,
        periods.is_after_move_out,
        periods.settlement_account,
        periods.settlement_role,
        periods.method,
        case when periods.kind = 'transfer' then periods.detail_kind end as transfer_kind,
        periods.detail_kind,
        periods.kind in ('charge_reversal', 'payment_return') or (periods.kind in ('write_off', 'deposit_applied') and periods.amount > 0) as is_undoing,
        cast(periods.policy_rule_key as integer) as policy_rule_key,
        cast(periods.law_rule_key as integer) as law_rule_key,
        periods.event_key as tie_rank,
        periods.rent_due_day,
        periods.batch_id,
        periods.file,
        periods.row_number,
        periods.is_future
    from periods
    left join code_names as own_codes on periods.designation = own_codes.charge_code and periods.source_system = own_codes.source_system
    left join code_names as shared_codes on periods.designation = shared_codes.charge_code and shared_codes.source_system = 'default'
)

select * from int_events__entries
