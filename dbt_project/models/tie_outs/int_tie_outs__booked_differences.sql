-- What each difference against the books' own ledger is made of: the lines that stand on one side only by that day, with a
-- word for why, and what no line explains. All rows of a comparison add up to its difference, so nothing is left over and
-- nothing is forced to agree. An account that no posting can reach is unmapped as a whole.
-- What could go wrong: lines of an earlier fiscal year explaining a balance that opened at zero; they are left out there.

with tie_derived_ledger__to__booked_ledger as (
    select
        *,
        case when subject like 'cash account %' then 'cash' else 'accrual' end as basis,
        substr(subject, length(case when subject like 'cash account %' then 'cash' else 'accrual' end || ' account ') + 1)
            as account
    from {{ ref('tie_derived_ledger__to__booked_ledger') }}
),

int_tie_outs__booked_items as (
    select * from {{ ref('int_tie_outs__booked_items') }}
),

int_portfolio__entities as (
    select * from {{ ref('int_portfolio__entities') }}
),

int_portfolio__gl_accounts as (
    select * from {{ ref('int_portfolio__gl_accounts') }}
),

int_portfolio__gl_mappings as (
    select distinct chart_key, account from {{ ref('int_portfolio__gl_mappings') }}
),

differing as (
    select
        ties.*,
        accounts.type as account_type,
        accounts.role is null and mappings.account is null as is_unmapped,
        cast(substr(entities.fiscal_year_end, 1, 2) as integer) as last_month
    from tie_derived_ledger__to__booked_ledger as ties
    inner join int_portfolio__entities as entities on ties.entity_key = entities.entity_key
    left join int_portfolio__gl_accounts as accounts
        on accounts.chart_key = entities.chart_key
        and accounts.account = ties.account
    left join int_portfolio__gl_mappings as mappings
        on mappings.chart_key = entities.chart_key
        and mappings.account = ties.account
    where ties.difference <> 0
),

years as (
    select
        *,
        case
            when account_type in ('income', 'contra_income', 'expense')
                then {{ add_months(
                    "cast(cast(cast(extract(year from as_of) as integer) - case when extract(month from as_of) > last_month then 0 else 1 end as string) || '-' || lpad(cast(last_month as string), 2, '0') || '-01' as date)",
                    1
                ) }}
            else date '0001-01-01'
        end as counts_from
    from differing
),

explained as (
    select
        years.entity_key,
        years.property_key,
        years.as_of,
        years.basis,
        years.account,
        items.class,
        items.amount,
        items.first_on,
        items.entry,
        items.line_key
    from years
    inner join int_tie_outs__booked_items as items
        on items.entity_key = years.entity_key
        and coalesce(items.property_key, '') = coalesce(years.property_key, '')
        and items.basis = years.basis
        and items.account = years.account
        and items.first_on <= years.as_of
        and (items.last_on is null or years.as_of < items.last_on)
        and items.first_on >= years.counts_from
    where not years.is_unmapped
),

explained_sums as (
    select entity_key, property_key, as_of, basis, account, sum(amount) as amount
    from explained
    group by entity_key, property_key, as_of, basis, account
),

lines as (
    select * from explained
    union all
    select
        years.entity_key,
        years.property_key,
        years.as_of,
        years.basis,
        years.account,
        case when years.is_unmapped then 'unmapped' else 'unexplained' end,
        years.difference - coalesce(explained_sums.amount, 0),
        null,
        case
            when years.is_unmapped then 'no charge code and no role leads to account ' || years.account
            else 'no journal line explains it'
        end,
        'rest'
    from years
    left join explained_sums
        on explained_sums.entity_key = years.entity_key
        and coalesce(explained_sums.property_key, '') = coalesce(years.property_key, '')
        and explained_sums.as_of = years.as_of
        and explained_sums.basis = years.basis
        and explained_sums.account = years.account
    where years.difference <> coalesce(explained_sums.amount, 0)
),

int_tie_outs__booked_differences as (
    select
        lines.basis as book,
        {{ source_system_of('lines.entity_key', 'years.entity_id') }} as source_system,
        lines.entity_key,
        years.entity_id,
        lines.property_key,
        years.property_id,
        lines.account,
        lines.as_of,
        cast(row_number() over (
            partition by lines.entity_key, lines.property_key, lines.as_of, lines.basis, lines.account
            order by lines.first_on, lines.line_key
        ) as integer) as line_no,
        lines.class,
        {{ money('lines.amount') }} as amount,
        lines.first_on,
        lines.entry
    from lines
    inner join years
        on years.entity_key = lines.entity_key
        and coalesce(years.property_key, '') = coalesce(lines.property_key, '')
        and years.as_of = lines.as_of
        and years.basis = lines.basis
        and years.account = lines.account
)

select * from int_tie_outs__booked_differences
