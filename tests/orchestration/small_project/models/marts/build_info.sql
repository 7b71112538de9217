select build_no, (select count(*) from {{ ref('people') }}) as people from {{ ref('int_build__settings') }}
