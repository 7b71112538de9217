"""Names for invented households. Given and family names are drawn apart: no row describes a living person."""

from __future__ import annotations

GIVEN: tuple[str, ...] = (
    "Ada", "Beni", "Calla", "Dario", "Elin", "Farid", "Greta", "Hollis", "Imani", "Jonas", "Kaya", "Lior", "Mirela",
    "Nils", "Oona", "Pavel", "Quilla", "Rasmus", "Sanna", "Tovi", "Ursin", "Vesna", "Wendel", "Ximena", "Yara",
    "Zoltan", "Aurel", "Brisa", "Corin", "Dagny", "Emre", "Fenna", "Gaspar", "Hilde", "Ivo", "Jorun", "Kiran",
    "Leonie", "Marit", "Nadim", "Orla", "Petra", "Rune", "Sorin", "Tilda", "Umar", "Viggo", "Wilma", "Yusra",
    "Zelda",
)  # fmt: skip

FAMILY: tuple[str, ...] = (
    "Aldermoor", "Birkhaven", "Castlewick", "Dunmarrow", "Eastvale", "Fennimoor", "Galloworth", "Hartsling",
    "Inglebrook", "Jessamy", "Kettlewood", "Larkmere", "Millthorne", "Netherby", "Oakenfell", "Pennywell",
    "Quillhaven", "Ravensby", "Stonebarrow", "Thistledown", "Underhay", "Valebrook", "Wetherlam", "Yarrowdale",
    "Zellmoor", "Ashcombe", "Brambleton", "Coldharbour", "Dovecroft", "Elmsgate", "Foxhollow", "Greenhalgh",
    "Hazelrigg", "Ivelbury", "Kingsmead", "Lindenow", "Marshgate", "Northolm", "Orchardson", "Peppercorn",
    "Rookwood", "Silverdale", "Tanglewick", "Westerby",
)  # fmt: skip
