-- Tie-out 8, from the evidence: the balances kept when a month was closed against the trial balance of that month as it
-- comes out now. It sees what the first comparison cannot: a rule, a mapping or a row that slipped under the books with
-- an old recorded time. Accounts that appeared or vanished since the close count as zero on the other side. The build in
-- which a close first stands is the one whose balances are kept: until they are, a month is compared with itself, so that
-- the build after it has the same rows. To look at is what became known after it, or came in a file that was landed after it.

with stg_closed_balances as (
    select * from {{ ref('stg_closed_balances') }}
),

int_trial_balance__periods as (
    select * from {{ ref('int_trial_balance__periods') }}
),

int_journals__entries as (
    select * from {{ ref('int_journals__entries') }}
),

int_closes__periods as (
    select * from {{ ref('int_closes__periods') }}
),

batches as (
    select * from {{ source('landing', 'batches') }}
),

kept as (
    select
        book,
        entity_key,
        period,
        min(recorded_at) as recorded_at
    from stg_closed_balances
    group by book, entity_key, period
),

not_kept_yet as (
    select distinct
        balances.book,
        balances.entity_key,
        balances.period
    from int_trial_balance__periods as balances
    inner join int_closes__periods
        on int_closes__periods.entity_key = balances.entity_key
        and int_closes__periods.period = balances.period
    left join kept
        on kept.book = balances.book
        and kept.entity_key = balances.entity_key
        and kept.period = balances.period
    where kept.period is null
),

balances as (
    select
        book, entity_key, property_key, account, period, closing as then_amount,
        cast(0 as decimal(18, 2)) as now_amount
    from stg_closed_balances
    union all
    select
        now_balances.book, now_balances.entity_key, now_balances.property_key, now_balances.account, now_balances.period,
        0, now_balances.closing
    from int_trial_balance__periods as now_balances
    inner join kept
        on kept.book = now_balances.book
        and kept.entity_key = now_balances.entity_key
        and kept.period = now_balances.period
    union all
    select
        now_balances.book, now_balances.entity_key, now_balances.property_key, now_balances.account, now_balances.period,
        now_balances.closing, now_balances.closing
    from int_trial_balance__periods as now_balances
    inner join not_kept_yet
        on not_kept_yet.book = now_balances.book
        and not_kept_yet.entity_key = now_balances.entity_key
        and not_kept_yet.period = now_balances.period
),

sums as (
    select
        book,
        entity_key,
        property_key,
        account,
        period,
        sum(then_amount) as then_amount,
        sum(now_amount) as now_amount
    from balances
    group by book, entity_key, property_key, account, period
),

names as (
    select distinct
        entity_key,
        entity_id,
        property_key,
        property_id
    from int_journals__entries
),

differing as (
    select
        sums.*,
        kept.recorded_at
    from sums
    inner join kept
        on kept.book = sums.book
        and kept.entity_key = sums.entity_key
        and kept.period = sums.period
    where sums.then_amount <> sums.now_amount
),

suspects as (
    select
        differing.book,
        differing.entity_key,
        differing.property_key,
        differing.account,
        differing.period,
        {{ entry_label('journal') }} as entry,
        row_number() over (
            partition by
                differing.book, differing.entity_key, differing.property_key, differing.account, differing.period
            order by min(greatest(journal.recorded_at, coalesce(batches.loaded_at, journal.recorded_at))), {{ entry_label('journal') }}
        ) as rank_in_account
    from differing
    inner join {{ ref('int_journals__books') }} as journal
        on journal.book = differing.book
        and journal.entity_key = differing.entity_key
        and coalesce(journal.property_key, '') = coalesce(differing.property_key, '')
        and journal.account = differing.account
        and {{ period_of('journal.accounting_on') }} <= differing.period
    left join batches on batches.batch_id = journal.batch_id
    where journal.recorded_at > differing.recorded_at or batches.loaded_at > differing.recorded_at
    group by
        differing.book, differing.entity_key, differing.property_key, differing.account, differing.period,
        {{ entry_label('journal') }}
),

looks as (
    select
        book,
        entity_key,
        property_key,
        account,
        period,
        {{ dbt.listagg('entry', "', '", 'order by rank_in_account') }} as look_at
    from suspects
    where rank_in_account <= 5
    group by book, entity_key, property_key, account, period
),

compared as (
    select
        'balances_at_close__to__balances_now' as tie_out,
        8 as tie_out_no,
        {{ month_end(period_start('sums.period')) }} as as_of,
        sums.entity_key,
        names.entity_id,
        sums.property_key,
        names.property_id,
        cast(null as {{ dbt.type_string() }}) as ledger_party,
        sums.book || ' account ' || sums.account as subject,
        'balance kept at the close' as left_label,
        {{ money('sums.then_amount') }} as left_amount,
        'balance now' as right_label,
        {{ money('sums.now_amount') }} as right_amount,
        {{ money('sums.then_amount - sums.now_amount') }} as difference,
        case when sums.then_amount = sums.now_amount then 'ties' else 'differs' end as status,
        looks.look_at
    from sums
    left join names
        on names.entity_key = sums.entity_key
        and coalesce(names.property_key, '') = coalesce(sums.property_key, '')
    left join looks
        on looks.book = sums.book
        and looks.entity_key = sums.entity_key
        and coalesce(looks.property_key, '') = coalesce(sums.property_key, '')
        and looks.account = sums.account
        and looks.period = sums.period
)

select * from compared
