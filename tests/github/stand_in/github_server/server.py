"""A small stateful GitHub on 127.0.0.1, with GitHub's rights and event rules, and git behind it.

Every request is held against GitHub's own description (`contract.json`); what does not fit is in `problems`, and fails
the test. Like an Enterprise Server it answers below `/api/v3` and `/api/graphql`; its git speaks at `/OWNER/NAME.git`.

Rights, by the names of `permissions:` in a workflow. "Permissions" is the REST documentation's page "Permissions
required for GitHub Apps", which tables them by endpoint.

| asked | needs | else | source |
|---|---|---|---|
| anything | a token that is one | 401 | REST, "Authenticating to the REST API" |
| read what is public | nothing | | REST, each endpoint: "if only public resources are requested" |
| read what is private | read | 404 | REST, "Troubleshooting the REST API" |
| write a comment of a pull request | pull-requests or issues: write | 403 | Permissions, under both names |
| write to a locked conversation | a person with write access | 403 | "Locking conversations" |
| open or change a pull request | pull-requests: write | 403 | Permissions, "Pull requests" |
| open one, as a workflow itself | a setting that lets it | 403 | "Managing GitHub Actions settings for a repository" |
| dispatch a workflow | actions: write | 403 | Permissions, "Actions" |
| an artifact's bytes | actions: read | 403 | Permissions, "Actions"; sent on with 302 to storage without the token |
| push | contents: write | 403 | Permissions, "Contents" |

Events.

| what | rule | source |
|---|---|---|
| whatever a workflow's own token did | starts no run | "Triggering a workflow", from a workflow |
| `workflow_dispatch` by it | starts one | the exception that page names |
| what an App's token did | starts runs | the same page |
| `workflow_run` of a fork | its `pull_requests` is empty | actions/runner#3444, github/docs#22501 |

Limits: 100 entries a page, 30 unless asked; 65,536 characters a comment (422).
"""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from github_server import contract
from github_server.state import NAME, Artifact, Comment, Pull, Repository, Run, Token

INACCESSIBLE = "Resource not accessible by integration"
BY_NUMBER = "/repositories/1300192"
"""How GitHub itself names a repository in the addresses that it gives."""
NO_PULLS = "GitHub Actions is not permitted to create or approve pull requests."
Answer = tuple[int, dict[str, str], bytes]
Hook = Callable[[], None]


def said(status: int, message: str, **headers: str) -> Answer:
    """A refusal as GitHub words it."""
    return (
        status,
        headers,
        json.dumps({"message": message, "documentation_url": "https://docs.github.com/rest"}).encode(),
    )


def gave(document: Any, status: int = 200, **headers: str) -> Answer:
    """A success."""
    return status, headers, json.dumps(document).encode()


