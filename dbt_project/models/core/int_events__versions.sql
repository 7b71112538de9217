-- Which version of everything each entry is played and booked with: owner, charge code, what the law counts as rent,
-- account, law and policy - each as valid on the entry's day and as the books knew it when the entry was known.
-- What could go wrong: a setting made later that moves money applied earlier.
with int_events__placed as (
    select * from {{ ref('int_events__placed') }}
),

int_portfolio__owners as (
    select * from {{ ref('int_portfolio__owners') }}
),

int_portfolio__entities as (
    select * from {{ ref('int_portfolio__entities') }}
),

int_portfolio__codes as (
    select * from {{ ref('int_portfolio__codes') }}
),

int_portfolio__gl_mappings as (
    select * from {{ ref('int_portfolio__gl_mappings') }}
),

int_portfolio__lease_terms as (
    select * from {{ ref('int_portfolio__lease_terms') }}
),

int_portfolio__leases as (
    select * from {{ ref('int_portfolio__leases') }}
),

rule_application as (
    select * from {{ ref('rule_application') }} where is_eligible
),

rule_charge_treatments as (
    select * from {{ ref('rule_charge_treatments') }}
    where
        (purpose = 'payment_application' and treatment in ('rent', 'not_rent'))
        -- To a forum, whatever is said of a class of charge other than that it is rent says that it is none.
        or purpose = 'tribunal_application'
),

owned as (
    select
        placed.event_key,
        max_by(owners.owner_key, {{ owner_fit('owners', 'placed.business_on') }}) as owner_key
    from int_events__placed as placed
    inner join int_portfolio__owners as owners
        on
            placed.property_key = owners.property_key
            and {{ known_when('owners', 'placed.known_at') }}
    group by placed.event_key
),

-- A version that is valid and known; else the earliest valid one; else the first of the code.
coded as (
    select
        placed.event_key,
        max_by(
            codes.code_version_key,
            {{ version_fit('codes', 'placed.classified_on', 'placed.classified_at') }}
        ) as code_version_key
    from int_events__placed as placed
    inner join int_portfolio__codes as codes on placed.code_key = codes.code_key
    group by placed.event_key
),

keyed as (
    select
        placed.event_key,
        placed.terms_key,
        placed.code_key,
        placed.business_on,
        placed.known_at,
        placed.classified_on,
        placed.classified_at,
        owned.owner_key,
        coded.code_version_key,
        entities.chart_key
    from int_events__placed as placed
    inner join owned on placed.event_key = owned.event_key
    inner join int_portfolio__owners as owners on owned.owner_key = owners.owner_key
    left join int_portfolio__entities as entities on owners.entity_key = entities.entity_key
    left join coded on placed.event_key = coded.event_key
),

-- Few pairs of code and place exist, however many entries: the law is looked up for the pair.
pair_treatments as (
    select
        pairs.owner_key,
        pairs.code_version_key,
        treatments.purpose,
        treatments.treatment = 'rent' as counts_as_rent,
        treatments.valid_from,
        treatments.valid_to,
        treatments.known_from,
        treatments.known_to,
        row_number() over (
            partition by pairs.owner_key, pairs.code_version_key, treatments.purpose
            order by
                length(treatments.jurisdiction), case when treatments.charge_code is null then 0 else 1 end,
                treatments.valid_from, treatments.treatment_key
        ) as place
    from (select distinct owner_key, code_version_key from keyed where code_version_key is not null) as pairs
    inner join int_portfolio__owners as owners on pairs.owner_key = owners.owner_key
    inner join int_portfolio__codes as codes on pairs.code_version_key = codes.code_version_key
    inner join rule_charge_treatments as treatments
        on
            {{ covers_place('treatments.jurisdiction', 'owners.jurisdiction') }}
            and (treatments.charge_code = codes.charge_code or (treatments.charge_code is null and treatments.category = codes.category))
),

