"""What Paperdesk is told by its environment. Read once; nothing else looks at `os.environ`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


class SettingsError(ValueError):
    """A variable of the environment that cannot be used."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How to reach the model and the web search, and where the library is.

    `OPENAI_BASE_URL` and `OPENAI_API_KEY` are read by the provider's SDK itself.
    """

    model: str = "gpt-4.1-mini-2025-04-14"
    """`PAPERDESK_MODEL`: a dated model name, so that answers do not change underneath."""
    database: Path = Path("paperdesk.sqlite3")
    """`PAPERDESK_DB`: the library; built from the bundled papers when it does not exist."""
    search_url: str | None = None
    """`PAPERDESK_SEARCH_URL`: base URL of the web search; without it the model is offered no web search."""
    seed: int = 42
    """`PAPERDESK_SEED`: given to the model, which may or may not honour it."""
    embedding_model: str | None = None
    """`PAPERDESK_EMBEDDING_MODEL`: asked for embeddings; without it they are computed here."""
    critic_threshold: int = 5
    """`PAPERDESK_CRITIC_THRESHOLD`: a passage that the critic scores lower, from 0 to 10, is not used."""
    sync_after: int = 20
    """`PAPERDESK_SYNC_AFTER`: after so many new messages `serve` sums up the user's preferences; 0: never."""
    temperature: float = 0
    top_p: float = 1
    max_tokens: int = 1024
    tool_rounds: int = 6
    """After so many rounds of tool calls the model must answer."""
    timeout_s: int = 60
    """`PAPERDESK_TIMEOUT_S`: seconds that the provider may stay silent; a model on a slow machine takes more."""

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> Settings:
        """Settings from environment variables; an empty variable counts as absent.

        Raises `SettingsError` for a number that is none or out of range, and a search URL that is not HTTP.
        """
        default = cls()
        search_url = env.get("PAPERDESK_SEARCH_URL") or None
        if search_url is not None and not search_url.startswith(("http://", "https://")):
            raise SettingsError(f"PAPERDESK_SEARCH_URL is {search_url!r}: expected a URL that begins with http://")
        return cls(
            model=env.get("PAPERDESK_MODEL") or default.model,
            database=Path(env.get("PAPERDESK_DB") or default.database),
            search_url=search_url.rstrip("/") if search_url else None,
            seed=_integer(env, "PAPERDESK_SEED", default.seed),
            embedding_model=env.get("PAPERDESK_EMBEDDING_MODEL") or None,
            critic_threshold=_integer(env, "PAPERDESK_CRITIC_THRESHOLD", default.critic_threshold, range(11)),
            timeout_s=_integer(env, "PAPERDESK_TIMEOUT_S", default.timeout_s, range(1, 3601)),
            sync_after=_integer(env, "PAPERDESK_SYNC_AFTER", default.sync_after, range(1_000_000)),
        )


def _integer(env: Mapping[str, str], name: str, default: int, within: range | None = None) -> int:
    value = env.get(name) or str(default)
    try:
        number = int(value)
    except ValueError:
        raise SettingsError(f"{name} is {value!r}: expected an integer, {default} for example") from None
    if within is not None and number not in within:
        raise SettingsError(f"{name} is {value!r}: expected {within[0]} to {within[-1]}")
    return number