class GitHubServer:
    """The server, running until it is closed."""

    def __init__(self, git_root: Path | None = None) -> None:
        self.lock = threading.RLock()
        self.fresh(git_root)
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self) -> None:
                outer._handle(self)

            do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = handle_any

            def log_message(self, *words: Any) -> None:
                """Silence."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def environ(self) -> dict[str, str]:
        """What a runner would say of it."""
        return {
            "GITHUB_API_URL": f"{self.url}/api/v3",
            "GITHUB_GRAPHQL_URL": f"{self.url}/api/graphql",
            "GITHUB_SERVER_URL": self.url,
            "GITHUB_REPOSITORY": self.repository.name,
        }

    def close(self) -> None:
        """Stop."""
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    # what a test sets up

    def fresh(self, git_root: Path | None = None) -> None:
        """Forget everything."""
        self.repository = Repository()
        self.tokens: dict[str, Token] = {}
        self.requests: list[tuple[str, str, int]] = []
        """Method, path and status of each request, git's left out."""
        self.headers: list[dict[str, str]] = []
        """Of the same requests; names in lower case."""
        self.problems: list[str] = []
        self.git_root = git_root
        """Holds `OWNER/NAME.git`, bare."""
        self._faults: list[tuple[str, re.Pattern[str], list[Answer | Hook | float]]] = []

    def token(
        self, name: str = "ghs_default", *, login: str = "github-actions[bot]", default: bool = True, **may: str
    ) -> str:
        """A token with these permissions: `pull_requests="write"`."""
        self.tokens[name] = Token(login, {each.replace("_", "-"): level for each, level in may.items()}, default)
        return name

    def pull(self, number: int, head_sha: str, **more: Any) -> Pull:
        """Open a pull request."""
        made = self.repository.pulls[number] = Pull(number, head_sha, **more)
        return made

    def comment(self, number: int, login: str | None, body: str) -> Comment:
        """Somebody comments."""
        with self.lock:
            made = Comment(self.repository.next(), number, login, body)
            self.repository.comments[made.id] = made
            return made

    def run(self, head_sha: str, **more: Any) -> Run:
        """A workflow ran."""
        made = Run(self.repository.next(), head_sha, **more)
        self.repository.runs[made.id] = made
        return made

    def artifact(self, run: Run, zipped: bytes, name: str = "tapegate-report", **more: Any) -> Artifact:
        """It uploaded something."""
        made = Artifact(self.repository.next(), run.id, name, zipped, **more)
        self.repository.artifacts[made.id] = made
        return made

    def fault(self, method: str, pattern: str, *answers: Answer | Hook | float) -> None:
        """The next requests that match get these instead of an answer, one each: an answer, a pause in seconds before
        the true one, or a function that is called before the true one."""
        self._faults.append((method, re.compile(pattern), list(answers)))

    def asked(self, method: str, pattern: str = "") -> int:
        """How often something was asked, whatever the answer."""
        return sum(each == method and re.search(pattern, path) is not None for each, path, _ in self.requests)

    @property
    def bodies(self) -> list[str]:
        """Of all comments, the oldest first."""
        return [self.repository.comments[each].body for each in sorted(self.repository.comments)]

    # what it does

    def _handle(self, request: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(request.path)
        body = _read(request)
        if ".git/" in parts.path:
            _write(request, self._git(request, parts.path, parts.query, body))
            return
        headers = {name.lower(): value for name, value in request.headers.items()}
        path = parts.path.removeprefix("/api/v3")
        if path.startswith(f"{BY_NUMBER}/"):
            path = f"/repos/{self.repository.name}{path.removeprefix(BY_NUMBER)}"
        answer = self._fault(request.command, path)
        if answer is None:
            with self.lock:
                answer = self._answer(request.command, path, dict(parse_qsl(parts.query)), headers, body)
        with self.lock:
            self.requests.append((request.command, path, answer[0]))
            self.headers.append(headers)
        _write(request, answer)

    def _fault(self, method: str, path: str) -> Answer | None:
        with self.lock:
            for wanted, pattern, answers in self._faults:
                if wanted == method and pattern.search(path) and answers:
                    found = answers.pop(0)
                    break
            else:
                return None
        if isinstance(found, tuple):
            return found
        if callable(found):
            found()
        else:
            time.sleep(found)
        return None

    def _answer(self, method: str, path: str, query: dict[str, str], headers: dict[str, str], body: bytes) -> Answer:
        if path.startswith("/storage/"):
            return self._stored(path, headers)
        token = self.tokens.get(headers.get("authorization", "").removeprefix("Bearer "))
        if token is None:
            return said(401, "Bad credentials")
        if path == "/api/graphql":
            if json.loads(body) != {"query": "query{viewer{login}}"}:
                self.problems.append(f"POST /graphql: {body!r}")
            return gave({"data": {"viewer": {"login": token.login}}})
        found = contract.problems(method, path, query, headers, body)
        self.problems += found
        if found:
            return said(404 if "no such operation" in found[0] else 422, "; ".join(found))
        route = path.removeprefix(f"/repos/{self.repository.name}")
        if route == path or (self.repository.private and not token.permissions):
            return said(404, "Not Found")
        for wanted, pattern, name in ROUTES:
            match = re.fullmatch(pattern, route)
            if wanted == method and match is not None:
                document = json.loads(body) if body else {}
                answer: Answer = getattr(self, name)(token, query, document, *match.groups())
                return answer
        return said(404, "Not Found")

    def _page(self, query: dict[str, str], path: str, entries: list[Any], key: str | None = None) -> Answer:
        size = min(100, int(query.get("per_page", "30")))
        page = int(query.get("page", "1"))
        last = max(1, -(-len(entries) // size))
        shown = entries[(page - 1) * size : page * size]
        more = "".join(f"&{name}={value}" for name, value in query.items() if name not in ("page", "per_page"))
        links = {"prev": page - 1, "next": page + 1, "last": last, "first": 1}
        wanted = [name for name in links if (page > 1 if name in ("prev", "first") else page < last)]
        # As GitHub does, by the repository's number: a client that makes up the next address itself is on its own.
        there = f"{self.url}/api/v3{BY_NUMBER}{path}"
        link = ", ".join(f'<{there}?per_page={size}&page={links[name]}{more}>; rel="{name}"' for name in wanted)
        document = shown if key is None else {"total_count": len(entries), key: shown}
        return gave(document, **({"link": link} if link else {}))

    def _comments(self, token: Token, query: dict[str, str], document: Any, number: str) -> Answer:
        if int(number) not in self.repository.pulls:
            return said(404, "Not Found")
        found = [one for each, one in sorted(self.repository.comments.items()) if one.number == int(number)]
        return self._page(query, f"/issues/{number}/comments", [self._comment(one) for one in found])

    def _new_comment(self, token: Token, query: dict[str, str], document: Any, number: str) -> Answer:
        if int(number) not in self.repository.pulls:
            return said(404, "Not Found")
        if not token.may("write", "pull-requests", "issues"):
            return said(403, INACCESSIBLE)
        if int(number) in self.repository.locked:
            return said(403, "Unable to create comment because issue is locked.")
        if len(document["body"]) > 65_536:
            return said(422, "Validation Failed")
        made = self.comment(int(number), token.login, document["body"])
        return gave(self._comment(made), 201)

    def _edit_comment(self, token: Token, query: dict[str, str], document: Any, number: str) -> Answer:
        if not token.may("write", "pull-requests", "issues"):
            return said(403, INACCESSIBLE)
        found = self.repository.comments.get(int(number))
        if found is None:
            return said(404, "Not Found")
        if len(document["body"]) > 65_536:
            return said(422, "Validation Failed")
        found.body = document["body"]
        return gave(self._comment(found))

    def _drop_comment(self, token: Token, query: dict[str, str], document: Any, number: str) -> Answer:
        if not token.may("write", "pull-requests", "issues"):
            return said(403, INACCESSIBLE)
        if self.repository.comments.pop(int(number), None) is None:
            return said(404, "Not Found")
        return 204, {}, b""

    def _comment(self, comment: Comment) -> dict[str, Any]:
        user = {"login": comment.login, "type": "Bot", "id": 1} if comment.login is not None else None
        url = f"{self.url}/{self.repository.name}/pull/{comment.number}#issuecomment-{comment.id}"
        return {"id": comment.id, "body": comment.body, "user": user, "html_url": url, "author_association": "NONE"}

    def _pulls(self, token: Token, query: dict[str, str], document: Any) -> Answer:
        def wanted(pull: Pull) -> bool:
            owner = (pull.head_repository or "/").partition("/")[0]
            return (
                query.get("state", "open") in ("all", pull.state)
                and query.get("head") in (None, f"{owner}:{pull.head_ref}")
                and query.get("base") in (None, pull.base_ref)
            )

        found = [pull for number, pull in sorted(self.repository.pulls.items(), reverse=True) if wanted(pull)]
        return self._page(query, "/pulls", [self._pull_document(pull) for pull in found])

    def _one_pull(self, token: Token, query: dict[str, str], document: Any, number: str) -> Answer:
        pull = self.repository.pulls.get(int(number))
        return gave(self._pull_document(pull)) if pull is not None else said(404, "Not Found")

    def _new_pull(self, token: Token, query: dict[str, str], document: Any) -> Answer:
        if token.default and not self.repository.may_create_pulls:
            return said(403, NO_PULLS)
        if not token.may("write", "pull-requests"):
            return said(403, INACCESSIBLE)
        sha = self._branch(document["head"])
        if sha is None:
            return _invalid("head", "invalid", "")
        if any(one.head_ref == document["head"] and one.state == "open" for one in self.repository.pulls.values()):
            head = f"{self.repository.name.partition('/')[0]}:{document['head']}"
            return _invalid("", "custom", f"A pull request already exists for {head}.")
        pull = self.pull(self.repository.next(), sha, head_ref=document["head"], base_ref=document["base"])
        pull.title, pull.body, pull.author = document["title"], document.get("body"), token.login
        self.repository.happened("pull_request", pull.head_ref, token)
        return gave(self._pull_document(pull), 201)

    def _edit_pull(self, token: Token, query: dict[str, str], document: Any, number: str) -> Answer:
        if not token.may("write", "pull-requests"):
            return said(403, INACCESSIBLE)
        pull = self.repository.pulls.get(int(number))
        if pull is None:
            return said(404, "Not Found")
        pull.title, pull.body = document.get("title", pull.title), document.get("body", pull.body)
        return gave(self._pull_document(pull))

    def _pull_document(self, pull: Pull) -> dict[str, Any]:
        head = {"full_name": pull.head_repository} if pull.head_repository is not None else None
        return {
            "number": pull.number,
            "state": pull.state,
            "title": pull.title,
            "body": pull.body,
            "html_url": f"{self.url}/{self.repository.name}/pull/{pull.number}",
            "user": {"login": pull.author},
            "head": {"ref": pull.head_ref, "sha": pull.head_sha, "repo": head},
            "base": {"ref": pull.base_ref, "sha": pull.base_sha, "repo": {"full_name": self.repository.name}},
        }

    def _workflow_runs(self, token: Token, query: dict[str, str], document: Any, workflow: str) -> Answer:
        if workflow not in self.repository.workflows:
            return said(404, "Not Found")
        found = [run for run in self._wanted_runs(query) if run.workflow == workflow]
        documents = [self._run_document(run) for run in found]
        return self._page(query, f"/actions/workflows/{workflow}/runs", documents, "workflow_runs")

    def _runs(self, token: Token, query: dict[str, str], document: Any) -> Answer:
        documents = [self._run_document(run) for run in self._wanted_runs(query)]
        return self._page(query, "/actions/runs", documents, "workflow_runs")

    def _wanted_runs(self, query: dict[str, str]) -> list[Run]:
        return [
            run
            for number, run in sorted(self.repository.runs.items(), reverse=True)
            if query.get("head_sha") in (None, run.head_sha)
            and query.get("event") in (None, run.event)
            and query.get("branch") in (None, run.head_branch)
        ]

    def _one_run(self, token: Token, query: dict[str, str], document: Any, number: str) -> Answer:
        run = self.repository.runs.get(int(number))
        return gave(self._run_document(run)) if run is not None else said(404, "Not Found")

    def _run_document(self, run: Run) -> dict[str, Any]:
        fork = run.head_repository != self.repository.name
        pulls = [] if fork else [one.number for one in self.repository.pulls.values() if one.head_sha == run.head_sha]
        return {
            "id": run.id,
            "head_sha": run.head_sha,
            "event": run.event,
            "run_attempt": run.attempt,
            "head_branch": run.head_branch,
            "conclusion": run.conclusion,
            "path": f".github/workflows/{run.workflow}",
            "head_repository": {"full_name": run.head_repository} if run.head_repository is not None else None,
            "html_url": f"{self.url}/{self.repository.name}/actions/runs/{run.id}",
            "pull_requests": [{"number": number} for number in pulls],
        }

    def workflow_run(self, run: Run) -> dict[str, Any]:
        """The event that the end of a run is."""
        return {"action": "completed", "workflow_run": self._run_document(run)}

    def _artifacts(self, token: Token, query: dict[str, str], document: Any, number: str) -> Answer:
        if int(number) not in self.repository.runs:
            return said(404, "Not Found")
        found = [
            {
                "id": one.id,
                "name": one.name,
                "size_in_bytes": len(one.zipped) if one.size is None else one.size,
                "expired": one.expired,
                "digest": one.digest,
                "workflow_run": {"id": one.run, "head_sha": self.repository.runs[one.run].head_sha},
            }
            for one in self.repository.artifacts.values()
            if one.run == int(number) and query.get("name") in (None, one.name)
        ]
        return self._page(query, f"/actions/runs/{number}/artifacts", found, "artifacts")

    def _zip(self, token: Token, query: dict[str, str], document: Any, number: str) -> Answer:
        found = self.repository.artifacts.get(int(number))
        if found is None:
            return said(404, "Not Found")
        if not token.may("read", "actions"):
            return said(403, "Resource not accessible by integration")
        if found.expired:
            return said(410, "Artifact has expired")
        # Another host than the API's, as GitHub's storage is.
        port = self._http.server_address[1]
        return 302, {"location": f"http://localhost:{port}/storage/{number}?sig=1"}, b""

    def _stored(self, path: str, headers: dict[str, str]) -> Answer:
        if "authorization" in headers:
            self.problems.append("the token was sent to the storage")
            return said(400, "InvalidAuthenticationInfo")
        return 200, {"content-type": "application/zip"}, self.repository.artifacts[int(path.split("/")[2])].zipped

    def _dispatch(self, token: Token, query: dict[str, str], document: Any, workflow: str) -> Answer:
        if not token.may("write", "actions"):
            return said(403, INACCESSIBLE)
        on = self.repository.workflows.get(workflow)
        if on is None:
            return said(404, "Not Found")
        if self._branch(document["ref"]) is None:
            return said(422, f"No ref found for: {document['ref']}")
        if "workflow_dispatch" not in on:
            return said(422, "Workflow does not have 'workflow_dispatch' trigger")
        self.repository.started.append((workflow, "workflow_dispatch", document["ref"]))
        return 204, {}, b""

    def _commit(self, token: Token, query: dict[str, str], document: Any, sha: str) -> Answer:
        done = self._in_git("log", "-1", "--format=%T%n%P%n%B", sha)
        if done is None:
            return said(404, "Not Found")
        tree, parents, message = done.split("\n", 2)
        above = [{"sha": parent} for parent in parents.split()]
        return gave({"sha": sha, "tree": {"sha": tree}, "parents": above, "message": message.rstrip("\n")})

    def _branch(self, name: str) -> str | None:
        """The commit that a branch is at; any, where there is no git."""
        if self.git_root is None:
            return "c" * 40
        return (self._in_git("rev-parse", "--verify", "--quiet", f"refs/heads/{name}") or "").strip() or None

    def _in_git(self, *words: str) -> str | None:
        assert self.git_root is not None
        folder = self.git_root / f"{self.repository.name}.git"
        done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=False)
        return done.stdout if done.returncode == 0 else None

    def _git(self, request: BaseHTTPRequestHandler, path: str, query: str, body: bytes) -> Answer:
        """Git's own server program, behind the rights of the token."""
        kind, _, credentials = request.headers.get("authorization", "").partition(" ")
        if kind.lower() != "basic":
            return 401, {"www-authenticate": 'Basic realm="GitHub"'}, b""
        token = self.tokens.get(base64.b64decode(credentials).decode().removeprefix("x-access-token:"))
        if token is None:
            return 401, {"www-authenticate": 'Basic realm="GitHub"'}, b"Bad credentials"
        if "git-receive-pack" in f"{path}?{query}" and not token.may("write", "contents"):
            return 403, {}, b"Write access to repository not granted."
        assert self.git_root is not None
        environ = {
            "GIT_PROJECT_ROOT": str(self.git_root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": request.command,
            "CONTENT_TYPE": request.headers.get("content-type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": request.headers.get("content-encoding", ""),
            "GIT_PROTOCOL": request.headers.get("git-protocol", ""),
            "REMOTE_USER": token.login,
            "PATH": os.environ["PATH"],
        }
        done = subprocess.run(["git", "http-backend"], input=body, env=environ, capture_output=True, check=False)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
        status = int(headers.pop("Status", "200").split()[0])
        if path.endswith("/git-receive-pack"):
            self._pushed(token)
        return status, headers, content

    def _pushed(self, token: Token) -> None:
        with self.lock:
            for pull in self.repository.pulls.values():
                sha = self._branch(pull.head_ref)
                if pull.head_repository == NAME and sha is not None and sha != pull.head_sha:
                    pull.head_sha = sha
                    self.repository.happened("pull_request", pull.head_ref, token)


def _invalid(name: str, code: str, message: str) -> Answer:
    one = {"resource": "PullRequest", "field": name, "code": code, **({"message": message} if message else {})}
    return gave({"message": "Validation Failed", "errors": [one]}, 422)


def _read(request: BaseHTTPRequestHandler) -> bytes:
    if request.headers.get("transfer-encoding", "").lower() == "chunked":
        whole = b""
        while size := int(request.rfile.readline(), 16):
            whole += request.rfile.read(size)
            request.rfile.readline()
        request.rfile.readline()
        return whole
    return request.rfile.read(int(request.headers.get("content-length") or 0))


def _write(request: BaseHTTPRequestHandler, answer: Answer) -> None:
    status, headers, body = answer
    request.send_response(status)
    for name, value in headers.items():
        request.send_header(name.replace("_", "-"), value)
    request.send_header("content-length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)


ROUTES = (
    ("GET", r"/pulls", "_pulls"),
    ("POST", r"/pulls", "_new_pull"),
    ("GET", r"/pulls/(\d+)", "_one_pull"),
    ("PATCH", r"/pulls/(\d+)", "_edit_pull"),
    ("GET", r"/issues/(\d+)/comments", "_comments"),
    ("POST", r"/issues/(\d+)/comments", "_new_comment"),
    ("PATCH", r"/issues/comments/(\d+)", "_edit_comment"),
    ("DELETE", r"/issues/comments/(\d+)", "_drop_comment"),
    ("GET", r"/actions/workflows/([^/]+)/runs", "_workflow_runs"),
    ("POST", r"/actions/workflows/([^/]+)/dispatches", "_dispatch"),
    ("GET", r"/git/commits/([0-9a-f]{40})", "_commit"),
    ("GET", r"/actions/runs", "_runs"),
    ("GET", r"/actions/runs/(\d+)", "_one_run"),
    ("GET", r"/actions/runs/(\d+)/artifacts", "_artifacts"),
    ("GET", r"/actions/artifacts/(\d+)/zip", "_zip"),
)
