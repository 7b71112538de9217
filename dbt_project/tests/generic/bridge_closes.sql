{#- The lines from the ledger balance on add up to the claim, for every forum and account. -#}
{% test bridge_closes(model) %}
select
    forum,
    lease_id,
    'lease ' || lease_id || ' (' || forum || '): the bridge comes to '
    || cast(sum(case when line_kind = 'claim' then 0 else amount end) as {{ dbt.type_string() }}) || ', the claim is '
    || cast(sum(case when line_kind = 'claim' then amount else 0 end) as {{ dbt.type_string() }}) as message
from {{ model }}
group by forum, account_key, lease_id
having
    sum(case when line_kind = 'claim' then 0 else amount end) <> sum(case when line_kind = 'claim' then amount else 0 end)
    or sum(case when line_kind = 'claim' then 1 else 0 end) <> 1
    or sum(case when line_kind = 'ledger_balance' then 1 else 0 end) <> 1
{% endtest %}
