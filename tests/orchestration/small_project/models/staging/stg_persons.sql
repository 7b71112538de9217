select person_id, name, email, batch_id from {{ source('landing', 'persons') }}
