"""The mandatory evals of the standard, row by row ("Mandatory Eval Inventory By Path").

A required method is held against the metric that carries it out. The standard's "controlled exception injection" (A6)
is no metric: it is what a task's setup does, and has no entry here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tapegate.model.config import InventoryRow


@dataclass(frozen=True, slots=True)
class Row:
    """What the evals of one path must be and use."""

    title: str
    evals: Mapping[str, str]
    """Each mandatory eval id, with what it is about."""
    methods: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Each metric that at least one of its evals must declare, with the required methods that it carries out."""


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
    {
        "tool_trace": ("stream `d:` tool-trace parsing",),
        "citation_contract": ("citation URL validation",),
        "output_hygiene": ("output hygiene regex checks",),
    },
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
        {
            "schema_contract": ("sentence-count and prefix contract checks",),
            "output_hygiene": ("denylist checks for secrets, paths and tokens",),
            "db_state": ("history dedup assertions",),
        },
    ),
    "A4": Row(
        "Summarizer prompt in the ingestion path",
        {
            "RET-06": "ingestion-to-retrieval integrity",
            "AGT-05": "strict JSON schema contract",
            "AGT-06": "planted fact-slot recall",
            "AGT-10": "malformed model-output fallback",
        },
        {
            "schema_contract": ("JSON schema validator", "slot extraction checks with synonym lists"),
            "db_state": ("DB field presence and non-empty checks",),
        },
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
        {"schema_contract": ("return-type and error-message contract checks",)},
    ),
    "content_filter": Row(
        "Runtime guardrail: content filter",
        {"AGT-15": "content-filter streaming edge cases"},
        {"content_filter_contract": ("deterministic stream-fixture replay with pass/fail invariants",)},
    ),
    "orchestration": Row(
        "Runtime guardrail: app orchestration",
        {"AGT-16": "app orchestration robustness"},
        {
            "orchestration_contract": ("deterministic stream-fixture replay with pass/fail invariants",),
            "db_state": ("deterministic DB-state assertions under concurrent request fixtures",),
        },
    ),
}
"""By row. `RET-07` is optional, of the weekly audit only, and in no row."""
