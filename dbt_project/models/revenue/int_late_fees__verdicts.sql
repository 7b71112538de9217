-- The verdict on each late fee, and for a late payment without one what would have been lawful: all clocks, the least of
-- all maximums, what was charged before for the same late payment. What can be proven wrong is said first; what cannot
-- be proven is said so and never called lawful.
-- What could go wrong: silence of the books taken for permission.
with int_late_fees__cases as (
    select * from {{ ref('int_late_fees__cases') }}
),

int_late_fees__maximums as (
    select * from {{ ref('int_late_fees__maximums') }}
),

gathered as (
    select
        case_key,
        max(case when source = 'law' then 1 else 0 end) as has_law,
        max(case when source = 'policy' then 1 else 0 end) as has_policy,
        max(case when is_prohibited then 1 else 0 end) as has_prohibition,
        max(first_eligible_on) as first_eligible_on,
        max(lenient_first_eligible_on) as lenient_first_eligible_on,
        min(case when source = 'law' then maximum end) as lawful_maximum,
        min(case when source = 'policy' then maximum end) as policy_maximum,
        min(case when not is_human_basis_needed then maximum end) as firm_maximum,
        min(maximum) as least_maximum,
        min(count_limit) as count_limit,
        max(case when is_human_basis_needed then 1 else 0 end) as has_human_basis,
        max(case when is_human_basis_needed and maximum is null then 1 else 0 end) as has_open_basis,
        max(case when source = 'law' and is_agreement_needed then 1 else 0 end) as has_agreement_needed,
        max(unproven_because) as unproven_because,
        -- The law that bites: the least maximum, else the latest clock; ties by id.
        min_by(rule_id, case when source = 'law' and maximum is not null then cast(maximum as decimal(38, 2)) * 1000 + place end) as law_with_maximum,
        min_by(version, case when source = 'law' and maximum is not null then cast(maximum as decimal(38, 2)) * 1000 + place end) as law_with_maximum_version,
        min_by(base, case when source = 'law' and maximum is not null then cast(maximum as decimal(38, 2)) * 1000 + place end) as base,
        min_by(base_amount, case when source = 'law' and maximum is not null then cast(maximum as decimal(38, 2)) * 1000 + place end) as base_amount,
        max(case when source = 'policy' then rule_id end) as policy_rule_id,
        max(case when source = 'policy' then version end) as policy_rule_version
    from (
        select
            int_late_fees__maximums.*,
            row_number() over (partition by case_key order by rule_id, version) as place
        from int_late_fees__maximums
    ) as ranked
    group by case_key
),

timed as (
    select
        case_key,
        max_by(rule_id, latest) as law_with_clock,
        max_by(version, latest) as law_with_clock_version
    from (
        select
            case_key,
            rule_id,
            version,
            {{ days_between("date '1900-01-01'", "coalesce(first_eligible_on, date '1900-01-01')") }} * 1000 - row_number() over (partition by case_key order by rule_id, version) as latest
        from int_late_fees__maximums
        where source = 'law'
    ) as clocked
    group by case_key
),

judged as (
    select
        cases.*,
        coalesce(gathered.has_law, 0) = 1 as is_law_on_file,
        coalesce(gathered.has_policy, 0) = 1 as is_policy_on_file,
        coalesce(gathered.has_prohibition, 0) = 1 as is_prohibited,
        case when coalesce(gathered.has_prohibition, 0) = 0 then gathered.first_eligible_on end as first_eligible_on,
        case when coalesce(gathered.has_prohibition, 0) = 0 then gathered.lenient_first_eligible_on end as lenient_first_eligible_on,
        gathered.lawful_maximum as stated_lawful_maximum,
        gathered.policy_maximum,
        gathered.firm_maximum,
        gathered.least_maximum,
        gathered.count_limit,
        coalesce(gathered.has_human_basis, 0) = 1 as has_human_basis,
        coalesce(gathered.has_open_basis, 0) = 1 as has_open_basis,
        coalesce(gathered.has_agreement_needed, 0) = 1 and coalesce(gathered.has_policy, 0) = 0 as is_agreement_missing,
        gathered.unproven_because,
        coalesce(gathered.law_with_maximum, timed.law_with_clock) as law_rule_id,
        coalesce(gathered.law_with_maximum_version, timed.law_with_clock_version) as law_rule_version,
        gathered.base,
        gathered.base_amount,
        gathered.policy_rule_id,
        gathered.policy_rule_version
    from int_late_fees__cases as cases
    left join gathered on cases.case_key = gathered.case_key
    left join timed on cases.case_key = timed.case_key
),

limited as (
    select
        judged.*,
        -- Rent that came in before a fee could start bears none, whatever the rule's amount.
        case
            when paid_on is not null and paid_on < lenient_first_eligible_on then 'in_time'
            when paid_on is not null and paid_on < first_eligible_on then 'disputed'
            else 'late'
        end as lateness,
        {{ money('charged_before + posted') }} as running_total
    from judged
),

