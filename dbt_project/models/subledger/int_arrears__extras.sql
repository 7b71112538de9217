-- Charges that are no rent and that a forum lets be claimed beside it, in a part of their own. What the payer designated
-- to their code pays them first, then money designated to fees and whatever was beyond the rent, the oldest charge first.
-- What could go wrong: a charge claimed in full that the resident had money enough to have paid.
with int_arrears__entries as (
    select * from {{ ref('int_arrears__entries') }}
),

int_arrears__money as (
    select * from {{ ref('int_arrears__money') }}
),

int_arrears__periods as (
    select * from {{ ref('int_arrears__periods') }}
),

rule_charge_treatments as (
    select * from {{ ref('rule_charge_treatments') }}
),

apart as (
    select
        *,
        case when kind = 'charge_reversal' or is_as_named then names_event_key else event_key end as charge_event_key
    from int_arrears__entries
    where arrears_class = 'claimed_apart'
),

nets as (
    select
        forum,
        account_key,
        charge_event_key,
        sum(amount) as net
    from apart
    group by forum, account_key, charge_event_key
),

charges as (
    select
        apart.forum,
        apart.account_key,
        apart.event_key,
        apart.source_system,
        apart.lease_id,
        apart.property_id,
        apart.source_table,
        apart.source_id,
        apart.code_key,
        apart.charge_code,
        apart.category,
        apart.treatment_key,
        apart.due_on,
        apart.as_of_on,
        nets.net
    from nets
    inner join apart
        on nets.forum = apart.forum and nets.charge_event_key = apart.event_key
    where nets.net > 0
),

credits as (
    select
        forum,
        account_key,
        -sum(net) as amount
    from nets
    where net < 0
    group by forum, account_key
),

-- Only accounts with something to claim: what was paid elsewhere concerns nobody here.
designated as (
    select
        entries.forum,
        entries.account_key,
        coalesce(payments.designation, entries.designation) as designation,
        coalesce(payments.designation_code_key, entries.designation_code_key) as designation_code_key,
        -sum(entries.amount) as amount
    from int_arrears__entries as entries
    inner join (select distinct forum, account_key from charges) as claimed
        on entries.forum = claimed.forum and entries.account_key = claimed.account_key
    left join int_arrears__entries as payments
        on entries.forum = payments.forum and entries.names_event_key = payments.event_key and entries.kind = 'payment_return'
    where entries.arrears_class = 'money_for_other'
    group by 1, 2, 3, 4
),

to_codes as (
    select
        forum,
        account_key,
        designation_code_key,
        sum(amount) as amount
    from designated
    where designation = 'code'
    group by forum, account_key, designation_code_key
),

to_fees as (
    select
        forum,
        account_key,
        sum(amount) as amount
    from designated
    where designation = 'fees'
    group by forum, account_key
),

counted as (
    select
        forum,
        account_key,
        sum(counted_amount) as amount
    from int_arrears__money
    group by forum, account_key
),

on_rent as (
    select
        forum,
        account_key,
        sum(rent_paid) as amount
    from int_arrears__periods
    group by forum, account_key
),

by_code as (
    select
        charges.*,
        coalesce(to_codes.amount, 0) as code_money,
        coalesce(
            sum(charges.net) over (
                partition by charges.forum, charges.account_key, charges.code_key
                order by charges.due_on, charges.event_key
                rows between unbounded preceding and 1 preceding
            ), 0
        ) as code_before
    from charges
    left join to_codes
        on
            charges.forum = to_codes.forum
            and charges.account_key = to_codes.account_key
            and charges.code_key = to_codes.designation_code_key
),

left_by_code as (
    select
        *,
        net - least(greatest(code_money - code_before, 0), net) as left_open
    from by_code
),

in_line as (
    select
        charges.*,
        coalesce(credits.amount, 0) + coalesce(to_fees.amount, 0)
        + greatest(coalesce(counted.amount, 0) - coalesce(on_rent.amount, 0), 0) as pool,
        coalesce(
            sum(charges.left_open) over (
                partition by charges.forum, charges.account_key
                order by charges.due_on, charges.event_key
                rows between unbounded preceding and 1 preceding
            ), 0
        ) as open_before
    from left_by_code as charges
    left join credits on charges.forum = credits.forum and charges.account_key = credits.account_key
    left join to_fees on charges.forum = to_fees.forum and charges.account_key = to_fees.account_key
    left join counted on charges.forum = counted.forum and charges.account_key = counted.account_key
    left join on_rent on charges.forum = on_rent.forum and charges.account_key = on_rent.account_key
),

int_arrears__extras as (
    select
        in_line.forum,
        in_line.account_key,
        in_line.event_key,
        in_line.source_system,
        in_line.lease_id,
        in_line.property_id,
        in_line.as_of_on as as_of,
        in_line.source_table,
        in_line.source_id as charge_id,
        in_line.charge_code,
        in_line.category,
        in_line.due_on,
        {{ money('in_line.net') }} as charged_amount,
        {{ money('in_line.net - in_line.left_open + least(greatest(in_line.pool - in_line.open_before, 0), in_line.left_open)') }} as paid_amount,
        {{ money('in_line.left_open - least(greatest(in_line.pool - in_line.open_before, 0), in_line.left_open)') }} as claimable,
        treatments.reason,
        treatments.citation
    from in_line
    inner join rule_charge_treatments as treatments on in_line.treatment_key = treatments.treatment_key
)

select * from int_arrears__extras
