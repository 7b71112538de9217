"""What every PDF document shares: fonts, margins, escaped text and numbered pages."""

from __future__ import annotations

import unicodedata
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO
from xml.sax.saxutils import escape

from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import LETTER
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate

from apps.documents.scripts import drawn

FONTS = Path(__file__).parent / "fonts"
FONT, FONT_BOLD = "DejaVuSans", "DejaVuSans-Bold"
MARGIN = 54
FOOTER_INK = HexColor("#5b6764")


@cache
def _register() -> None:
    for name in (FONT, FONT_BOLD):
        pdfmetrics.registerFont(TTFont(name, str(FONTS / f"{name}.ttf")))
    pdfmetrics.registerFontFamily(FONT, normal=FONT, bold=FONT_BOLD, italic=FONT, boldItalic=FONT_BOLD)


_register()


def text(value: object) -> str:
    """Any text of the data as paragraph markup: shown as it is, never read as markup; control characters dropped.

    Letters of scripts that DejaVu has no glyphs for (Chinese, Japanese, Korean, Indic, Thai) show as empty boxes.
    """
    shown = "" if value is None else str(value)
    shown = "".join(" " if each in "\t\r\n" else each for each in shown)
    return escape(drawn("".join(each for each in shown if unicodedata.category(each) not in ("Cc", "Cs"))))


def letter_document(target: BinaryIO, *, title: str, author: str, subject: str) -> BaseDocTemplate:
    """A US Letter document whose text starts exactly at the margin. Carries no clock: same story, same bytes."""
    document = BaseDocTemplate(
        target,
        pagesize=LETTER,
        leftMargin=MARGIN,
        rightMargin=MARGIN,
        topMargin=MARGIN,
        bottomMargin=MARGIN + 14,
        title=title,
        author=author,
        subject=subject,
        creator="Tieout",
        lang="en-US",
        invariant=1,
    )
    frame = Frame(
        document.leftMargin,
        document.bottomMargin,
        document.width,
        document.height,
        leftPadding=0,
        rightPadding=0,
        topPadding=0,
        bottomPadding=0,
    )
    document.addPageTemplates(PageTemplate(frames=[frame]))
    return document


def numbered_canvas(footer: str) -> type[Canvas]:
    """A canvas class that writes ``footer`` and ``Page 1 of 3`` at the foot of each page."""

    class NumberedCanvas(Canvas):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self._pages: list[dict[str, Any]] = []

        def showPage(self) -> None:
            self._pages.append(dict(self.__dict__))
            self._startPage()

        def save(self) -> None:
            for number, page in enumerate(self._pages, start=1):
                self.__dict__.update(page)
                self.setFont(FONT, 7)
                self.setFillColor(FOOTER_INK)
                self.drawString(MARGIN, MARGIN - 14, footer)
                self.drawRightString(LETTER[0] - MARGIN, MARGIN - 14, f"Page {number} of {len(self._pages)}")
                super().showPage()
            super().save()

    return NumberedCanvas
