-- What the published build is: its number, its as-of day and when its last files were loaded.
select * from build_info
