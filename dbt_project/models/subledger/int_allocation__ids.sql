-- Names that never change for the rows of the journal. An id is the hash of what the row says, of which one it is in order
-- of play, and of when it was known; a correction is named after the row it undoes. Nothing in it depends on this build.
-- What could go wrong: a key made here (event, rule, sequence) leaking into an id, so that ids differ between builds.
with int_allocation__journal as (
    select * from {{ ref('int_allocation__journal') }} where what_if_key is null
),

int_events__entries as (
    select event_key, source_table || '/' || source_key as name from {{ ref('int_events__entries') }}
),

rule_application as (
    select rule_key, rule_id || '/' || cast(version as string) as name from {{ ref('rule_application') }}
),

spelled as (
    select
        journal.journal_seq,
        journal.reverses_seq,
        journal.reason,
        {{ instant_text('journal.known_at') }} as known_at,
        journal.row_kind
        || '|' || sources.name
        || '|' || targets.name
        || '|' || cast(journal.amount_minor as string)
        || '|' || cast(journal.applied_on as string)
        || '|' || coalesce(policies.name, '')
        || '|' || coalesce(laws.name, '')
        || '|' || cast(journal.occurrence as string) as content
    from int_allocation__journal as journal
    inner join int_events__entries as sources on journal.source_event_key = sources.event_key
    inner join int_events__entries as targets on journal.target_event_key = targets.event_key
    left join rule_application as policies on journal.policy_rule_key = policies.rule_key
    left join rule_application as laws on journal.law_rule_key = laws.rule_key
),

-- A row undoes nothing, or a row that undoes nothing, or (a correction) one that itself undoes.
first_rows as (
    select
        journal_seq,
        {{ sha256_hex("content || '|' || known_at") }} as row_id
    from spelled
    where reverses_seq is null
),

second_rows as (
    select
        spelled.journal_seq,
        case
            when spelled.reason = 'correction' then {{ sha256_hex("'correction|' || first_rows.row_id || '|' || spelled.known_at") }}
            else {{ sha256_hex("spelled.content || '|' || first_rows.row_id || '|' || spelled.known_at") }}
        end as row_id
    from spelled
    inner join first_rows on spelled.reverses_seq = first_rows.journal_seq
),

third_rows as (
    select
        spelled.journal_seq,
        {{ sha256_hex("'correction|' || second_rows.row_id || '|' || spelled.known_at") }} as row_id
    from spelled
    inner join second_rows on spelled.reverses_seq = second_rows.journal_seq
),

int_allocation__ids as (
    select journal_seq, row_id from first_rows
    union all
    select journal_seq, row_id from second_rows
    union all
    select journal_seq, row_id from third_rows
)

select * from int_allocation__ids
