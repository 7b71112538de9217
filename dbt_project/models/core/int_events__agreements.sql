-- Repayment agreements on unreported income: what signing one makes owed under it, and what cancelling one drops.
-- Back rent needs no row here, because a transfer moves it out of the ledger. What is left at a cancellation is read as
-- known then: a later instalment dated earlier changes no booking that was made.
with int_events__facts as (
    select * from {{ ref('int_events__facts') }}
),

int_events__known as (
    select * from {{ ref('int_events__known') }}
),

stg_transfers as (
    select * from {{ ref('stg_transfers') }}
),

int_portfolio__leases as (
    select * from {{ ref('int_portfolio__leases') }}
),

int_portfolio__owners as (
    select * from {{ ref('int_portfolio__owners') }}
),

int_portfolio__entities as (
    select * from {{ ref('int_portfolio__entities') }}
),

int_closes__properties as (
    select * from {{ ref('int_closes__properties') }}
),

placed as (
    select
        facts.*,
        known.property_key,
        known.business_on,
        known.known_at,
        known.recorded_assumed,
        coalesce(facts.names_key, facts.source_key) as agreement_key
    from int_events__facts as facts
    inner join int_events__known as known on facts.source_table = known.source_table and facts.source_key = known.source_key
    where facts.kind in ('agreement_signed', 'agreement_cancelled')
),

-- What went from the agreement to the ledger: instalments that fell due, and what an end put back.
moved as (
    select
        transfers.agreement_key,
        transfers.amount,
        known.business_on,
        known.known_at
    from stg_transfers as transfers
    inner join int_events__known as known
        on known.source_table = 'transfers' and known.source_key = transfers.transfer_key || ':in'
    where transfers.kind in ('agreement_instalment', 'agreement_end')
),

left_over as (
    select
        cancelled.source_key,
        max(signed.amount) - coalesce(sum(moved.amount), 0) as amount
    from placed as cancelled
    inner join placed as signed on cancelled.agreement_key = signed.agreement_key and signed.kind = 'agreement_signed'
    left join moved
        on
            cancelled.agreement_key = moved.agreement_key
            and moved.business_on <= cancelled.business_on
            and moved.known_at <= cancelled.known_at
    where cancelled.kind = 'agreement_cancelled'
    group by cancelled.source_key
),

owned as (
    select
        placed.source_table,
        placed.source_key,
        max_by(owners.owner_key, {{ owner_fit('owners', 'placed.business_on') }}) as owner_key
    from placed
    inner join int_portfolio__owners as owners
        on
            placed.property_key = owners.property_key
            and {{ known_when('owners', 'placed.known_at') }}
    group by placed.source_table, placed.source_key
),

int_events__agreements as (
    select
        placed.kind,
        placed.source_table,
        placed.source_key,
        placed.source_id,
        placed.source_system,
        placed.lease_key,
        leases.lease_id,
        placed.stated_party as ledger_party,
        placed.property_key,
        leases.property_id,
        owners.entity_key,
        owners.entity_id,
        entities.chart_key,
        placed.code_key as charge_code,
        cast(case when placed.kind = 'agreement_signed' then placed.amount else -left_over.amount end as decimal(18, 2)) as amount,
        placed.business_on,
        {{ accounting_day('placed.business_on', 'closes.open_from') }} as accounting_on,
        placed.known_at as recorded_at,
        placed.recorded_assumed,
        placed.batch_id,
        placed.file,
        placed.row_number
    from placed
    inner join owned on placed.source_table = owned.source_table and placed.source_key = owned.source_key
    inner join int_portfolio__owners as owners on owned.owner_key = owners.owner_key
    inner join int_portfolio__leases as leases on placed.lease_key = leases.lease_key
    left join left_over on placed.source_key = left_over.source_key and placed.kind = 'agreement_cancelled'
    left join int_portfolio__entities as entities on owners.entity_key = entities.entity_key
    left join int_closes__properties as closes
        on
            placed.property_key = closes.property_key
            and {{ stands_on('closes', 'placed.known_at') }}
)

select * from int_events__agreements
