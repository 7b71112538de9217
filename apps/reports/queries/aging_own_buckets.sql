-- The aging of an entity in the buckets that it chose itself; a bucket that holds nothing has no row.
select
    bucket_no,
    bucket,
    age_from,
    age_to,
    sum(rent_open)::decimal(18, 2) as rent_open,
    sum(other_open)::decimal(18, 2) as other_open,
    sum(open_amount)::decimal(18, 2) as open_amount
from aging_buckets
where entity_id = $entity_id
    and as_of = $as_of
    and basis = $basis
    and ($ledger_party::varchar is null or ledger_party = $ledger_party)
group by bucket_no, bucket, age_from, age_to
order by bucket_no
