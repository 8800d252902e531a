"""What is put into somebody's own `vcr.VCR`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tapegate.model.normaliser import Normaliser
from tapegate.tape.redact import Redactor
from tapegate.tape.vcrpy.closing import close_always
from tapegate.tape.vcrpy.lookup import by_hash
from tapegate.tape.vcrpy.matcher import Matcher
from tapegate.tape.vcrpy.persister import Persister
from tapegate.tape.vcrpy.serializer import Serializer

NAME = "tapegate"
"""What serializer and matcher are called in a VCR."""


def register(
    vcr: Any,
    *,
    secrets: Iterable[str] = (),
    normalisers: Mapping[str, str] | None = None,
    environ: Mapping[str, str] = os.environ,
) -> None:
    """Make `vcr`, a `vcr.VCR`, read, write, match and find as Tapegate does.

        @pytest.fixture(scope="module", autouse=True)          # vcrpy
        def tapegate(): register(my_vcr, secrets=["OPENAI_API_KEY"])

        def pytest_recording_configure(config, vcr):           # pytest-recording, in conftest.py
            register(vcr, secrets=["OPENAI_API_KEY"])

    `secrets` are names of variables whose values never reach a file; `normalisers` maps a JSON path to the reason for
    which it is volatile. From then on a cassette is read by our safe readers and held to its pins (`NAME.yaml.pins`),
    a recording passes redaction before it is written, or is refused, and is written whole or not at all; requests match
    by method, address and body, found by hash.
    """
    names = tuple(secrets)
    redactor = Redactor({name: environ.get(name, "") for name in names})
    rules: Sequence[Normaliser] = [
        Normaliser(service=NAME, path=path, reason=reason) for path, reason in (normalisers or {}).items()
    ]
    matcher = Matcher(redactor, rules)
    vcr.register_serializer(NAME, Serializer(redactor))
    vcr.register_matcher(NAME, matcher)
    # pytest-recording reads several cassettes at once, by a persister of its own.
    vcr.register_persister(Persister(getattr(vcr.persister, "extra_paths", ())))
    vcr.serializer, vcr.match_on = NAME, (NAME,)
    vcr.record_on_exception = False  # half a recording is none
    vcr.decode_compressed_response = False
    by_hash(vcr, matcher)
    close_always(vcr)
