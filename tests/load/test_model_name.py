"""Names of models."""

from __future__ import annotations

import pytest

from tapegate.load.model_name import floating


@pytest.mark.parametrize(
    "name",
    [
        "gpt-4o",
        "gpt-35-turbo",
        "deepseek-chat",
        "grok-beta",
        "qwen-max",
        "gemini-pro",
        "openai/gpt-4.1-mini",
        "o3",
        "chatgpt-4o-latest",
        "claude-3-5-sonnet",
        "claude-sonnet-4",
        "claude-opus-4-5",
        "gemini-1.5-pro",
        "mistral-large",
        "mistral-large-latest",
        "command-r-plus",
        "llama3:latest",
        "openrouter/auto",
        "Default",
        "my-model@latest",
    ],
)
def test_an_alias_that_moves_is_refused(name: str) -> None:
    """`latest` anywhere in a name, and undated names of models that are published with dates."""
    assert floating(name)


@pytest.mark.parametrize(
    "name",
    [
        "gpt-4o-2024-08-06",
        "gpt-4-0613",
        "claude-3-5-sonnet-20241022",
        "anthropic.claude-3-5-sonnet-20240620-v1:0",
        "claude-opus-4-6",
        "claude-opus-5",
        "gemini-1.5-pro-002",
        "mistral-large-2411",
        "mistralai/Mistral-7B-Instruct-v0.3",
        "command-r-plus-08-2024",
        "openai/gpt-4o@2024-08-06",
        "llama3.1:8b",
        "scripted-librarian-2026-11-01",
        "SmolLM2-135M-Instruct.Q4_1.gguf",
    ],
)
def test_a_name_of_one_model_is_taken(name: str) -> None:
    """Dated snapshots, dateless ids that are snapshots themselves, files of weights, names with a version."""
    assert floating(name) is None
