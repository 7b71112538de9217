"""When things are made: by hand, at a close, at night, and when files arrive."""

import dagster as dg

from orchestration.components.occasions import close_job, landing_sensor, nightly_schedule, post_job, run_job

run = run_job()
close = close_job()
post = post_job()

defs = dg.Definitions(jobs=[run, close, post], schedules=[nightly_schedule(run)], sensors=[landing_sensor(run)])
