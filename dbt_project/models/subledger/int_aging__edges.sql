-- The aging buckets of each entity, from its own edges: `30,60,90` makes 0-30, 31-60, 61-90 and over 90, after "not yet due".
-- The last bucket has no upper end, so that nothing old can fall out of the report.
with int_portfolio__entities as (
    select * from {{ ref('int_portfolio__entities') }}
),

parts as (
    {{ split_to_rows('int_portfolio__entities', 'entity_key, entity_id', 'aging_edges') }}
),

edges as (
    select distinct
        entity_key,
        entity_id,
        cast(part as integer) as edge
    from parts
),

ranked as (
    select
        edges.*,
        row_number() over (partition by entity_key order by edge) as edge_no,
        lag(edge) over (partition by entity_key order by edge) as edge_before,
        max(edge) over (partition by entity_key) as last_edge
    from edges
),

all_buckets as (
    select
        entity_key,
        entity_id,
        cast(0 as bigint) as bucket_no,
        cast(null as integer) as age_from,
        cast(-1 as integer) as age_to,
        'not yet due' as bucket
    from ranked
    where edge_no = 1
    union all
    select
        entity_key,
        entity_id,
        edge_no as bucket_no,
        coalesce(edge_before + 1, 0) as age_from,
        edge as age_to,
        cast(coalesce(edge_before + 1, 0) as string) || '-' || cast(edge as string) as bucket
    from ranked
    union all
    select
        entity_key,
        entity_id,
        max(edge_no) + 1 as bucket_no,
        max(last_edge) + 1 as age_from,
        cast(null as integer) as age_to,
        'over ' || cast(max(last_edge) as string) as bucket
    from ranked
    group by entity_key, entity_id
),

int_aging__edges as (
    select
        entity_key,
        entity_id,
        cast(bucket_no as integer) as bucket_no,
        bucket,
        age_from,
        age_to
    from all_buckets
)

select * from int_aging__edges
