-- The subsidy programs a lease can stand under, and whether an agency owes a share of the rent under each: where it does,
-- the lease has a subsidy account beside the resident's, and what the agency pays goes there. A program is a row here.
-- What could go wrong: a program of the landing contract without a row; then an agency's money pays the resident's debt.
with programs as (
    select 'market' as program, false as has_subsidy_account, cast(null as string) as citation
    union all
    select 'section8_pbra', true, '42 USC 1437f(c)(3)'
    union all
    select 'voucher', true, '24 CFR 982.451(b)'
    union all
    -- The state's agency pays the owner under its own contract.
    select 'state_moderate', true, null
    union all
    -- Nothing is known of it: an agency that pays is a payer like any other.
    select 'other', false, null
),

rule_programs as (
    select
        program,
        has_subsidy_account,
        citation
    from programs
)

select * from rule_programs
