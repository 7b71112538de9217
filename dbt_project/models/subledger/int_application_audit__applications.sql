-- Payment by payment and charge by charge: what the system of record applied, and what the rule in force applied.
-- Both journals are netted up to the build's day, so a reversal that the system wrote leaves no difference behind.
-- What could go wrong: an effect counted on a charge that was reversed, or on rent that is not yet due.
with int_application_audit__sources as (
    select * from {{ ref('int_application_audit__sources') }}
),

int_events__source_applications as (
    select * from {{ ref('int_events__source_applications') }}
),

int_allocation__applications as (
    select * from {{ ref('int_allocation__applications') }}
),

int_events__entries as (
    select * from {{ ref('int_events__entries') }}
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

-- Payments that bring written-off debt back: to the system that charge is settled, and nothing of it is owed there.
recoveries as (
    select
        journal.source_event_key,
        sum(journal.amount_minor) as recovered_minor
    from {{ ref('int_allocation__journal') }} as journal
    cross join int_build__settings as settings
    where journal.row_kind = 'recovery' and journal.what_if_key is null and journal.applied_on <= settings.as_of_on
    group by journal.source_event_key
    having sum(journal.amount_minor) <> 0
),

stated as (
    select
        stated.payment_key,
        stated.target_event_key,
        case when stated.target_event_key is null then stated.charge_key end as unknown_charge_key,
        max(stated.charge_id) as charge_id,
        sum(stated.amount) as system_applied,
        max(stated.applied_on) as system_applied_on
    from int_events__source_applications as stated
    cross join int_build__settings as settings
    where stated.applied_on <= settings.as_of_on
    group by stated.payment_key, stated.target_event_key, case when stated.target_event_key is null then stated.charge_key end
),

ours as (
    select
        sources.payment_key,
        applications.target_event_key,
        applications.amount,
        applications.applied_on,
        applications.rule_id,
        applications.rule_version,
        applications.law_rule_id,
        applications.law_rule_version,
        row_number() over (
            partition by sources.payment_key, applications.target_event_key order by applications.journal_seq desc
        ) as from_last
    from int_allocation__applications as applications
    inner join int_application_audit__sources as sources on applications.source_event_key = sources.source_event_key
    cross join int_build__settings as settings
    where applications.applied_on <= settings.as_of_on
),

by_rule as (
    select
        payment_key,
        target_event_key,
        sum(amount) as rule_applied,
        max(applied_on) as rule_applied_on,
        max(case when from_last = 1 then rule_id end) as rule_id,
        max(case when from_last = 1 then rule_version end) as rule_version,
        max(case when from_last = 1 then law_rule_id end) as law_rule_id,
        max(case when from_last = 1 then law_rule_version end) as law_rule_version
    from ours
    group by payment_key, target_event_key
),

compared as (
    select
        coalesce(stated.payment_key, by_rule.payment_key) as payment_key,
        coalesce(stated.target_event_key, by_rule.target_event_key) as target_event_key,
        stated.unknown_charge_key,
        stated.charge_id as unknown_charge_id,
        coalesce(stated.system_applied, 0) as system_applied,
        stated.system_applied_on,
        coalesce(by_rule.rule_applied, 0) as rule_applied,
        by_rule.rule_applied_on,
        by_rule.payment_key is not null as has_rule,
        by_rule.rule_id,
        by_rule.rule_version,
        by_rule.law_rule_id,
        by_rule.law_rule_version
    from stated
    full outer join by_rule
        on stated.payment_key = by_rule.payment_key and stated.target_event_key = by_rule.target_event_key
    where coalesce(stated.system_applied, 0) <> 0 or coalesce(by_rule.rule_applied, 0) <> 0
),

reversed as (
    select distinct names_event_key
    from int_events__entries
    where kind = 'charge_reversal' and not is_future
),

classed as (
    select
        compared.*,
        targets.source_table as target_table,
        coalesce(targets.source_id, compared.unknown_charge_id) as charge_id,
        targets.kind as target_kind,
        targets.charge_code,
        targets.category,
        coalesce(targets.counts_as_rent, false) as counts_as_rent,
        not coalesce(targets.counts_as_rent, false) and coalesce(targets.category in {{ listed(fee_categories()) }}, false) as is_fee,
        targets.due_on,
        targets.event_key is not null and reversed.names_event_key is null and not targets.is_future as is_live,
        recoveries.source_event_key is not null and compared.system_applied = 0 as is_recovery,
        coalesce(targets.due_on <= settings.as_of_on, false) as is_due,
        coalesce(targets.due_on < settings.as_of_on, false) as is_overdue,
        case
            when recoveries.source_event_key is not null and compared.system_applied = 0 then 0
            else compared.rule_applied - compared.system_applied
        end as open_effect
    from compared
    cross join int_build__settings as settings
    inner join int_application_audit__sources as sources on compared.payment_key = sources.payment_key
    left join recoveries on sources.source_event_key = recoveries.source_event_key
    left join int_events__entries as targets on compared.target_event_key = targets.event_key
    left join reversed on compared.target_event_key = reversed.names_event_key
),

int_application_audit__applications as (
    select
        sources.payment_key,
        sources.source_system,
        sources.payment_id,
        sources.entity_id,
        sources.property_key,
        sources.property_id,
        sources.lease_id,
        sources.ledger_party,
        sources.received_on,
        classed.target_event_key,
        classed.unknown_charge_key,
        classed.target_table,
        classed.charge_id,
        classed.target_kind,
        classed.charge_code,
        classed.category,
        classed.counts_as_rent,
        classed.is_fee,
        classed.due_on,
        {{ money('classed.system_applied') }} as system_applied,
        classed.system_applied_on,
        {{ money('classed.rule_applied') }} as rule_applied,
        classed.rule_applied_on,
        {{ money('classed.system_applied - classed.rule_applied') }} as difference,
        {{ money('case when classed.is_live and classed.counts_as_rent and classed.is_due then classed.open_effect else 0 end') }} as rent_arrears_effect,
        {{ money('case when classed.is_live and classed.is_fee then classed.open_effect else 0 end') }} as fees_effect,
        {{ money('case when classed.is_live and classed.is_overdue then classed.open_effect else 0 end') }} as overdue_effect,
        case when classed.has_rule then classed.rule_id else sources.rule_id end as rule_id,
        case when classed.has_rule then classed.rule_version else sources.rule_version end as rule_version,
        case when classed.has_rule then classed.law_rule_id else sources.law_rule_id end as law_rule_id,
        case when classed.has_rule then classed.law_rule_version else sources.law_rule_version end as law_rule_version,
        case
            when classed.target_event_key is null then 'unknown_charge'
            when not sources.is_on_account then 'payment_not_on_account'
            when classed.system_applied = classed.rule_applied then 'same'
            when not classed.is_live then 'charge_reversed'
            when classed.is_recovery then 'recovered_write_off'
            when classed.rule_applied = 0 then 'system_only'
            when classed.system_applied = 0 then 'rule_only'
            else 'other_amount'
        end as finding
    from classed
    inner join int_application_audit__sources as sources on classed.payment_key = sources.payment_key
)

select * from int_application_audit__applications
