"""Documents: pure functions from a published build to the bytes of a file. The command and the pages both call them."""
