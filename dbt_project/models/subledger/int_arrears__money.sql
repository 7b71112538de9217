-- Money that counts, source by source, less what came back of it: a return takes from the payment it names, a refund of
-- credit from the latest money. Credit left over from a period stands first in line.
-- What could go wrong: a refund that is taken from a month's rent while later money lies unused.
with int_arrears__entries as (
    select * from {{ ref('int_arrears__entries') }} where arrears_class = 'money'
),

int_arrears__rents as (
    select * from {{ ref('int_arrears__rents') }}
),

received as (
    select * from int_arrears__entries where amount < 0
),

taken_back as (
    select
        given.forum,
        given.names_event_key,
        sum(given.amount) as amount
    from int_arrears__entries as given
    inner join received on given.forum = received.forum and given.names_event_key = received.event_key
    where given.amount >= 0
    group by given.forum, given.names_event_key
),

refunded as (
    select
        given.forum,
        given.account_key,
        sum(given.amount) as amount
    from int_arrears__entries as given
    left join received on given.forum = received.forum and given.names_event_key = received.event_key
    where given.amount >= 0 and received.event_key is null
    group by given.forum, given.account_key
),

excess as (
    select
        forum,
        account_key,
        sum(credit_excess) as kept
    from int_arrears__rents
    group by forum, account_key
    having sum(credit_excess) > 0
),

sources as (
    select
        received.forum,
        received.account_key,
        received.event_key,
        received.source_system,
        received.lease_id,
        received.kind,
        received.source_table,
        received.source_id,
        received.business_on,
        -received.amount as amount,
        -received.amount - coalesce(taken_back.amount, 0) as kept,
        received.directed_from,
        received.directed_to,
        received.entry_seq
    from received
    left join taken_back on received.forum = taken_back.forum and received.event_key = taken_back.names_event_key
    union all
    select
        forum,
        account_key,
        cast(null as bigint),
        cast(null as string),
        cast(null as string),
        'credit_left_over',
        cast(null as string),
        cast(null as string),
        cast(null as date),
        kept,
        kept,
        cast(null as date),
        cast(null as date),
        cast(-1 as bigint)
    from excess
),

lined_up as (
    select
        sources.*,
        sum(sources.kept) over (partition by sources.forum, sources.account_key) - coalesce(refunded.amount, 0) as pool,
        coalesce(
            sum(sources.kept) over (
                partition by sources.forum, sources.account_key
                order by sources.entry_seq
                rows between unbounded preceding and 1 preceding
            ), 0
        ) as kept_before
    from sources
    left join refunded on sources.forum = refunded.forum and sources.account_key = refunded.account_key
),

int_arrears__money as (
    select
        forum,
        account_key,
        event_key,
        source_system,
        lease_id,
        kind as source_kind,
        source_table,
        source_id,
        business_on as received_on,
        {{ money('amount') }} as amount,
        {{ money('kept') }} as kept_amount,
        {{ money('least(greatest(pool - kept_before, 0), kept)') }} as counted_amount,
        directed_from,
        directed_to,
        cast(row_number() over (partition by forum, account_key order by entry_seq) as integer) as place
    from lined_up
)

select * from int_arrears__money
