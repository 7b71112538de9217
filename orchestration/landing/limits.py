"""How large a landed file may be in each direction. Beyond these it is not read: it would only fill the machine.

Every limit says what it was measured by and what breaks where it moves. All of them lie far above what a system of
record exports in a day, and far below what a machine of 8 GB can hold.
"""

from __future__ import annotations

#: Bytes of CSV or JSON lines that a gzip file may hold (8 GiB). Five million charges are 0.8 GB. CSV is read in blocks,
#: so this bounds time and disk, not memory: a bomb of 8 MB holds as much.
UNPACKED_BYTES = 8 * 1024**3
#: Bytes that a file may have that is read as a whole, unpacked (1 GiB): JSON lines, workbooks, Parquet as it lies on
#: disk. A full sheet of Excel (1,048,576 rows, 14 columns) is about 0.6 GB of XML.
WHOLE_BYTES = 1024**3
#: Entries of a workbook's zip archive. Excel writes a dozen, and one per sheet, picture and comment.
WORKBOOK_ENTRIES = 2_000
#: Rows of a sheet: the most that Excel has. A cell beyond it is damage.
SHEET_ROWS = 1_048_576
#: Values of a Parquet file, rows times columns (400 million): its encodings make a billion equal values out of some
#: bytes. Five million charges in all their columns are 110 million.
PARQUET_VALUES = 400_000_000
#: Columns of a file. The widest table here has about 30, the widest export seen some 300.
COLUMNS = 1_000
#: Bytes of one row (4 MiB). A memo has some thousand. Also the most that a row of CSV may reach over a block's end.
ROW_BYTES = 4 * 1024**2
#: Bytes of a text file that is read through a profile (256 MiB): its rows are cells in memory, some ten times as large.
#: A year of transactions of a hundred thousand leases is about as much; a month of theirs a tenth of it.
PROFILED_BYTES = 256 * 1024**2
