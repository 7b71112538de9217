-- What this build was told: its number, when its batches were loaded, and the day it stands on. Read from the
-- environment here and nowhere else, as is on how many accounts the money is played a second time. Without a day it is
-- the earliest local date among the properties at the load.
with stg_properties as (
    select * from {{ ref('stg_properties') }}
),

told as (
    select
        nullif('{{ env_var("TIEOUT_AS_OF", "") }}', '') as as_of,
        cast(nullif('{{ env_var("TIEOUT_BUILD_NO", "") }}', '') as bigint) as build_no,
        cast(replace(nullif('{{ env_var("TIEOUT_LOADED_AT", "") }}', ''), 'Z', '') as timestamp) as loaded_at,
        cast('{{ env_var("TIEOUT_TWIN_ACCOUNTS", "200") }}' as integer) as twin_accounts
),

-- Without a run around it (a developer's build) the latest acceptance is the load.
loaded as (
    select
        told.as_of,
        coalesce(told.build_no, 0) as build_no,
        coalesce(told.loaded_at, (select max(accepted_at) from stg_properties), timestamp '1970-01-01 00:00:00') as loaded_at,
        told.twin_accounts
    from told
),

local_days as (
    select min({{ local_day('loaded.loaded_at', 'stg_properties.time_zone') }}) as earliest_on
    from stg_properties
    cross join loaded
),

int_build__settings as (
    select
        coalesce(cast(loaded.as_of as date), local_days.earliest_on, cast(loaded.loaded_at as date)) as as_of_on,
        loaded.build_no,
        loaded.loaded_at,
        loaded.twin_accounts
    from loaded
    cross join local_days
)

select * from int_build__settings
