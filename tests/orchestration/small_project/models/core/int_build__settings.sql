select
    coalesce(try_cast('{{ env_var("TIEOUT_AS_OF", "") }}' as date), date '2026-10-31') as as_of_on,
    cast('{{ env_var("TIEOUT_BUILD_NO", "0") }}' as bigint) as build_no
