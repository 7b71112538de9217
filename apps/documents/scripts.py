"""Names as a PDF must be given them: letters joined, right-to-left words in the order in which they are drawn.

A PDF draws glyphs from left to right and joins nothing, so a Hebrew or Arabic name handed over as it is stored comes
out backwards and, in Arabic, in letters that do not touch. Documents here are English, left to right, with such words
in them; so it is enough to turn each right-to-left word group by itself and to leave the rest in place. Numbers inside
a group keep their own direction, marks stay on their letter, brackets are mirrored. The joined forms of the Arabic
letters are read from the character database itself. Everything else passes through unchanged.
"""

from __future__ import annotations

import unicodedata
from functools import cache

MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")
# What may stand inside a right-to-left group without ending it; a comma between two names ends it.
INNER = set(" -'’\"״׳.()[]\u200e\u200f")
FORMS = ("isolated", "final", "initial", "medial")


@cache
def _joined_forms() -> dict[str, dict[str, str]]:
    """For each Arabic letter, and for lam with alef, the character of each of its joined forms."""
    forms: dict[str, dict[str, str]] = {}
    for code in (*range(0xFB50, 0xFBB2), *range(0xFBD3, 0xFC00), *range(0xFE80, 0xFEFD)):
        tag, _, letters = unicodedata.decomposition(chr(code)).partition("> ")
        if letters and tag[1:] in FORMS:
            logical = "".join(chr(int(letter, 16)) for letter in letters.split())
            forms.setdefault(logical, {})[tag[1:]] = chr(code)
    return forms


def _is_right(character: str) -> bool:
    return unicodedata.bidirectional(character) in ("R", "AL")


def _is_mark(character: str) -> bool:
    return unicodedata.category(character) in ("Mn", "Me")


def _is_digit(character: str) -> bool:
    return unicodedata.bidirectional(character) in ("EN", "AN")


def joined(word: str) -> str:
    """Arabic letters of a text in logical order replaced by the form that touches their neighbours."""
    forms = _joined_forms()
    letters: list[str] = []
    marks: list[str] = []
    for character in word:
        if _is_mark(character) and letters:
            marks[-1] += character
        elif letters and letters[-1] + character in forms:
            letters[-1] += character
            marks.append("")
            letters.append("")
        else:
            letters.append(character)
            marks.append("")
    shown: list[str] = []
    solid = [index for index, letter in enumerate(letters) if letter]
    for position, index in enumerate(solid):
        letter = letters[index]
        own = forms.get(letter, {})
        before = forms.get(letters[solid[position - 1]], {}) if position else {}
        after = forms.get(letters[solid[position + 1]], {}) if position + 1 < len(solid) else {}
        touches_before = "final" in own and "initial" in before
        touches_after = "initial" in own and "final" in after
        form = FORMS[touches_before + 2 * touches_after]
        tail = marks[index] + (marks[index + 1] if index + 1 < len(letters) and not letters[index + 1] else "")
        shown.append(own.get(form, letter) + tail)
    return "".join(shown)


def _turned(group: str) -> str:
    """A right-to-left group in drawing order: clusters reversed, numbers kept."""
    clusters: list[str] = []
    for character in joined(group).translate(MIRRORED):
        previous = clusters[-1] if clusters else ""
        if previous and (_is_mark(character) or (_is_digit(character) and _is_digit(previous[-1]))):
            clusters[-1] += character
        else:
            clusters.append(character)
    return "".join(reversed(clusters))


def drawn(value: str) -> str:
    """``value`` in the order and the forms in which it is drawn from left to right."""
    if not any(_is_right(character) for character in value):
        return value
    shown: list[str] = []
    start = 0
    while start < len(value):
        if not _is_right(value[start]):
            shown.append(value[start])
            start += 1
            continue
        end = last = start + 1
        while end < len(value):
            character = value[end]
            if _is_right(character) or _is_mark(character):
                last = end + 1
            elif not (_is_digit(character) or character in INNER):
                break
            end += 1
        shown.append(_turned(value[start:last]))
        start = last
    return "".join(shown)
