-- Where the derived ledger and the journal lines of the books stand apart, line by line, with the days between which they do.
-- Lines of one account, amount and day on both sides are one posting; what is left is paired with the nearest equal amount
-- within some days (timing), or with the business date that a late fact has in the books (late arrival). What has no pair
-- stands on one side only: theirs is of a missing batch where one was promised for its day and has not come, and by hand
-- else. Only accounts and books for which journal lines were loaded are looked at.
-- What could go wrong: summaries against details; they pair where a day's lines add up alike, else each line is named.

with stg_gl_journal_lines as (
    select * from {{ ref('stg_gl_journal_lines') }}
),

stg_gl_balances as (
    select * from {{ ref('stg_gl_balances') }}
),

int_journals__books as (
    select * from {{ ref('int_journals__books') }}
),

int_completeness__batches as (
    select * from {{ ref('int_completeness__batches') }} where status in ('missing', 'refused')
),

int_portfolio__entities as (
    select * from {{ ref('int_portfolio__entities') }}
),

-- The books keep properties apart, or they do not: their balances say which.
scopes as (
    select distinct entity_key, property_key, basis
    from stg_gl_balances
),

booked_since as (
    select
        entity_key,
        basis,
        min(posted_on) as first_on
    from stg_gl_journal_lines
    group by entity_key, basis
),

ours as (
    select
        scopes.entity_key,
        scopes.property_key,
        scopes.basis,
        journal.account,
        journal.accounting_on as stands_on,
        journal.entry_on,
        journal.debit - journal.credit as amount,
        journal.journal_id || ':' || cast(journal.line_no as string) as line_key,
        {{ entry_label('journal') }} as entry
    from scopes
    inner join booked_since
        on booked_since.entity_key = scopes.entity_key
        and booked_since.basis = scopes.basis
    inner join int_journals__books as journal
        on journal.entity_key = scopes.entity_key
        and journal.book = scopes.basis
        and journal.accounting_on >= booked_since.first_on
    where scopes.property_key is null or journal.property_key = scopes.property_key
),

theirs as (
    select
        scopes.entity_key,
        scopes.property_key,
        scopes.basis,
        lines.account,
        lines.posted_on as stands_on,
        lines.entry_id,
        lines.amount,
        lines.row_key as line_key,
        'entry ' || lines.entry_id || coalesce(' "' || lines.memo || '"', '')
        || coalesce(' (' || lines.file || ' row ' || cast(lines.row_number as string) || ')', '') as entry
    from scopes
    inner join stg_gl_journal_lines as lines
        on lines.entity_key = scopes.entity_key
        and lines.basis = scopes.basis
    where scopes.property_key is null or lines.property_key = scopes.property_key
),

-- A day on which both sides add up alike has nothing to be explained, however many lines either keeps.
differing_days as (
    select entity_key, property_key, basis, account, stands_on
    from (
        select entity_key, property_key, basis, account, stands_on, amount from ours
        union all
        select entity_key, property_key, basis, account, stands_on, -amount from theirs
    ) as both_sides
    group by entity_key, property_key, basis, account, stands_on
    having sum(amount) <> 0
),

{% for side in ['ours', 'theirs'] %}
{{ side }}_apart as (
    select
        {{ side }}.*,
        row_number() over (
            partition by
                {{ side }}.entity_key, {{ side }}.property_key, {{ side }}.basis, {{ side }}.account, {{ side }}.amount,
                {{ side }}.stands_on
            order by {{ side }}.line_key
        ) as rank_in_day
    from {{ side }}
    inner join differing_days
        on differing_days.entity_key = {{ side }}.entity_key
        and coalesce(differing_days.property_key, '') = coalesce({{ side }}.property_key, '')
        and differing_days.basis = {{ side }}.basis
        and differing_days.account = {{ side }}.account
        and differing_days.stands_on = {{ side }}.stands_on
),

{% endfor %}
same_day as (
    select
        ours_apart.line_key as our_line_key,
        theirs_apart.line_key as their_line_key
    from ours_apart
    inner join theirs_apart
        on theirs_apart.entity_key = ours_apart.entity_key
        and coalesce(theirs_apart.property_key, '') = coalesce(ours_apart.property_key, '')
        and theirs_apart.basis = ours_apart.basis
        and theirs_apart.account = ours_apart.account
        and theirs_apart.amount = ours_apart.amount
        and theirs_apart.stands_on = ours_apart.stands_on
        and theirs_apart.rank_in_day = ours_apart.rank_in_day
),

