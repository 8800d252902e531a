"""The mandatory evals of the standard, row by row ("Mandatory Eval Inventory By Path"), and what they must use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tapegate.model.config import InventoryRow
from tapegate.standard import methods
from tapegate.standard.methods import Method


@dataclass(frozen=True, slots=True)
class Row:
    """What the evals of one path must be and use."""

    title: str
    evals: Mapping[str, str]
    """Each mandatory eval id, with what it is about."""
    methods: tuple[Method, ...] = ()
    """What at least one of its evals must use, each."""


_MAIN_PROMPT = Row(
    "Main prompt and local-first routing",
    {
        "RET-01": "local-first routing",
        "RET-02": "local citation contract (/paper/{id})",
        "RET-03": "no web overuse on local-only tasks",
        "RET-04": "missing-local fallback behaviour",
        "RET-05": "hidden-tag and path leakage prevention",
        "AGT-08": "dynamic prompt wiring regression",
    },
    (methods.TOOL_STREAM, methods.CITATION_URLS, methods.HYGIENE),
)

INVENTORY: Mapping[InventoryRow, Row] = {
    "A1": _MAIN_PROMPT,
    "A2": _MAIN_PROMPT,
    "A3": Row(
        "Preference sync mini-agent",
        {
            "AGT-03": "summary format and prefix contract",
            "AGT-04": "no sensitive-string echo",
            "AGT-09": "duplicate-summary suppression",
        },
        (methods.SENTENCES, methods.PREFIX, methods.DENYLIST, methods.DEDUP),
    ),
    "A4": Row(
        "Summarizer prompt in the ingestion path",
        {
            "RET-06": "ingestion-to-retrieval integrity",
            "AGT-05": "strict JSON schema contract",
            "AGT-06": "planted fact-slot recall",
            "AGT-10": "malformed model-output fallback",
        },
        (methods.JSON_SCHEMA, methods.FACT_SLOTS, methods.DB_FIELDS),
    ),
    "A5": Row(
        "RAG critic prompt",
        {
            "RET-08": "JSON parse and fallback robustness",
            "AGT-11": "score-threshold filtering in the retriever",
            "AGT-12": "pairwise ranking of a labelled fixture set",
        },
    ),
    "A6": Row(
        "Bridge and GraphRAG LLM plumbing",
        {
            "AGT-07": "embedding fallback when the local model is unavailable",
            "AGT-13": "completion error propagation",
            "AGT-14": "query-mode contract and response-shape invariants",
        },
        (methods.EXCEPTIONS, methods.RETURN_TYPES, methods.ERROR_MESSAGES),
    ),
    "content_filter": Row(
        "Runtime guardrail: content filter",
        {"AGT-15": "content-filter streaming edge cases"},
        (methods.FILTER_FIXTURES,),
    ),
    "orchestration": Row(
        "Runtime guardrail: app orchestration",
        {"AGT-16": "app orchestration robustness"},
        (methods.STREAM_PARTS, methods.CONCURRENT_STATE),
    ),
}
"""By row. `RET-07` is optional, of the weekly audit only, and in no row."""

HARD = frozenset({"RET-05", "AGT-04", "AGT-15", "AGT-16"})
"""Evals of safety, privacy or protocol: what no judge may be asked about."""
