-- Entities as they are described now. Names, logos and aging edges are words about an entity, not facts of its books.
with stg_entities as (
    select * from {{ ref('stg_entities') }}
),

latest as (
    select row_key, max(version_no) as version_no from stg_entities group by row_key
),

int_portfolio__entities as (
    select
        stg_entities.entity_key,
        stg_entities.entity_id,
        stg_entities.source_system,
        stg_entities.name,
        stg_entities.currency,
        coalesce(stg_entities.chart_key, stg_entities.source_system || ':' || stg_entities.chart_id) as chart_key,
        coalesce(stg_entities.concession_policy, 'contra_revenue') as concession_policy,
        coalesce(nullif(stg_entities.aging_edges, ''), '30,60,90') as aging_edges,
        coalesce(nullif(stg_entities.fiscal_year_end, ''), '12-31') as fiscal_year_end,
        coalesce(stg_entities.is_voucher_agency, false) as is_voucher_agency,
        coalesce(stg_entities.operator_name, stg_entities.name) as operator_name,
        stg_entities.logo
    from stg_entities
    inner join latest on stg_entities.row_key = latest.row_key and stg_entities.version_no = latest.version_no
)

select * from int_portfolio__entities
