-- Aging in the long form, by each entity's own edges: an account, a day, a basis and a bucket that holds something.
-- Its sum over the buckets of an account is the open total of the wide form.
with int_aging__items as (
    select * from {{ ref('int_aging__items') }}
),

int_aging__month_ends as (
    select * from {{ ref('int_aging__month_ends') }}
),

int_aging__edges as (
    select * from {{ ref('int_aging__edges') }}
),

int_aging__buckets as (
    select
        accounts.as_of,
        accounts.basis,
        accounts.account_key,
        accounts.source_system,
        accounts.lease_id,
        accounts.ledger_party,
        accounts.property_id,
        accounts.entity_id,
        edges.bucket_no,
        edges.bucket,
        edges.age_from,
        edges.age_to,
        cast(sum(items.open_amount) as decimal(18, 2)) as open_amount,
        cast(sum(case when items.counts_as_rent then items.open_amount else 0 end) as decimal(18, 2)) as rent_open,
        cast(sum(case when items.counts_as_rent then 0 else items.open_amount end) as decimal(18, 2)) as other_open
    from int_aging__items as items
    inner join int_aging__month_ends as accounts
        on
            items.account_key = accounts.account_key
            and items.basis = accounts.basis
            and items.as_of = accounts.as_of
    inner join int_aging__edges as edges
        on
            accounts.entity_key = edges.entity_key
            and items.age_days >= coalesce(edges.age_from, items.age_days)
            and items.age_days <= coalesce(edges.age_to, items.age_days)
    group by
        accounts.as_of, accounts.basis, accounts.account_key, accounts.source_system, accounts.lease_id, accounts.ledger_party,
        accounts.property_id, accounts.entity_id, edges.bucket_no, edges.bucket, edges.age_from, edges.age_to
)

select * from int_aging__buckets