proven as (
    select
        limited.*,
        case when lateness = 'in_time' then {{ money('0') }} else stated_lawful_maximum end as lawful_maximum,
        case
            when posted is null then null
            when ledger_party <> 'resident' then 'on_subsidy'
            when is_prohibited then 'not_permitted'
            when is_on_hold then 'during_hold'
            when due_on is null then 'not_permitted'
            when posted_on < lenient_first_eligible_on then 'too_early'
            when lateness = 'in_time' then 'not_permitted'
            when count_limit is not null and fees_before >= count_limit then 'too_many'
            when firm_maximum is not null and running_total > firm_maximum then 'too_much'
            when not is_law_on_file then 'no_rule_on_file'
            when unproven_because is not null or is_agreement_missing or has_open_basis then 'needs_human_basis'
            when has_human_basis and least_maximum is not null and running_total > least_maximum then 'needs_human_basis'
            when firm_maximum is null and not has_human_basis then 'needs_human_basis'
            when posted_on < first_eligible_on or lateness = 'disputed' then 'contestable'
            else 'lawful'
        end as verdict
    from limited
),

weighed as (
    select
        case_key,
        lease_key,
        lease_id,
        source_system,
        ledger_party,
        property_key,
        property_id,
        jurisdiction,
        period_from,
        period_to,
        due_on,
        charge_key,
        charge_id,
        posted,
        posted_on,
        paid_on,
        first_eligible_on,
        lenient_first_eligible_on,
        base,
        base_amount,
        monthly_rent,
        period_rent,
        past_due_rent,
        charged_before,
        running_total,
        lawful_maximum,
        policy_maximum,
        law_rule_id,
        cast(law_rule_version as integer) as law_rule_version,
        policy_rule_id,
        cast(policy_rule_version as integer) as policy_rule_version,
        verdict,
        verdict in ('no_rule_on_file', 'needs_human_basis') as is_unproven,
        {{ money("""
            case
                when posted is null then null
                when verdict in ('on_subsidy', 'not_permitted', 'during_hold', 'too_early', 'too_many') then posted
                when verdict = 'too_much' then least(posted, running_total - firm_maximum)
                else 0
            end""") }} as overcharge,
        {{ money("case when verdict = 'needs_human_basis' then case when least_maximum is null or unproven_because is not null or is_agreement_missing or has_open_basis then posted else least(posted, running_total - least_maximum) end when verdict = 'no_rule_on_file' then posted when posted is not null then 0 end") }} as unproven_amount,
        case
            when verdict = 'on_subsidy' then 'a late fee runs against the resident''s share only'
            when is_prohibited then 'the law permits no late fee'
            when verdict = 'during_hold' then 'a hold on the case was in force'
            when due_on is null then 'no rent was due for which it could be charged'
            when verdict = 'too_early' then 'posted before the first day on which a fee may start'
            when verdict = 'not_permitted' then 'the rent was paid before a fee could start'
            when verdict = 'too_many' then 'another fee was charged for the same late payment'
            when verdict = 'too_much' then 'more than the lesser of law and policy, with what was charged before for the same late payment'
            when verdict = 'no_rule_on_file' then 'no rule of law is on file for this place and day'
            when unproven_because is not null then unproven_because
            when is_agreement_missing then 'the law asks for a written agreement and none is on file'
            when verdict = 'needs_human_basis' and has_human_basis and least_maximum is not null and not has_open_basis then 'above what the law takes to be reasonable: only evidence can justify it'
            when verdict = 'needs_human_basis' and has_open_basis then 'the law asks for a reasonable fee: only a person can say'
            when verdict = 'needs_human_basis' then 'neither law nor agreement on file says how much'
            when verdict = 'contestable' then 'between the strict and the lenient reading of when a fee may start'
            when not is_law_on_file then 'no rule of law is on file for this place and day'
        end as reason,
        is_law_on_file,
        is_policy_on_file,
        -- What may be posted for this late payment now, and never a cent that cannot be proven.
        {{ money("""
            case
                when not is_law_on_file or not is_policy_on_file or is_prohibited or is_on_hold or ledger_party <> 'resident' then 0
                when unproven_because is not null or has_open_basis or is_agreement_missing or due_on is null then 0
                when lateness <> 'late' or first_eligible_on is null or assessed_on < first_eligible_on then 0
                when policy_maximum is null or (count_limit is not null and fees_ever >= count_limit) then 0
                -- A fee that was waived is not put back: what was ever charged counts here.
                else greatest(least_maximum - charged_ever, 0)
            end""") }} as postable_amount,
        is_waived,
        waived_amount,
        waived_on,
        waived_by,
        waiver_approved_by,
        waiver_reason,
        waiver_charge_id,
        posted_by,
        batch_id,
        file,
        row_number
    from proven
),

int_late_fees__verdicts as (
    select
        *,
        -- A waiver takes off what was wrong first: who waives a part means that part.
        {{ money('case when overcharge is not null then greatest(overcharge - coalesce(waived_amount, 0), 0) end') }} as overcharge_left,
        {{ money('case when unproven_amount is not null then greatest(unproven_amount - coalesce(waived_amount, 0), 0) end') }} as unproven_left
    from weighed
)

select * from int_late_fees__verdicts
