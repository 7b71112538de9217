-- What each subsidy program's rent rules post every month: which figure of the certification is charged, what is credited
-- against it, and on whose account. A row per program and line.
-- What could go wrong: the subsidy both credited on the resident's account and charged to the agency's, counted twice.
with lines as (
    -- Project-based: the contract rent, with the subsidy credited against it.
    select 'section8_pbra' as program, 'charge' as line, 'contract_rent' as charged, 'rent' as category, 'resident' as ledger_party
    union all
    select 'section8_pbra', 'credit', 'contract_rent', 'subsidy', 'resident'
    union all
    select 'section8_pbra', 'reimbursement', 'contract_rent', 'utility_reimbursement', 'resident'
    union all
    -- A base rent, or the resident's rent if that is higher, with the state's assistance credited against it.
    select 'state_moderate', 'charge', 'base_rent', 'rent', 'resident'
    union all
    select 'state_moderate', 'credit', 'base_rent', 'subsidy', 'resident'
    union all
    select 'state_moderate', 'reimbursement', 'base_rent', 'utility_reimbursement', 'resident'
    union all
    -- A voucher: the family pays its share, and a private owner charges the agency for the rest. The agency's own register
    -- bills neither.
    select 'voucher', 'charge', 'tenant_rent', 'rent', 'resident'
    union all
    select 'voucher', 'agency', 'tenant_rent', 'rent', 'subsidy'
    union all
    select 'other', 'charge', 'tenant_rent', 'rent', 'resident'
    union all
    select 'market', 'charge', 'tenant_rent', 'rent', 'resident'
),

rule_program_rents as (
    select
        program,
        line,
        charged,
        category,
        ledger_party,
        program <> 'voucher' as is_in_agency_register
    from lines
)

select * from rule_program_rents
