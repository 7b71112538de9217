"""When things are made: by hand, at a close, at night, at month end, and when files arrive."""

import dagster as dg

from orchestration.components.month_end import month_end_job, month_end_schedule
from orchestration.components.occasions import close_job, landing_sensor, nightly_schedule, post_job, run_job

run = run_job()
close = close_job()
post = post_job()
month_end = month_end_job()

defs = dg.Definitions(
    jobs=[run, close, post, month_end],
    schedules=[nightly_schedule(run), month_end_schedule(month_end)],
    sensors=[landing_sensor(run)],
)
