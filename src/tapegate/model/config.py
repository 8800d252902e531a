"""`evals/tapegate.yaml`: the scope table, the subjects and what they talk to, and the profiles."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from tapegate.model.budget import Budget
from tapegate.model.normaliser import Normaliser
from tapegate.model.service import EnvName, Service
from tapegate.model.task import Name, NonEmpty, Part, Task

ModuleName = Annotated[str, Field(pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$")]
"""A Python module, as `import` names it."""

Template = Annotated[str, Field(min_length=1)]
"""Text in which `{input}`, `{seed}`, `{db}`, `{workspace}`, `{project}`, `{port}` and `{python}` are filled."""


InventoryRow = Literal["A1", "A2", "A3", "A4", "A5", "A6", "content_filter", "orchestration"]
"""A heading under "Mandatory Eval Inventory By Path" in the standard; the last two are its runtime guardrails."""


class Generation(Part):
    """Generation parameters that are set otherwise than by the rubric's defaults (§4.1); absent: the default."""

    temperature: Annotated[int | float, Field(ge=0, le=2)] | None = None
    """Default 0."""
    top_p: Annotated[int | float, Field(gt=0, le=1)] | None = None
    """Default 1."""
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    """Default 1024."""
    seed: int | None = None
    """Default 42."""


class ScopePath(Part):
    """One row of the scope table: a custom prompt or agent path, and the files that make it."""

    title: NonEmpty
    """What a person calls it."""
    status: NonEmpty
    """Whether and how it is active."""
    files: tuple[NonEmpty, ...] = Field(min_length=1)
    """Paths or globs from the project's root: what a change to this path would touch."""
    subject: Name
    """The subject that its tasks ask."""
    inventory: InventoryRow | None = None
    """The row of the standard's mandatory inventory that its tasks must fulfil; absent: no eval is mandatory."""
    generation: Generation = Generation()
    """Generation parameters that this path sets otherwise than the rubric's defaults, on purpose."""


class Unscoped(Part):
    """Files that look as if they held prompts, and belong to no path."""

    files: tuple[NonEmpty, ...] = Field(min_length=1)
    """Paths or globs from the project's root."""
    reason: NonEmpty
    """Why no eval needs to cover them: `prompts of a tool that is not shipped`."""


class HttpAsk(Part):
    """How an HTTP subject is asked."""

    method: Literal["POST", "GET", "PUT"] = "POST"
    """Method of the request."""
    path: Template
    """Path and query on the subject's own server."""
    headers: dict[NonEmpty, str] = Field(default_factory=dict)
    """Headers beside the ones that the body needs."""
    json_body: Any = Field(default=None, alias="json")
    """JSON body; strings in it are templates."""


class HttpSubject(Part):
    """An agent behind an HTTP server that the harness starts for each trial."""

    kind: Literal["http"]
    command: tuple[Template, ...] = Field(min_length=1)
    """Program and arguments; `{python}` is the interpreter, `{port}` the port it must listen on."""
    health: NonEmpty = "/"
    """Path that answers 200 once the server is ready."""
    ask: HttpAsk
    """The request that puts the task's input to it."""
    ask_again: HttpAsk | None = None
    """The request that puts a later message of the same conversation; absent: the same as the first."""
    carry: dict[EnvName, NonEmpty] = Field(default_factory=dict)
    """Placeholders of `ask_again`: by name, the field of a data frame in the answers so far that holds it."""
    stream: NonEmpty
    """Dialect of the answer's body."""
    env: dict[EnvName, Template] = Field(default_factory=dict)
    """Variables of the subject, beside the replay environment."""
    needs: tuple[NonEmpty, ...] = ()
    """Programs that it starts itself, and that must be on the PATH."""
    source: Name | None = None
    """What its recordings are made from where nothing else is asked for; absent: `default_source`."""
    start_timeout_s: Annotated[int, Field(ge=1, le=600)] = 30
    """Seconds until `health` must have answered."""
    timeout_s: Annotated[int, Field(ge=1, le=3600)] = 60
    """Seconds until an answer must be complete."""


