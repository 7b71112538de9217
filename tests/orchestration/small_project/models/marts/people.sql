select person_id, name, email, batch_id from {{ ref('stg_persons') }}