treated as (
    select
        keyed.event_key,
        max_by(
            case when treatments.purpose = 'payment_application' then treatments.counts_as_rent end,
            case when treatments.purpose = 'payment_application' then treatments.place end
        ) as is_rent_by_law,
        max_by(
            case when treatments.purpose = 'tribunal_application' then treatments.counts_as_rent end,
            case when treatments.purpose = 'tribunal_application' then treatments.place end
        ) as is_rent_in_forum
    from keyed
    inner join pair_treatments as treatments
        on
            keyed.owner_key = treatments.owner_key
            and keyed.code_version_key = treatments.code_version_key
            and {{ holds_on('treatments', 'keyed.classified_on') }}
            and {{ known_when('treatments', 'keyed.classified_at') }}
    group by keyed.event_key
),

mapped as (
    select
        keyed.event_key,
        max_by(
            mappings.account,
            {{ version_fit('mappings', 'keyed.classified_on', 'keyed.classified_at') }}
        ) as gl_account
    from keyed
    inner join int_portfolio__gl_mappings as mappings on keyed.chart_key = mappings.chart_key and keyed.code_key = mappings.code_key
    group by keyed.event_key
),

-- Rules a lease can come under in a place, in order of precedence (the last one wins): for a law the most local
-- jurisdiction, for a policy program over lease over property over the operator's default over the built-in one;
-- then the latest start and the highest version.
lease_rules as (
    select
        pairs.terms_key,
        pairs.owner_key,
        rules.source = 'law' as is_law,
        rules.rule_key,
        rules.valid_from,
        rules.valid_to,
        rules.known_from,
        rules.known_to,
        row_number() over (
            partition by pairs.terms_key, pairs.owner_key, rules.source = 'law'
            order by
                case
                    when rules.source = 'law' then length(rules.scope_id)
                    when rules.source = 'built_in' then 0
                    when rules.scope = 'default' then 1
                    when rules.scope = 'property' then 2
                    when rules.scope = 'lease' then 3
                    else 4
                end,
                rules.valid_from, rules.version, rules.rule_id, rules.rule_key
        ) as place
    from (select distinct terms_key, owner_key from keyed where terms_key is not null) as pairs
    inner join int_portfolio__lease_terms as terms on pairs.terms_key = terms.terms_key
    inner join int_portfolio__leases as leases on terms.lease_key = leases.lease_key
    inner join int_portfolio__owners as owners on pairs.owner_key = owners.owner_key
    inner join rule_application as rules
        on
            (rules.source = 'law' and rules.scope = 'jurisdiction' and {{ covers_place('rules.scope_id', 'owners.jurisdiction') }})
            or rules.source = 'built_in'
            or (
                rules.source = 'policy'
                and (
                    rules.scope = 'default'
                    or (rules.scope = 'program' and rules.scope_id = terms.program)
                    or (rules.scope = 'property' and rules.scope_id = leases.property_id and rules.source_system in (leases.source_system, 'default'))
                    or (rules.scope = 'lease' and rules.scope_id = leases.lease_id and rules.source_system in (leases.source_system, 'default'))
                )
            )
),

ruled as (
    select
        keyed.event_key,
        max_by(case when rules.is_law then rules.rule_key end, case when rules.is_law then rules.place end) as law_rule_key,
        max_by(case when rules.is_law then null else rules.rule_key end, case when rules.is_law then null else rules.place end) as policy_rule_key
    from keyed
    inner join lease_rules as rules
        on
            keyed.terms_key = rules.terms_key
            and keyed.owner_key = rules.owner_key
            and {{ holds_on('rules', 'keyed.business_on') }}
            and {{ known_when('rules', 'keyed.known_at') }}
    group by keyed.event_key
),

int_events__versions as (
    select
        keyed.event_key,
        keyed.owner_key,
        keyed.code_version_key,
        treated.is_rent_by_law,
        treated.is_rent_in_forum,
        mapped.gl_account,
        ruled.law_rule_key,
        ruled.policy_rule_key
    from keyed
    left join treated on keyed.event_key = treated.event_key
    left join mapped on keyed.event_key = mapped.event_key
    left join ruled on keyed.event_key = ruled.event_key
)

select * from int_events__versions
