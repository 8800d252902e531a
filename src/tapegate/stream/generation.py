"""What a request asks of a model's sampling, under the names of rubric §4.1, whatever the provider calls it."""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from tapegate.model.trace import Json
from tapegate.stream.content import Headers, decode_body

NAMES: Mapping[str, str] = {
    "temperature": "temperature",
    "top_p": "top_p",
    "topP": "top_p",
    "max_tokens": "max_tokens",
    "max_completion_tokens": "max_tokens",
    "max_output_tokens": "max_tokens",
    "maxOutputTokens": "max_tokens",
    "maxTokens": "max_tokens",
    "seed": "seed",
    "random_seed": "seed",
}
"""Of OpenAI, Anthropic, Mistral, Gemini and Bedrock."""
_HOLDERS = ("generationConfig", "generation_config", "inferenceConfig")
"""Where Gemini and Bedrock keep them."""
_TURNS = ("messages", "contents", "prompt")


def generation(headers: Headers, body: bytes) -> dict[str, Json] | None:
    """The parameters that a request to a generating model sets; None where it is none (an embedding, a search)."""
    try:
        request = orjson.loads(decode_body(headers, body))
    except ValueError:
        return None
    if not isinstance(request, dict) or not _generates(request):
        return None
    holders = [request, *(request[name] for name in _HOLDERS if isinstance(request.get(name), dict))]
    return {NAMES[name]: value for holder in holders for name, value in holder.items() if name in NAMES}


def _generates(request: Mapping[str, Json]) -> bool:
    """An embedding names a model too, and sets none of these."""
    return any(name in request for name in _TURNS) or ("model" in request and any(name in request for name in NAMES))
