"""What the agents call. Apart from the config that holds it, whose models no process of a trial builds."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tapegate.model.fault import HeaderName
from tapegate.model.part import Part

EnvName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
"""The name of an environment variable."""

Address = Annotated[str, Field(pattern=r"^https?://[^/?#\s]+(/[^?#\s]*)?$")]
"""A base URL without query or fragment."""


class Service(Part):
    """Something the agent calls over HTTP: a model provider, a search API, a vector store."""

    address: Address
    """The address that recordings name, whatever the traffic was reached at."""
    protocol: Literal["openai", "anthropic", "gemini", "mistral", "bedrock", "http"] = "http"
    """How its bodies are read: `openai` is Chat Completions, Responses and embeddings, told apart by path; `anthropic`
    is Messages, `gemini` generateContent, `bedrock` Converse; `http` is opaque."""
    base_url_env: tuple[EnvName, ...] = Field(min_length=1)
    """Variables that the harness sets to where the subject shall reach it."""
    key_env: EnvName | None = None
    """The variable that holds its key. The key stays with the gateway; the subject gets a placeholder."""
    session_header: HeaderName | None = None
    """A request header in which the agent names the session that asks: equal requests of concurrent sessions are then
    answered each from its own session's recording. The name must be the same in every run."""
