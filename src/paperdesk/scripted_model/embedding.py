"""Embeddings by rule: word stems hashed into 64 places. Texts that share stems are alike; nothing else is known."""

from __future__ import annotations

import base64
import hashlib
import math
import struct
from collections.abc import Mapping
from typing import Any

from paperdesk.scripted_model.request import BadRequest
from paperdesk.scripted_model.wire import tokens
from paperdesk.scripted_model.words import key_words, stem

EMBEDDER = "scripted-embedder-2026-11-01"
DIMENSIONS = 64


class NoSuchModel(ValueError):
    """A model that is not here."""


def embeddings(request: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to an embeddings request. Raises `NoSuchModel` and `BadRequest`."""
    if request.get("model") != EMBEDDER:
        raise NoSuchModel(f"the model {request.get('model')!r} does not exist: there is {EMBEDDER!r}")
    given = request.get("input")
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) and text for text in texts):
        raise BadRequest("'input' is neither a text nor a list of texts")
    packed = request.get("encoding_format") == "base64"
    used = sum(map(tokens, texts))
    return {
        "object": "list",
        "data": [
            {"object": "embedding", "index": index, "embedding": _packed(vector(text)) if packed else vector(text)}
            for index, text in enumerate(texts)
        ],
        "model": EMBEDDER,
        "usage": {"prompt_tokens": used, "total_tokens": used},
    }


def vector(text: str) -> list[float]:
    """The vector of a text, of length 1 where the text has words."""
    places = [0.0] * DIMENSIONS
    for word in key_words(text):
        digest = hashlib.sha256(stem(word).encode()).digest()
        places[digest[0] % DIMENSIONS] += 1 if digest[1] % 2 else -1
    length = math.sqrt(sum(place * place for place in places)) or 1.0
    return [round(place / length, 6) for place in places]


def _packed(values: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(values)}f", *values)).decode()
