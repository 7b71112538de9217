-- Money without a home: what was received for no lease, what came back, and what a match moved out to its account.
-- A match moves the payment and the returns known before it together, each at its own business date, known at the match.
-- What could go wrong: a return booked on the account while its payment still sits in suspense, or the other way round.
with int_events__facts as (
    select * from {{ ref('int_events__facts') }} where source_table in ('payments', 'payment_reversals') and lease_key is null
),

match_facts as (
    select * from {{ ref('int_events__facts') }} where kind = 'match'
),

int_events__known as (
    select * from {{ ref('int_events__known') }}
),

int_portfolio__leases as (
    select * from {{ ref('int_portfolio__leases') }}
),

int_closes__entities as (
    select * from {{ ref('int_closes__entities') }}
),

matches as (
    select
        match_facts.names_key as payment_key,
        match_facts.lease_key,
        match_facts.source_table = 'payment_matches' as is_by_hand,
        leases.lease_id,
        leases.property_key,
        leases.property_id,
        known.known_at
    from match_facts
    inner join int_events__known as known on match_facts.source_table = known.source_table and match_facts.source_key = known.source_key
    inner join int_portfolio__leases as leases on match_facts.lease_key = leases.lease_key
),

unplaced as (
    select
        facts.*,
        known.business_on,
        known.known_at,
        known.recorded_assumed,
        matches.lease_id as matched_lease_id,
        matches.property_key as matched_property_key,
        matches.property_id as matched_property_id,
        matches.known_at as matched_at
    from int_events__facts as facts
    inner join int_events__known as known on facts.source_table = known.source_table and facts.source_key = known.source_key
    left join matches
        on matches.payment_key = case when facts.source_table = 'payments' then facts.source_key else facts.names_key end
    -- A return that became known with the match or after it never was in suspense.
    -- Nor was a payment whose lease turned up before any close, in the books of which it always was that lease's.
    where matches.known_at is null or known.known_at < matches.known_at or (facts.source_table = 'payments' and matches.is_by_hand)
),

movements as (
    select
        unplaced.*,
        case when source_table = 'payments' then 'received' else 'returned' end as movement,
        -amount as moved,
        known_at as moved_at
    from unplaced
    union all
    select
        unplaced.*,
        'matched_out' as movement,
        amount as moved,
        matched_at as moved_at
    from unplaced
    where matched_at is not null
),

int_events__suspense as (
    select
        movements.source_table,
        movements.source_key,
        movements.source_id,
        movements.source_system,
        movements.stated_entity_key as entity_key,
        movements.stated_entity_id as entity_id,
        case when movements.movement = 'matched_out' then movements.matched_property_key end as property_key,
        case when movements.movement = 'matched_out' then movements.matched_property_id end as property_id,
        case when movements.movement = 'matched_out' then movements.matched_lease_id end as lease_id,
        movements.movement,
        movements.settlement_account,
        movements.settlement_role,
        movements.method,
        cast(movements.moved as decimal(18, 2)) as amount,
        movements.business_on,
        {{ accounting_day('movements.business_on', 'closes.open_from') }} as accounting_on,
        movements.moved_at as recorded_at,
        movements.recorded_assumed,
        movements.batch_id,
        movements.file,
        movements.row_number
    from movements
    left join int_closes__entities as closes
        on
            movements.stated_entity_key = closes.entity_key
            and {{ stands_on('closes', 'movements.moved_at') }}
)

select * from int_events__suspense
