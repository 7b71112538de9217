{#- The lines from the ledger balance on add up to the claim, for every forum and account; with what is claimed apart from
    rent they add up to what is claimed in all. -#}
{% test bridge_closes(model) %}
with sums as (
    select
        forum,
        lease_id,
        sum(case when line_kind in ('ledger_balance', 'step') then amount else 0 end) as bridged,
        sum(case when line_kind = 'claim' then amount else 0 end) as claim,
        sum(case when line_kind = 'apart' then amount else 0 end) as apart,
        sum(case when line_kind = 'claimed_in_all' then amount else 0 end) as claimed_in_all,
        sum(case when line_kind = 'claimed_in_all' then 1 else 0 end) as totals,
        sum(case when line_kind = 'claim' then 1 else 0 end) as claims,
        sum(case when line_kind = 'ledger_balance' then 1 else 0 end) as balances
    from {{ model }}
    group by forum, account_key, lease_id
)

select
    forum,
    lease_id,
    'lease ' || lease_id || ' (' || forum || '): the bridge comes to ' || cast(bridged as {{ dbt.type_string() }})
    || ', the claim is ' || cast(claim as {{ dbt.type_string() }}) || ', with ' || cast(apart as {{ dbt.type_string() }})
    || ' apart from rent ' || cast(claimed_in_all as {{ dbt.type_string() }}) || ' in all' as message
from sums
where bridged <> claim or claims <> 1 or balances <> 1 or (totals = 1 and claimed_in_all <> claim + apart) or (totals <> 1 and apart <> 0)
{% endtest %}
