-- Orders in which systems and people put money on charges, as policies to try: what would the ledger say if this had been
-- the setting. They move no money. Only one of them heeds what the payer directed, so that the effect of a direction shows.
with rule_what_ifs as (
    select
        cast(what_if_key as integer) as what_if_key,
        what_if,
        steps,
        heeds_direction as is_direction_heeded
    from (
        values
            (1, 'rent_first_oldest_due', '[{"match": {"counts_as_rent": true}, "order": "oldest_due"}, {"match": "any", "order": "oldest_due"}]', false),
            (2, 'oldest_of_any_type', '[{"match": "any", "order": "oldest_due"}]', false),
            (3, 'newest_first', '[{"match": "any", "order": "newest_due"}]', false),
            (4, 'largest_open_first', '[{"match": "any", "order": "largest_open"}]', false),
            (5, 'fees_first', '[{"match": {"counts_as_rent": false}, "order": "oldest_due"}, {"match": "any", "order": "oldest_due"}]', false),
            (6, 'current_month_first', '[{"match": {"counts_as_rent": true, "period": "current"}}, {"match": {"counts_as_rent": true}}, {"match": "any"}]', false),
            (7, 'payer_direction_then_rent_first', '[{"match": {"counts_as_rent": true}, "order": "oldest_due"}, {"match": "any", "order": "oldest_due"}]', true)
    ) as orders (what_if_key, what_if, steps, heeds_direction)
)

select * from rule_what_ifs
