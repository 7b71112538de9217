-- Why figures may lack something, one row per cause: a batch that was promised and has not come, a file that was refused
-- whole, a control total of the source that differs. This is the one meaning of incomplete: the manifest, the status, the
-- close, the pages and the documents all read it. Where entity, property or period is empty, all of them may be touched.

with int_completeness__batches as (
    select * from {{ ref('int_completeness__batches') }}
),

stg_batches as (
    select * from {{ ref('stg_batches') }}
),

int_tie_outs__control_totals as (
    select * from {{ ref('int_tie_outs__control_totals') }}
),

missing_batches as (
    select
        'missing_batch' as cause,
        source_system,
        table_name,
        entity_key,
        entity_id,
        property_key,
        property_id,
        {{ text('null') }} as lease_id,
        period_from,
        period_to,
        due_on,
        {{ text('null') }} as file,
        table_name || ' of source system ' || source_system || coalesce(', property ' || property_id, ', entity ' || entity_id, '')
        || ', for ' || cast(period_from as {{ dbt.type_string() }})
        || case when period_to > period_from then ' to ' || cast(period_to as {{ dbt.type_string() }}) else '' end
        || ' have not come; they were due on ' || cast(due_on as {{ dbt.type_string() }}) || '.' as message
    from int_completeness__batches
    where status = 'missing'
),

refused_files as (
    select
        'refused_file' as cause,
        source_system,
        table_name,
        {{ text('null') }} as entity_key,
        {{ text('null') }} as entity_id,
        {{ text('null') }} as property_key,
        {{ text('null') }} as property_id,
        {{ text('null') }} as lease_id,
        {{ day('null') }} as period_from,
        {{ day('null') }} as period_to,
        {{ day('null') }} as due_on,
        file,
        coalesce(message, file || ' could not be read.') as message
    from stg_batches
    where status = 'refused'
),

control_totals as (
    select
        'control_total_differs' as cause,
        source_system,
        {{ text('null') }} as table_name,
        entity_key,
        entity_id,
        place_key as property_key,
        place_id as property_id,
        lease_id,
        {{ month_start('as_of') }} as period_from,
        as_of as period_to,
        {{ day('null') }} as due_on,
        file,
        measure || ' of ' || coalesce('lease ' || lease_id, 'property ' || property_id, 'all its leases') || ' in ' || source_report
        || ' of source system ' || source_system || ', ' || cast(as_of as {{ dbt.type_string() }}) || ': the report says '
        || cast({{ money('reported_amount') }} as {{ dbt.type_string() }}) || ', found here '
        || cast(found_amount as {{ dbt.type_string() }}) || ', difference ' || cast(difference as {{ dbt.type_string() }})
        || '; look at ' || file || ' row ' || cast(row_number as {{ dbt.type_string() }}) || '.' as message
    from int_tie_outs__control_totals
    where difference <> 0
),

int_tie_outs__incomplete as (
    select * from missing_batches
    union all
    select * from refused_files
    union all
    select * from control_totals
)

select * from int_tie_outs__incomplete
