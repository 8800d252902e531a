"""A file that holds a prompt is known; one that only speaks of prompts is not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tapegate.standard.prompts import LARGEST, Sign, sign

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "name",
    [
        "prompts/critic.md",
        "src/app/prompts/en/system.txt",
        "system_prompt.txt",
        "SystemPrompt.ts",
        "src/prompt.py",
        "critic.prompt",
        "my-prompt.j2",
    ],
)
def test_a_name_gives_a_prompt_away(name: str, tmp_path: Path) -> None:
    """A word of its path says so, in any of the ways that names are written; a file that is gone says nothing."""
    assert sign(tmp_path, name) is None
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("")
    assert sign(tmp_path, name) == Sign("is called so", None)


@pytest.mark.parametrize(
    "name",
    [
        "src/prompter.py",
        "src/impromptu.md",
        "docs/prompts.md",
        "tests/prompts/x.md",
        ".github/prompts/x.md",
        "prompts/logo.png",
        "README.md",
        "AGENTS.md",
    ],
)
def test_names_that_give_nothing_away(name: str, tmp_path: Path) -> None:
    """Other words, files for people and tests, pictures: none holds a prompt of an agent."""
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("nothing")
    assert sign(tmp_path, name) is None


HELD = [
    ("a.py", 'ROLE = """You are a careful librarian.\n"""', "tells a model what it is"),
    ("a.py", '"You are Paperdesk, a research assistant that"', "tells a model what it is"),
    ("a.txt", "You are an expert in bees.", "tells a model what it is"),
    ("a.py", '{"role": "system", "content": text}', "writes a system message"),
    ("a.ts", "{ role: 'developer', content }", "writes a system message"),
    ("a.go", 'Message{Role: "system", Content: text}', "writes a system message"),
    ("a.yaml", "- role: system\n  content: x\n", "writes a system message"),
    ("a.py", 'Message(role="system", text=x)', "writes a system message"),
    ("a.py", 'SUMMARY_PROMPT = """Sum up."""', "names a text a prompt"),
    ("a.py", 'PROMPT: Final[str] = f"""Sum up."""', "names a text a prompt"),
    ("a.ts", "const systemPrompt = `Sum up.`", "names a text a prompt"),
    ("a.go", "prompt := `Sum up.`", "names a text a prompt"),
    ("a.yaml", "system_prompt: |\n  Sum up.\n", "names a text a prompt"),
    ("a.json", '{\n  "prompt": "Sum up."\n}', "names a text a prompt"),
    ("a.py", "ChatPromptTemplate.from_messages([])", "builds a prompt"),
    ("a.py", 'Agent(model, instructions="Sum up.")', "gives a model instructions"),
    ("a.py", 'client.messages.create(system="Sum up.")', "gives a model instructions"),
]


@pytest.mark.parametrize(("name", "text", "why"), HELD)
def test_a_text_gives_a_prompt_away(name: str, text: str, why: str, tmp_path: Path) -> None:
    """Each sign, on its line."""
    (tmp_path / name).write_text(f"x\n\n{text}\n")
    assert sign(tmp_path, name) == Sign(why, 4 if text.startswith("{\n") else 3)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", 'if message["role"] == "system":'),
        ("a.py", 'PROMPT_ROLES = frozenset({"system", "developer"})'),
        ("a.py", 'Role = Literal["system", "user"]'),
        ("a.py", 'click.option("--name", prompt="Your name")'),
        ("a.py", "# You are free to change this"),
        ("a.py", "prompt = get_system_prompt(library)"),
        ("a.py", "system = platform.system()"),
        ("a.txt", "Are you the owner?"),
        ("a.md", "SUMMARY_PROMPT is a constant."),
        ("a.css", 'content: "You are a librarian"'),
    ],
)
def test_what_speaks_of_prompts_holds_none(name: str, text: str, tmp_path: Path) -> None:
    """Comparing roles, asking a user, calling a function."""
    (tmp_path / name).write_text(text)
    assert sign(tmp_path, name) is None


def test_what_cannot_be_read_holds_none(tmp_path: Path) -> None:
    """A file that is gone, one that is huge, one that is no text, one that is no file."""
    (tmp_path / "huge.txt").write_bytes(b"You are a librarian. " * (LARGEST // 20))
    (tmp_path / "binary.json").write_bytes(bytes(range(256)))
    os.mkfifo(tmp_path / "prompt.txt")
    names = ("gone.py", "huge.txt", "binary.json", "prompt.txt")
    assert [sign(tmp_path, name) for name in names] == [None, None, None, None]


def test_the_agent_of_this_repository_is_found() -> None:
    """Paperdesk's system prompt is found by its name, and the message that carries it by its text."""
    assert sign(ROOT, "src/paperdesk/prompt.py") is not None
    found = sign(ROOT, "src/paperdesk/chat.py")
    assert found is not None
    assert '"system"' in (ROOT / "src/paperdesk/chat.py").read_text().splitlines()[(found.line or 0) - 1]
