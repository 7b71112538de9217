-- Legal entities that keep books: currency, chart of accounts, aging edges.
-- Reference data keeps every version: an entry is played with the one that was known when it was known.
-- What could go wrong: reading the latest version where an earlier one was in the books.
select
    landed.entity_key,
    landed.entity_id,
    landed.name,
    landed.currency,
    landed.chart_key,
    landed.chart_id,
    landed.concession_policy,
    landed.aging_edges,
    landed.fiscal_year_end,
    {{ flag('landed.is_voucher_agency') }} as is_voucher_agency,
    landed.operator_name,
    landed.logo,
    {{ written_instant('landed.recorded_at') }} as written_at,
    landed.row_key,
    landed.source_system,
    landed.batch_id,
    landed.file,
    landed.row_number,
    landed.accepted_at,
    landed.version_no
from {{ source('landing', 'entities') }} as landed
