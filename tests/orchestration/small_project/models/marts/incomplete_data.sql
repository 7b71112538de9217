select cast(message as varchar) as message from {{ source('landing', 'batches') }} where status = 'refused'
