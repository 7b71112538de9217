-- The chart of accounts of each entity as published, with the role that an account plays in the books.
-- What could go wrong: another ledger refuses lines on its own receivable or bank account; the role says which these are.

select
    {{ source_system_of('entities.entity_key', 'entities.entity_id') }} as source_system,
    entities.entity_id,
    accounts.account,
    accounts.name as account_name,
    accounts.type as account_type,
    accounts.role
from {{ ref('int_portfolio__entities') }} as entities
inner join {{ ref('int_portfolio__gl_accounts') }} as accounts
    on accounts.chart_key = entities.chart_key
