"""Parts that pages share: the frame around a page, tables, charts."""