class PythonSubject(Part):
    """An agent that is a Python callable, run in a child forked from a warmed worker."""

    kind: Literal["python"]
    entry: Annotated[str, Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_][\w.]*$")]
    """`module:callable`. It may return text, bytes, or an iterable of either, sync or async."""
    arguments: dict[EnvName, Any] = Field(default_factory=lambda: {"input": "{input}"})
    """Keyword arguments; strings in it are templates. In a stream fixture, `{chunks}` is the list of its pieces as text
    and `{byte_chunks}` the list of them as bytes."""
    arguments_again: dict[EnvName, Any] | None = None
    """Keyword arguments of a later message of the same conversation; absent: the same as the first."""
    carry: dict[EnvName, NonEmpty] = Field(default_factory=dict)
    """Placeholders of `arguments_again`: by name, the field of a data frame in the answers so far that holds it."""
    pythonpath: tuple[NonEmpty, ...] = ()
    """Folders from the project's root, put before all others."""
    stream: NonEmpty
    """Dialect of what the callable returns."""
    env: dict[EnvName, Template] = Field(default_factory=dict)
    """Variables of the subject, beside the replay environment."""
    source: Name | None = None
    """What its recordings are made from where nothing else is asked for; absent: `default_source`."""
    start_timeout_s: Annotated[int, Field(ge=1, le=600)] = 30
    """Seconds until the entry must have been imported."""
    timeout_s: Annotated[int, Field(ge=1, le=3600)] = 60
    """Seconds until an answer must be complete."""


class CommandSubject(Part):
    """An agent that is a program: started for each message, its standard output is the answer."""

    kind: Literal["command"]
    command: tuple[Template, ...] = Field(min_length=1)
    """Program and arguments; `{python}` is the interpreter."""
    stdin: str = ""
    """A template of what stands on its standard input."""
    carry: dict[EnvName, NonEmpty] = Field(default_factory=dict)
    """Placeholders of `command` and `stdin`: by name, the field of a data frame in the answers so far that holds it.
    They are empty in the first message."""
    stream: NonEmpty
    """Dialect of its standard output."""
    env: dict[EnvName, Template] = Field(default_factory=dict)
    """Variables of the subject, beside the replay environment."""
    needs: tuple[NonEmpty, ...] = ()
    """Programs that it starts itself, and that must be on the PATH."""
    source: Name | None = None
    """What its recordings are made from where nothing else is asked for; absent: `default_source`."""
    timeout_s: Annotated[int, Field(ge=1, le=3600)] = 60
    """Seconds until it must have ended."""


AnySubject = HttpSubject | PythonSubject | CommandSubject

Subject = Annotated[AnySubject, Field(discriminator="kind")]


class StandIn(Part):
    """A server that the harness starts to record from, in place of a service."""

    command: tuple[Template, ...] = Field(min_length=1)
    """Program and arguments; it must listen on 127.0.0.1:`{port}`."""
    health: NonEmpty = "/"
    """Path that answers 200 once it is ready."""
    path: str = ""
    """What follows host and port in its base URL, `/v1`."""
    env: dict[EnvName, Template] = Field(default_factory=dict)
    """Variables of the server."""


class RecordingSource(Part):
    """What stands behind a recording. Its kind and description go into every cassette made from it."""

    kind: Literal["live", "local", "scripted"]
    """`live`: the provider itself; `local`: a real model on this machine; `scripted`: rules, no model."""
    description: NonEmpty
    """What it is, in words that a reviewer of the cassette understands."""
    stand_ins: dict[Name, StandIn] = Field(default_factory=dict)
    """By service; services without one are reached at their address."""


Dollars = Annotated[str, Field(pattern=r"^[0-9]{1,9}(\.[0-9]{1,12})?$")]
"""US dollars as a decimal in quotes, so that no reader makes a float of it."""


class ModelPrice(Part):
    """What a million tokens of one model cost."""

    input: Dollars
    """Tokens that it reads."""
    output: Dollars
    """Tokens that it writes."""
    cached_input: Dollars | None = None
    """Of those that it reads, the ones that come from a cache; absent: as the others."""


class Prices(Part):
    """What calls of models are charged at. An input like any other: without it, cost is not measured."""

    data: NonEmpty | None = None
    """Version of the package genai-prices whose data is used, `0.2.3`; a run with another one is refused."""
    models: dict[NonEmpty, ModelPrice] = Field(default_factory=dict)
    """Prices of the project's own, by the name that the provider gives a model; they come before the data."""


