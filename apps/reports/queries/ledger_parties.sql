-- The accounts of a lease: the resident's share and, where there is one, an agency's or a third party's.
select distinct ledger_party
from resident_ledger
where source_system = $source_system
    and lease_id = $lease_id
order by ledger_party
