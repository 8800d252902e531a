"""Reading a cassette from cold bytes, its sha256 with it, beside what reads YAML or JSON."""

from __future__ import annotations

import hashlib

import orjson
import ryaml
import yaml
from material import cassette
from measured import Measured, by_cpu

from tapegate.tape.emit import emit
from tapegate.tape.read import read


def reading() -> list[Measured]:
    """2 MB of cassette, against PyYAML's C loader (what vcrpy reads with), ryaml, orjson and the sha256 alone."""
    raw = emit(cassette(500))
    as_json = orjson.dumps(yaml.load(raw, Loader=yaml.CSafeLoader))
    text = raw.decode()

    def ours() -> object:
        return hashlib.sha256(raw).digest(), read(raw, "bench")

    megabytes = len(raw) / 1e6
    rows = []
    for name, other in (
        ("CSafeLoader, as vcrpy", lambda: yaml.load(raw, Loader=yaml.CSafeLoader)),
        ("ryaml", lambda: ryaml.loads(text)),
        ("orjson, of the same as JSON", lambda: orjson.loads(as_json)),
        ("sha256 alone", lambda: hashlib.sha256(raw).digest()),
    ):
        mine, theirs, ratio = by_cpu(ours, other)
        what = f"load a cassette of {megabytes:.1f} MB, sha256 checked"
        rows.append(Measured(what, f"{megabytes / mine:,.0f} MB/s", f"{name} {megabytes / theirs:,.0f} MB/s", ratio))
    return rows
