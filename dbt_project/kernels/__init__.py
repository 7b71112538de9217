"""Pure functions, table to table, that the warehouse calls where set logic ends."""
