-- Charts of accounts as they are described now, with the role each account plays in the books.
-- What could go wrong: two accounts of one chart with one role, which then names neither of them.
with stg_gl_accounts as (
    select * from {{ ref('stg_gl_accounts') }}
),

latest as (
    select row_key, max(version_no) as version_no from stg_gl_accounts group by row_key
),

int_portfolio__gl_accounts as (
    select
        coalesce(stg_gl_accounts.chart_key, stg_gl_accounts.source_system || ':' || stg_gl_accounts.chart_id) as chart_key,
        stg_gl_accounts.account,
        stg_gl_accounts.name,
        stg_gl_accounts.type,
        stg_gl_accounts.role
    from stg_gl_accounts
    inner join latest on stg_gl_accounts.row_key = latest.row_key and stg_gl_accounts.version_no = latest.version_no
)

select * from int_portfolio__gl_accounts
