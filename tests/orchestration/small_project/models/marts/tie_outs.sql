-- A person named Mismatch makes the two sides differ; SMALL_SLOW makes the model take some time, so that a build can be caught in the middle.
select
    'people__to__names' as tie_out,
    date '2026-10-31' as as_of,
    'E1' as entity_id,
    'P1' as property_id,
    cast(null as varchar) as ledger_party,
    'people' as left_label,
    cast(count(*) as decimal(18, 2)) as left_amount,
    'names that match' as right_label,
    cast(count(*) filter (where name <> 'Mismatch') as decimal(18, 2)) as right_amount,
    cast(count(*) filter (where name = 'Mismatch') as decimal(18, 2)) as difference,
    case when count(*) filter (where name = 'Mismatch') > 0 then 'differs' else 'ties' end as status,
    'person ' || min(person_id) filter (where name = 'Mismatch') as look_at
from {{ ref('people') }}
{% if env_var('SMALL_SLOW', '') %}
where (select sum(a.range * b.range % 7) from range(30000) as a, range({{ env_var('SMALL_SLOW') }}000) as b) is not null
{% endif %}
