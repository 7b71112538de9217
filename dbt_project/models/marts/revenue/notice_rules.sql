-- Rules of notices, published with both of their ranges: what held on a day, as it was known on another.
-- Nothing is chosen here.
with rule_notices as (
    select * from {{ ref('rule_notices') }}
),

notice_rules as (
    select * from rule_notices
)

select * from notice_rules
