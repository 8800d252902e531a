"""Headers and query parameters that carry credentials."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tapegate.tape.secrets.headers import KEPT_REQUEST, KEPT_RESPONSE, credential_headers, credential_parameters


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Authorization", "Bearer {alnum:20}"),
        ("authorization", "{alnum:20}"),
        ("Proxy-Authorization", "Basic {b64:24}"),
        ("x-api-key", "{hex:16}"),
        ("X-Goog-Api-Key", "{word:39}"),
        ("api-key", "{hex:32}"),
        ("Cookie", "theme=dark; session={alnum:24}"),
        ("Set-Cookie", "session={alnum:24}; Path=/; Domain=app.example.com; HttpOnly"),
        ("X-Amz-Security-Token", "{b64:80}"),
        ("x-my-service-secret", "{alnum:12}"),
        ("X-Vault-Token", "{alnum:24}"),
    ],
)
def test_a_credential_is_known_by_its_header(name: str, value: str, grow: Callable[..., bytes]) -> None:
    """Whatever the credential looks like, its header gives it away."""
    found = list(credential_headers({name: (grow(value).decode(),)}, KEPT_REQUEST))
    assert [name] == [each for each, _ in found]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("authorization", "Bearer REDACTED_OPENAI_API_KEY"),
        ("x-api-key", "<filtered>"),
        ("Cookie", "a=1; b=2"),
        ("x-ratelimit-remaining-tokens", "149984000"),
        ("anthropic-ratelimit-tokens-reset", "2026-01-31T12:00:00Z"),
        ("x-amzn-bedrock-input-token-count", "123456789"),
        ("www-authenticate", 'Bearer realm="https://auth.example"'),
        ("content-type", "application/json; charset=utf-8"),
        ("user-agent", "OpenAI/Python 3.51.0 on a machine with keys"),
    ],
)
def test_other_headers_are_left_alone(name: str, value: str) -> None:
    """Marks, masks, quotas and what is no credential are no finding."""
    assert list(credential_headers({name: (value,)}, KEPT_RESPONSE)) == []


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("q=ada&api_key={alnum:12}", ["api_key"]),
        ("key=AIza{word:35}", ["key"]),
        ("sv=2024-01-01&sig={alnum:40}%3D", ["sig"]),
        ("X-Amz-Signature={hex:64}&X-Amz-Expires=900", ["X-Amz-Signature"]),
        ("token={alnum:32}#part", ["token"]),
        ("key=REDACTED_GOOGLE_API_KEY&api_key=REDACTED_SEARCH_KEY", []),
        ("key=name&token=2&q=sk", []),
        ("pageToken={alnum:32}&q=secret", []),
        ("api_key=", []),
    ],
)
def test_a_credential_is_known_by_its_parameter(query: str, names: list[str], grow: Callable[..., bytes]) -> None:
    """A query parameter that is named for a credential holds one, unless it holds a mark, a word or a number."""
    uri = f"https://search.example/v1?{grow(query).decode()}"
    assert [name for name, _ in credential_parameters(uri)] == names


def test_no_kept_header_is_a_credential() -> None:
    """The allow-list keeps no header that carries one, is in lower case, and gives a reason for each."""
    for kept in (KEPT_REQUEST, KEPT_RESPONSE):
        assert all(name == name.lower() and reason for name, reason in kept.items())
        assert list(credential_headers(dict.fromkeys(kept, ("Zq3Tn8Vb1Lw6Zz",)), {})) == []
