"""Which language a text is in."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapegate.oracles.language import KNOWN, language

TEXTS = {
    "en": "Moss cools the shelter by 3.6 degrees in the evening, which is more than the bare ones do.",
    "de": "Moos kühlt das Häuschen am Abend um 3,6 Grad, und das ist mehr als bei den anderen.",
    "fr": "La mousse refroidit les abris de 3,6 degrés le soir, ce qui est plus que pour les autres.",
    "es": "El musgo enfría las paradas 3,6 grados por la noche, que es más que en las otras.",
    "it": "Il muschio raffredda le pensiline di 3,6 gradi la sera, che è più di quanto fanno le altre.",
    "pt": "O musgo arrefece as paragens em 3,6 graus à noite, o que é mais do que nas outras.",
    "nl": "Het mos koelt de hokjes in de avond met 3,6 graden, en dat is meer dan bij de andere.",
    "sv": "Mossan kyler skyddet med 3,6 grader på kvällen, och det är mer än vid de andra som inte har den.",
    "da": "Mosset køler skuret med 3,6 grader om aftenen, og det er meget mere end ved de andre af dem.",
    "no": "Mosen kjøler skuret med 3,6 grader om kvelden, og det er mye mer enn ved de andre av dem.",
    "fi": "Sammal viilentää katosta illalla, ja se on enemmän kuin muut, mutta ei niin paljon että olisi kylmä.",
    "pl": "Mech chłodzi wiatę o 3,6 stopnia i to jest więcej niż w innych, ale nie tak jak w nocy.",
    "cs": "Mech chladí přístřešek o 3,6 stupně a to je více než u ostatních, ale jen když může.",
    "tr": "Yosun durağı akşam 3,6 derece soğutur ve bu diğerlerinden daha çok olan bir etki için yeterli değil.",
    "id": "Lumut mendinginkan halte dan ini lebih dari yang lain untuk malam hari dengan tidak ada air.",
    "zh": "苔藓使候车亭在晚上降温3.6度。",
    "ja": "苔はバス停を夜に3.6度冷やします。",
    "ko": "이끼는 저녁에 정류장을 식힌다.",
    "ru": "Мох охлаждает остановку на 3,6 градуса.",
    "uk": "Мох охолоджує зупинку ввечері, і це більше.",
    "ar": "الطحلب يبرد المحطة في المساء",
    "fa": "خزه ایستگاه را خنک می‌کند پس گرم نیست",
    "el": "Το βρύο ψύχει τη στάση",
    "he": "הטחב מקרר את התחנה",
    "hi": "काई आश्रय को ठंडा करती है",
    "th": "มอสทำให้ป้ายเย็นลง",
}


@pytest.mark.parametrize("code", KNOWN)
def test_each_known_language_is_told(code):
    """A sentence suffices."""
    assert language(TEXTS[code]) == code


@pytest.mark.parametrize("text", ["", "3.6", "Yes.", "p-moss-02", "Lorem ipsum dolor sit amet consectetur", "🙂"])
def test_a_text_that_is_in_no_language_is_said_to_be_in_none(text):
    """Too few words, or words of no language that is known."""
    assert language(text) is None


def test_code_links_and_names_do_not_count():
    """They stand in answers of every language."""
    code = "```python\nfor the in of and to is that it with:\n```\n[of the and](https://example.org/the/of/and/to)"
    assert language(f"{TEXTS['de']}\n{code}") == "de"
    assert language(f"{TEXTS['en']} The title is “苔の研究”.") == "en"


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60))
def test_any_text_has_an_answer(text):
    """A code that is known, or none."""
    assert language(text) in {None, *KNOWN}
