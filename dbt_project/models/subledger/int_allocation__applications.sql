-- The journal of applications, named and booked: which money paid which charge, under which rules, and what undid it.
-- It only ever grows. A row is booked on its own accounting date: that of the day it applies, unless the month was closed
-- when the row became known. What could go wrong: booking rows on the day they apply, which would move a closed month.
with int_allocation__journal as (
    select * from {{ ref('int_allocation__journal') }} where row_kind = 'application' and what_if_key is null
),

int_allocation__ids as (
    select * from {{ ref('int_allocation__ids') }}
),

int_events__entries as (
    select * from {{ ref('int_events__entries') }}
),

int_portfolio__owners as (
    select * from {{ ref('int_portfolio__owners') }}
),

int_closes__properties as (
    select * from {{ ref('int_closes__properties') }}
),

rule_application as (
    select * from {{ ref('rule_application') }}
),

-- Nearly every property has had one owner as far as the books know, and then there is nothing to choose.
owner_versions as (
    select
        property_key,
        count(*) as versions
    from int_portfolio__owners
    group by property_key
),

single_owners as (
    select owners.*
    from int_portfolio__owners as owners
    inner join owner_versions on owners.property_key = owner_versions.property_key and owner_versions.versions = 1
),

owned as (
    select
        journal.journal_seq,
        max_by(owners.entity_key, {{ owner_fit('owners', 'journal.applied_on') }}) as entity_key,
        max_by(owners.entity_id, {{ owner_fit('owners', 'journal.applied_on') }}) as entity_id
    from int_allocation__journal as journal
    inner join int_events__entries as targets on journal.target_event_key = targets.event_key
    inner join owner_versions on targets.property_key = owner_versions.property_key and owner_versions.versions > 1
    inner join int_portfolio__owners as owners
        on
            targets.property_key = owners.property_key
            and {{ known_when('owners', 'journal.known_at') }}
    group by journal.journal_seq
),

int_allocation__applications as (
    select
        ids.row_id as application_id,
        journal.account_key,
        targets.lease_key,
        targets.lease_id,
        targets.source_system,
        targets.ledger_party,
        targets.property_key,
        targets.property_id,
        coalesce(single_owners.entity_key, owned.entity_key) as entity_key,
        coalesce(single_owners.entity_id, owned.entity_id) as entity_id,
        targets.chart_key,
        journal.source_event_key,
        sources.kind as source_kind,
        sources.source_table,
        sources.source_id,
        journal.target_event_key,
        targets.kind as target_kind,
        targets.source_table as target_table,
        targets.source_id as charge_id,
        targets.counts_as_rent,
        {{ minor_to_money('journal.amount_minor') }} as amount,
        journal.applied_on,
        {{ accounting_day('journal.applied_on', 'closes.open_from') }} as accounting_on,
        journal.known_at as recorded_at,
        policies.rule_id,
        policies.version as rule_version,
        laws.rule_id as law_rule_id,
        laws.version as law_rule_version,
        case
            when journal.law_step is null and journal.policy_step is null then 'own'
            else coalesce(cast(journal.law_step as string) || '.', '') || coalesce(cast(journal.policy_step as string), 'rest')
        end as step,
        undone.row_id as reverses_application_id,
        journal.reason,
        journal.cause_event_key,
        journal.journal_seq,
        journal.occurrence
    from int_allocation__journal as journal
    inner join int_allocation__ids as ids on journal.journal_seq = ids.journal_seq
    inner join int_events__entries as sources on journal.source_event_key = sources.event_key
    inner join int_events__entries as targets on journal.target_event_key = targets.event_key
    left join single_owners
        on
            targets.property_key = single_owners.property_key
            and {{ known_when('single_owners', 'journal.known_at') }}
    left join owned on journal.journal_seq = owned.journal_seq
    left join int_allocation__ids as undone on journal.reverses_seq = undone.journal_seq
    left join rule_application as policies on journal.policy_rule_key = policies.rule_key
    left join rule_application as laws on journal.law_rule_key = laws.rule_key
    left join int_closes__properties as closes
        on
            targets.property_key = closes.property_key
            and {{ stands_on('closes', 'journal.known_at') }}
    where coalesce(single_owners.entity_key, owned.entity_key) is not null
)

select * from int_allocation__applications
