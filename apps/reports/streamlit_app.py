"""The pages. `tieout app` starts them; this file only says which pages there are."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

ICON = Path(__file__).parent / "views" / "icon.svg"

st.set_page_config(page_title="Tieout", page_icon=str(ICON), layout="wide")

page = st.navigation(
    [
        st.Page("app_pages/close_status.py", title="Close status", icon=":material/task_alt:", default=True),
        st.Page(
            "app_pages/completeness.py", title="Completeness", icon=":material/inventory:", url_path="completeness"
        ),
        st.Page("app_pages/quarantine.py", title="Quarantine", icon=":material/rule:", url_path="quarantine"),
        st.Page("app_pages/aging.py", title="Aging", icon=":material/hourglass_empty:", url_path="aging"),
        st.Page("app_pages/household_ledger.py", title="Household ledger", icon=":material/home:", url_path="ledger"),
    ]
)
page.run()
