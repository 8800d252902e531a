"""Which language a text is in: by its script, and for the Latin script by its commonest small words.

Fixed tables and counts, so that the same text has the same answer everywhere. A text of few words has none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

LEAST = 4
"""Small words that a Latin text must hold before it is said to be in a language."""
AHEAD = 1.5
"""How many times as many small words the language must have as the next one."""

_SCRIPTS: Mapping[str, str] = {
    "kana": "\u3040-\u30ff\uff66-\uff9f",
    "han": "\u3400-\u9fff\uf900-\ufaff",
    "hangul": "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af",
    "cyrillic": "\u0400-\u052f",
    "greek": "\u0370-\u03ff\u1f00-\u1fff",
    "hebrew": "\u0590-\u05ff",
    "arabic": "\u0600-\u06ff\u0750-\u077f",
    "devanagari": "\u0900-\u097f",
    "thai": "\u0e00-\u0e7f",
    "latin": "A-Za-z\u00c0-\u024f\u1e00-\u1eff",
}
_LETTERS = {script: re.compile(f"[{letters}]") for script, letters in _SCRIPTS.items()}
_ONE_LANGUAGE = {"hangul": "ko", "greek": "el", "hebrew": "he", "devanagari": "hi", "thai": "th", "kana": "ja"}
_UKRAINIAN = re.compile("[іїєґІЇЄҐ]")
_PERSIAN = re.compile("[پچژگ]")
_CODE = re.compile(r"```.*?```|`[^`\n]*`|https?://\S+|/paper/\S+", re.DOTALL)
_WORD = re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]+")

_SMALL_WORDS: Mapping[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": "the of and to in is that it for was on are as with they be at this have from or had by but what were"
        " when can there which their if will how about out them then these so would into has two than been who its no",
        "de": "der die das und ist von zu den mit sich des auf für nicht ein eine als auch es an werden aus er hat dass"
        " sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr",
        "fr": "le la les de des et est un une du en que qui dans pour pas sur ce il au par plus avec son sont ne se ou"
        " mais comme cette ces aux été nous vous elle leur ont être fait aussi même sans peut tout entre",
        "es": "el la los las de que y en un una es por con para no se lo su al como más pero sus le ya o este sí porque"
        " esta entre cuando muy sin sobre también me hasta hay donde quien desde todo nos durante uno ni contra",
        "it": "il la le di che e un una è per non con del della in sono si da al come più anche ma dei nel alla gli lo"
        " i questo questa essere ha alle delle dal sul tra molto suo sua loro quando dove perché cui stato",
        "pt": "o a os as de que e do da em um uma é para com não por mais dos das como mas foi ao ele sua ou ser quando"
        " muito há nos já está eu também só pelo pela até isso ela entre era depois sem mesmo aos ter seus",
        "nl": "de het een van en in is dat op te zijn met voor niet aan er om ook als dan maar bij nog uit wel naar"
        " heeft ze door werd worden tot over deze dit wordt hij kan geen al meer hun zich was hebben onder moet",
        "sv": "och att det i en är som på av för med den till inte har om ett de var jag men så kan vid från eller när"
        " hade ska under också efter upp vi än mycket sig sin där hur nu bara skulle blir mot detta",
        "da": "og at det i en er som på af for med den til ikke har om et de var jeg men så kan ved fra eller når havde"
        " skal under også efter op vi end meget sig sin hvor nu kun ville bliver mod dette fordi hvis",
        "no": "og at det i en er som på av for med den til ikke har om et de var jeg men så kan ved fra eller når hadde"
        " skal under også etter opp vi enn mye seg sin hvor nå bare ville blir mot dette fordi hvis ble",
        "fi": "ja on ei se että en hän oli joka mutta niin kuin myös ovat ole sen tai vain kun jos hänen mitä tämä sekä"
        " ollut nyt jo ne sitä mukaan voi kanssa jälkeen siitä niiden tässä olla muun vielä",
        "pl": "i w na nie z to się do jest że o jak ale po co tak za od jego tym czy już dla przez są był była oraz ich"
        " być może tylko który która które także przy gdy bez pod jako można jednak więc",
        "cs": "a se v je na že to s z do o ale jako za by pro jsou od po jeho jak který která které byl byla bylo nebo"
        " také podle už při aby jen když ještě než pak kde tak mezi však byly může jejich",
        "tr": "ve bir bu da de için ile olarak çok daha olan gibi en ne kadar sonra her ise veya ama ancak değil göre"
        " var olduğu tarafından hem şey ki mi kendi onun nasıl diye iki bunu yok",
        "id": "yang dan di dari untuk dengan pada ini itu adalah tidak dalam ke akan oleh juga atau sebagai bisa karena"
        " ada lebih telah dapat saat mereka kami para sudah bahwa secara tersebut antara",
    }.items()
}  # fmt: skip

KNOWN = tuple(sorted({*_SMALL_WORDS, *_ONE_LANGUAGE.values(), "zh", "ru", "uk", "ar", "fa"}))
"""The languages that can be told apart, by ISO 639-1 code."""


def language(text: str) -> str | None:
    """The language of a text, by its code; None where there is too little of it, or it is none of those known.

    Code, links and addresses do not count: they are in no language.
    """
    text = _CODE.sub(" ", text)
    counts = {script: len(letters.findall(text)) for script, letters in _LETTERS.items()}
    if counts["kana"] and counts["kana"] * 10 >= counts["han"]:
        # Japanese is written in both; a Chinese text quotes a kana at the most.
        counts["kana"] += counts["han"]
        counts["han"] = 0
    script = max(counts, key=lambda one: counts[one])
    if not counts[script]:
        return None
    if script in _ONE_LANGUAGE:
        return _ONE_LANGUAGE[script]
    if script == "cyrillic":
        return "uk" if _UKRAINIAN.search(text) else "ru"
    if script == "arabic":
        return "fa" if _PERSIAN.search(text) else "ar"
    return "zh" if script == "han" else _latin(text)


def _latin(text: str) -> str | None:
    words = [word.lower() for word in _WORD.findall(text)]
    found = sorted(
        ((sum(word in small for word in words), name) for name, small in _SMALL_WORDS.items()),
        key=lambda pair: (-pair[0], pair[1]),
    )
    (most, best), (next_most, next_best) = found[0], found[1]
    if most < LEAST:
        return None
    if {best, next_best} == {"da", "no"}:
        return _danish_or_norwegian(words) if found[2][0] * AHEAD <= most else None
    return best if next_most * AHEAD <= most else None


def _danish_or_norwegian(words: list[str]) -> str | None:
    """The two share nearly all their small words; the rest decides, however few."""
    danish, norwegian = _SMALL_WORDS["da"] - _SMALL_WORDS["no"], _SMALL_WORDS["no"] - _SMALL_WORDS["da"]
    counts = sum(word in danish for word in words), sum(word in norwegian for word in words)
    return None if counts[0] == counts[1] else "da" if counts[0] > counts[1] else "no"
