-- Comparisons whose two sides are not the same: both sides stay visible, with the day on which they first parted.
select
    tie_out,
    property_id,
    ledger_party,
    subject,
    left_label,
    right_label,
    min(as_of) as first_on,
    max(as_of) as last_on,
    count(*) as days,
    arg_max(left_amount, as_of) as left_amount,
    arg_max(right_amount, as_of) as right_amount,
    arg_max(difference, as_of) as difference,
    arg_max(look_at, as_of) as look_at
from tie_outs
where difference <> 0
    and (entity_id is null or (entity_id = $entity_id and source_system = $source_system))
group by all
order by tie_out, property_id, ledger_party
limit 200
