-- What was charged against what lease, code, party and rent period, with all that corrects or undoes it: one row for each
-- charge that a schedule, a program or a posting run should have made. Charges made by hand on other codes are no part.
-- What could go wrong: a true-up counted as a second charge, or a charge that was taken back counted as posted.
with int_ledger__entries as (
    select * from {{ ref('int_ledger__entries') }} where not is_future
),

int_events__charge_details as (
    select * from {{ ref('int_events__charge_details') }}
),

int_billing__obligations as (
    select * from {{ ref('int_billing__obligations') }}
),

int_portfolio__codes as (
    select * from {{ ref('int_portfolio__codes') }} where known_to is null
),

codes as (
    {{ latest_of('int_portfolio__codes', 'code_key', ['category', 'is_recurring']) }}
),

families as (
    select distinct
        lease_key,
        code_key,
        ledger_party
    from int_billing__obligations
),

-- Programs true up on codes of their own: what such a row corrects is the line of the same kind in its own month.
certified as (
    select
        obligations.lease_key,
        obligations.ledger_party,
        codes.category,
        min(obligations.code_key) as code_key
    from int_billing__obligations as obligations
    inner join codes on obligations.code_key = codes.code_key
    where obligations.origin = 'certification'
    group by obligations.lease_key, obligations.ledger_party, codes.category
),

roots as (
    select
        entries.event_key,
        entries.source_key as charge_key,
        entries.source_id as charge_id,
        entries.source_system,
        entries.lease_key,
        entries.lease_id,
        entries.property_key,
        entries.property_id,
        entries.code_key,
        entries.charge_code,
        entries.category,
        entries.ledger_party,
        entries.responsible_person_key,
        entries.rent_period_from as period_from,
        coalesce(entries.service_from, entries.due_on) as service_from,
        entries.service_to,
        entries.due_on,
        entries.business_on as posted_on,
        entries.amount,
        details.schedule_id,
        details.schedule_key,
        details.posting_run_id,
        details.concession_id,
        details.proration_method,
        entries.batch_id,
        entries.file,
        entries.row_number
    from int_ledger__entries as entries
    inner join int_events__charge_details as details on entries.source_key = details.charge_key and entries.source_table = 'charges'
    left join families on entries.lease_key = families.lease_key and entries.code_key = families.code_key and entries.ledger_party = families.ledger_party
    left join codes on entries.code_key = codes.code_key
    where
        entries.names_event_key is null
        and entries.kind in ('charge', 'credit')
        and (details.schedule_id is not null or families.lease_key is not null or (details.posting_run_id is not null and codes.is_recurring and entries.category <> 'tax'))
),

changed as (
    select
        entries.names_event_key as event_key,
        sum(entries.amount) as changed_amount,
        max(case when entries.kind = 'charge_reversal' then 1 else 0 end) as has_reversal
    from int_ledger__entries as entries
    where entries.names_event_key is not null and entries.source_table = 'charges'
    group by entries.names_event_key
),

true_ups as (
    select
        entries.event_key,
        entries.source_key as charge_key,
        entries.source_id as charge_id,
        entries.source_system,
        entries.lease_key,
        entries.lease_id,
        entries.property_key,
        entries.property_id,
        certified.code_key,
        certified.category,
        entries.charge_code,
        entries.ledger_party,
        entries.rent_period_from as period_from,
        entries.service_from,
        entries.service_to,
        entries.due_on,
        entries.business_on as posted_on,
        entries.amount,
        entries.batch_id,
        entries.file,
        entries.row_number
    from int_ledger__entries as entries
    inner join certified
        on
            entries.lease_key = certified.lease_key
            and entries.ledger_party = certified.ledger_party
            and (
                entries.category = certified.category
                or (entries.category = 'adjustment' and entries.counts_as_rent and certified.category = 'rent')
            )
    left join families on entries.lease_key = families.lease_key and entries.code_key = families.code_key and entries.ledger_party = families.ledger_party
    where
        entries.source_table = 'charges'
        and entries.names_event_key is null
        and entries.service_from is not null
        and families.lease_key is null
),

named as (
    select
        roots.charge_key,
        roots.charge_id,
        roots.source_system,
        roots.lease_key,
        roots.lease_id,
        roots.property_key,
        roots.property_id,
        roots.code_key,
        roots.charge_code,
        roots.category,
        roots.ledger_party,
        roots.period_from,
        roots.service_from,
        roots.service_to,
        roots.due_on,
        roots.posted_on,
        roots.amount as first_amount,
        {{ money('roots.amount + coalesce(changed.changed_amount, 0)') }} as posted_amount,
        coalesce(changed.has_reversal, 0) = 1 as is_reversed,
        roots.schedule_id,
        roots.schedule_key,
        roots.posting_run_id,
        roots.concession_id,
        roots.proration_method,
        roots.batch_id,
        roots.file,
        roots.row_number,
        false as is_true_up
    from roots
    left join changed on roots.event_key = changed.event_key
),

int_billing__charged as (
    select * from named
    union all
    select
        true_ups.charge_key,
        true_ups.charge_id,
        true_ups.source_system,
        true_ups.lease_key,
        true_ups.lease_id,
        true_ups.property_key,
        true_ups.property_id,
        true_ups.code_key,
        true_ups.charge_code,
        true_ups.category,
        true_ups.ledger_party,
        true_ups.period_from,
        true_ups.service_from,
        true_ups.service_to,
        true_ups.due_on,
        true_ups.posted_on,
        true_ups.amount as first_amount,
        {{ money('true_ups.amount + coalesce(changed.changed_amount, 0)') }} as posted_amount,
        coalesce(changed.has_reversal, 0) = 1 as is_reversed,
        cast(null as string) as schedule_id,
        cast(null as string) as schedule_key,
        cast(null as string) as posting_run_id,
        cast(null as string) as concession_id,
        cast(null as string) as proration_method,
        true_ups.batch_id,
        true_ups.file,
        true_ups.row_number,
        true as is_true_up
    from true_ups
    left join changed on true_ups.event_key = changed.event_key
)

select * from int_billing__charged
