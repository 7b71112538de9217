-- Which account a charge code posts to in a chart, a row per version, on both time axes.
-- Where ranges overlap the later start wins; a day before the first range is read with the first.
with stg_gl_mappings as (
    select
        *,
        coalesce(chart_key, source_system || ':' || chart_id) as mapped_chart_key
    from {{ ref('stg_gl_mappings') }}
),

int_closes__periods as (
    select * from {{ ref('int_closes__periods') }}
),

{{ known_versions('stg_gl_mappings', 'int_closes__periods', ['mapped_chart_key', 'code_key']) }},

int_portfolio__gl_mappings as (
    select
        cast(row_number() over (order by mapped_chart_key, code_key, coalesce(valid_from, date '0001-01-01'), row_key, version_no) as bigint) as mapping_key,
        mapped_chart_key as chart_key,
        code_key,
        charge_code,
        account,
        coalesce(valid_from, date '0001-01-01') as valid_from,
        valid_to,
        known_from,
        known_to,
        cast(place as integer) as place
    from known_versions
)

select * from int_portfolio__gl_mappings