class Profile(Part):
    """When the gate fails, and what a run must have had."""

    fail_on: tuple[Literal["needs_review", "not_ready"], ...] = ()
    """What fails the gate beside what always does: the verdict `needs_review`; `not_ready`, a run that is not ready for
    release by the rubric, or not surely so."""
    stale: Literal["fail", "report"] = "fail"
    """`report`: stale tasks are shown and do not fail the gate (for a team's first weeks)."""
    require_guard: Literal["none", "in_process", "namespace"] = "none"
    """The weakest network guard that the run accepts."""
    partial: bool = False
    """Whether a run of a selection may pass."""
    budgets: tuple[Budget, ...] = ()
    """How much more the head of a comparison may spend than its base."""
    loosened: Literal["report", "block"] = "report"
    """What a comparison does where a task passes only because its contract changed."""


class Judge(Part):
    """The model that scores sampled answers in the weekly audit. All of it is pinned."""

    service: Name
    """The service that it is reached at; its protocol is one of a model provider's."""
    model: NonEmpty
    """As the request names it: exactly one model, no floating alias."""
    model_version: NonEmpty
    """The version, snapshot or build behind that name: what the provider reports, or the digest of its weights."""
    template_sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    """Of the rubric's evaluator prompt (§2.1) that it is asked with."""
    source: Name = "live"
    """What `tapegate audit --record` records it from, as `sources` declares it."""
    generation: Generation = Generation()
    """Parameters that are set otherwise than by the rubric's defaults."""
    json_schema: bool = False
    """Whether the request asks the provider for an answer of the rubric's JSON schema; the parser is as strict."""
    timeout_s: Annotated[int, Field(ge=1, le=3600)] = 120
    """Seconds until an answer must be complete."""


class Config(Part):
    """The whole of `evals/tapegate.yaml`."""

    version: Literal[1]
    """Version of this file's format."""
    paths: dict[Name, ScopePath] = Field(min_length=1)
    """The scope table, by path id."""
    unscoped: tuple[Unscoped, ...] = ()
    """What lint shall not miss in the scope table, each with the reason."""
    subjects: dict[Name, Subject] = Field(min_length=1)
    """The agents under test, by name."""
    preload: tuple[ModuleName, ...] = ()
    """Modules of libraries, never of an agent, that are imported once for all trials: `openai`. Python callables, and
    programs that are `{python}` with `-m module` or a script, then start with them imported."""
    services: dict[Name, Service] = Field(default_factory=dict)
    """What the agents call, by name."""
    sources: dict[Name, RecordingSource] = Field(default_factory=dict)
    """What a recording may be made from, by name; `live` is there without being declared."""
    default_source: Name = "live"
    """The source that `tapegate record` takes where it is told none."""
    profiles: dict[Name, Profile] = Field(default_factory=dict)
    """`pr`, `nightly` and `weekly` have defaults."""
    judge: Judge | None = None
    """The judge of the weekly audit; absent: the audit has none."""
    normalisers: tuple[Normaliser, ...] = ()
    """Volatile fields."""
    prices: Prices | None = None
    """What calls of models cost."""
    secret_env: tuple[EnvName, ...] = ()
    """Variables whose values never reach the disk, beside every service's `key_env`."""

    def subject_of(self, task: Task) -> Subject:
        """The agent that `task` asks: the one that it names, or its path's."""
        return self.subjects[self.subject_name(task)]

    def subject_name(self, task: Task) -> str:
        """What the agent that `task` asks is called."""
        return task.subject or self.paths[task.path_id].subject

    def source_of(self, task: Task) -> str:
        """What recordings of `task` are made from where nothing else is asked for."""
        return self.subject_of(task).source or self.default_source

    @property
    def lanes(self) -> dict[str, str]:
        """The header that names the session, of each service that has one."""
        return {
            name: service.session_header
            for name, service in self.services.items()
            if service.session_header is not None
        }

    @property
    def secrets(self) -> tuple[str, ...]:
        """All variables whose values never reach the disk, each once."""
        keys = [service.key_env for service in self.services.values() if service.key_env is not None]
        return tuple(dict.fromkeys([*keys, *self.secret_env]))
