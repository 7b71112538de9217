-- What applied money stands for in the cash book: the entry that it pays in the end. Mostly that is the charge itself; a debt
-- that was moved (to an agreement and back by instalments, or to another account) stands for the charges that it was
-- moved from, each in its share, as known when the money was applied. A row per application and entry paid for.
-- Money on a debt that was moved from no charge, as far as was known then, stands for nothing: it stays prepaid.
-- What could go wrong: a reversal read with later knowledge than what it reverses; both are split as known at the first.
{% set levels = [1, 2, 3] %}
{% set kinds_of_money = ['payment', 'deposit_applied', 'opening_balance'] %}

with int_allocation__applications as (
    select * from {{ ref('int_allocation__applications') }}
),

int_events__moved_debts as (
    select * from {{ ref('int_events__moved_debts') }}
),

applied as (
    select
        applications.application_id,
        applications.source_kind,
        applications.source_event_key,
        applications.target_event_key,
        applications.target_kind,
        applications.amount,
        coalesce(reversed.recorded_at, applications.recorded_at) as known_at
    from int_allocation__applications as applications
    left join int_allocation__applications as reversed
        on applications.reverses_application_id = reversed.application_id
    where
        applications.source_kind in {{ listed(kinds_of_money) }}
        or applications.target_kind = 'refund_of_credit'
),

taken as (
    select
        moved.event_key,
        applications.target_event_key,
        applications.target_kind,
        applications.amount,
        applications.recorded_at
    from int_events__moved_debts as moved
    inner join int_allocation__applications as applications
        on moved.taken_event_key = applications.source_event_key
),

pieces_0 as (
    select
        application_id as piece_id,
        application_id,
        source_kind,
        source_event_key,
        target_event_key,
        target_kind,
        amount,
        known_at
    from applied
    where source_kind <> 'transfer'
),

{% for level in levels %}
debts_{{ level }} as (
    select
        pieces.piece_id,
        taken.target_event_key,
        taken.target_kind,
        sum(taken.amount) as taken_amount
    from pieces_{{ level - 1 }} as pieces
    inner join taken
        on pieces.target_event_key = taken.event_key
        and taken.recorded_at <= pieces.known_at
    where pieces.target_kind = 'transfer'
    group by pieces.piece_id, taken.target_event_key, taken.target_kind
    having sum(taken.amount) > 0
),

ranges_{{ level }} as (
    select
        *,
        sum(taken_amount) over (partition by piece_id order by target_event_key rows unbounded preceding) as taken_to,
        sum(taken_amount) over (partition by piece_id) as taken_total
    from debts_{{ level }}
),

pieces_{{ level }} as (
    select
        pieces.piece_id || '/' || cast(ranges.target_event_key as string) as piece_id,
        pieces.application_id,
        pieces.source_kind,
        pieces.source_event_key,
        ranges.target_event_key,
        ranges.target_kind,
        {{ share_of('pieces.amount', 'cast(ranges.taken_to * 100 as bigint)', 'cast(ranges.taken_total * 100 as bigint)') }}
        - {{ share_of('pieces.amount', 'cast((ranges.taken_to - ranges.taken_amount) * 100 as bigint)', 'cast(ranges.taken_total * 100 as bigint)') }}
            as amount,
        pieces.known_at
    from pieces_{{ level - 1 }} as pieces
    inner join ranges_{{ level }} as ranges on pieces.piece_id = ranges.piece_id
),

{% endfor %}
unreported as (
    select distinct event_key
    from int_events__moved_debts
    where is_unreported
),

paid as (
    {% for level in [0] + levels %}
    select
        pieces.*,
        unreported.event_key is not null as is_unreported
    from pieces_{{ level }} as pieces
    left join unreported on pieces.target_event_key = unreported.event_key
    where pieces.target_kind <> 'transfer' or unreported.event_key is not null
    {{ 'union all' if not loop.last }}
    {% endfor %}
),

int_journals__cash_origins as (
    select
        piece_id,
        application_id,
        source_kind,
        source_event_key,
        target_event_key,
        target_kind,
        {{ money('amount') }} as amount,
        is_unreported,
        known_at
    from paid
    where amount <> 0
)

select * from int_journals__cash_origins