{% for side, key in [('ours', 'our_line_key'), ('theirs', 'their_line_key')] %}
{{ side }}_left as (
    select
        {{ side }}_apart.*,
        row_number() over (
            partition by
                {{ side }}_apart.entity_key, {{ side }}_apart.property_key, {{ side }}_apart.basis, {{ side }}_apart.account,
                {{ side }}_apart.amount
            order by {{ 'ours_apart.entry_on' if side == 'ours' else 'theirs_apart.stands_on' }}, {{ side }}_apart.line_key
        ) as rank_left
    from {{ side }}_apart
    left join same_day
        on same_day.{{ key }} = {{ side }}_apart.line_key
    where same_day.{{ key }} is null
),

{% endfor %}
pairs as (
    select
        ours_left.line_key as our_line_key,
        theirs_left.line_key as their_line_key,
        ours_left.entity_key,
        ours_left.property_key,
        ours_left.basis,
        ours_left.account,
        ours_left.amount,
        ours_left.stands_on as our_on,
        theirs_left.stands_on as their_on,
        ours_left.entry || ', booked as ' || theirs_left.entry as entry,
        ours_left.stands_on > ours_left.entry_on and theirs_left.stands_on < ours_left.stands_on as is_late
    from ours_left
    inner join theirs_left
        on theirs_left.entity_key = ours_left.entity_key
        and coalesce(theirs_left.property_key, '') = coalesce(ours_left.property_key, '')
        and theirs_left.basis = ours_left.basis
        and theirs_left.account = ours_left.account
        and theirs_left.amount = ours_left.amount
        and theirs_left.rank_left = ours_left.rank_left
    where
        abs({{ days_between('ours_left.stands_on', 'theirs_left.stands_on') }}) <= {{ days_of_one_posting() }}
        or (
            ours_left.stands_on > ours_left.entry_on
            and theirs_left.stands_on >= ours_left.entry_on
            and theirs_left.stands_on < ours_left.stands_on
        )
),

-- An entry of the books of which one line is a late fact is that fact, also where its other lines are booked otherwise.
late_entries as (
    select distinct
        theirs_left.entity_key,
        theirs_left.basis,
        theirs_left.entry_id
    from pairs
    inner join theirs_left
        on theirs_left.line_key = pairs.their_line_key
    where pairs.is_late
),

-- A promise that names no entity is one for all of its source system; one for a property touches books that keep none apart.
of_missing_batches as (
    select distinct theirs_left.line_key
    from theirs_left
    inner join int_portfolio__entities as entities on entities.entity_key = theirs_left.entity_key
    inner join int_completeness__batches as promised
        on theirs_left.stands_on between promised.period_from and promised.period_to
        and (
            promised.entity_key = theirs_left.entity_key
            or (promised.entity_key is null and promised.source_system = entities.source_system)
        )
        and (
            promised.property_key is null or theirs_left.property_key is null
            or promised.property_key = theirs_left.property_key
        )
),

-- From first_on until the eve of last_on the two ledgers differ by the amount; positive where ours holds more.
items as (
    select
        entity_key,
        property_key,
        basis,
        account,
        case when is_late then 'late_arrival' else 'timing' end as class,
        case when our_on < their_on then amount else -amount end as amount,
        least(our_on, their_on) as first_on,
        greatest(our_on, their_on) as last_on,
        entry,
        our_line_key as line_key
    from pairs
    union all
    select
        ours_left.entity_key,
        ours_left.property_key,
        ours_left.basis,
        ours_left.account,
        case when ours_left.stands_on > ours_left.entry_on then 'late_arrival' else 'not_in_the_books' end,
        ours_left.amount,
        ours_left.stands_on,
        null,
        ours_left.entry,
        ours_left.line_key
    from ours_left
    left join pairs
        on pairs.our_line_key = ours_left.line_key
    where pairs.our_line_key is null
    union all
    select
        theirs_left.entity_key,
        theirs_left.property_key,
        theirs_left.basis,
        theirs_left.account,
        case
            when late_entries.entry_id is not null then 'late_arrival'
            when of_missing_batches.line_key is not null then 'missing_batch'
            else 'manual_journal'
        end,
        -theirs_left.amount,
        theirs_left.stands_on,
        null,
        theirs_left.entry,
        theirs_left.line_key
    from theirs_left
    left join pairs
        on pairs.their_line_key = theirs_left.line_key
    left join late_entries
        on late_entries.entity_key = theirs_left.entity_key
        and late_entries.basis = theirs_left.basis
        and late_entries.entry_id = theirs_left.entry_id
    left join of_missing_batches
        on of_missing_batches.line_key = theirs_left.line_key
    where pairs.their_line_key is null
),

int_tie_outs__booked_items as (
    select
        entity_key,
        property_key,
        basis,
        account,
        class,
        {{ money('amount') }} as amount,
        first_on,
        last_on,
        entry,
        line_key
    from items
)

select * from int_tie_outs__booked_items
