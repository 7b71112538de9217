"""The shipped sample: a small town of leases, some of them stories whose answers were worked out by hand.

`write_sample(folder)` fills a landing folder. Stories and reference tables are files of the repository
(`seeds/sample`); the ordinary life around them is made here, the same bytes on every machine.
"""

from orchestration.sample.write import SampleInfo, write_sample

__all__ = ["SampleInfo", "write_sample"]
