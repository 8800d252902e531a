"""Every rule against keys of its format and against what only looks like one."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable
from urllib.parse import quote

import pytest

from tapegate.tape.secrets.catalog import RULES
from tapegate.tape.secrets.detector import KNOWN, Detector
from tapegate.tape.secrets.rule import Rule

TRUE = [
    ("openai_project_key", "sk-proj-{word:74}T3BlbkFJ{word:74}"),
    ("openai_project_key", "sk-svcacct-{word:58}T3BlbkFJ{word:58}"),
    ("openai_project_key", "sk-admin-{word:58}T3BlbkFJ{word:58}"),
    ("sk_key", "sk-{alnum:20}T3BlbkFJ{alnum:20}"),
    ("anthropic_key", "sk-ant-api03-{word:93}AA"),
    ("anthropic_key", "sk-ant-admin01-{word:93}AA"),
    ("anthropic_key", "sk-ant-oat01-{word:93}AA"),
    ("openrouter_key", "sk-or-v1-{hex:64}"),
    ("langfuse_secret_key", "sk-lf-{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}"),
    ("deepseek_key", "sk-{hex:32}"),
    ("sk_key", "sk-{alnum:48}"),
    ("google_api_key", "AIzaSy{word:33}"),
    ("google_express_key", "AQ.Ab8R{word:46}"),
    ("google_oauth_token", "ya29.{word:120}"),
    ("google_client_secret", "GOCSPX-{word:28}"),
    ("groq_key", "gsk_{alnum:52}"),
    ("xai_key", "xai-{alnum:80}"),
    ("huggingface_token", "hf_{alnum:34}"),
    ("huggingface_token", "api_org_{alnum:34}"),
    ("replicate_token", "r8_{alnum:37}"),
    ("perplexity_key", "pplx-{alnum:48}"),
    ("fireworks_key", "fw_{alnum:22}"),
    ("together_key", "tgp_v1_{word:43}"),
    ("cerebras_key", "csk-{lower:48}"),
    ("nvidia_key", "nvapi-{word:64}"),
    ("voyage_key", "pa-{word:43}"),
    ("jina_key", "jina_{hex:32}{word:28}"),
    ("elevenlabs_key", "sk_{hex:48}"),
    ("vercel_gateway_key", "vck_{alnum:56}"),
    ("mistral_key", "MISTRAL_API_KEY={alnum:32}"),
    ("mistral_key", '{"mistral_key": "{alnum:32}"}'),
    ("cohere_key", "CO_API_KEY: {alnum:40}"),
    ("cohere_key", '{"cohere": 1, "cohere_api_key": "{alnum:40}"}'),
    ("cohere_key", "COHERE_KEY={alnum:40}"),
    ("together_legacy_key", "TOGETHER_KEY={hex:64}"),
    ("together_legacy_key", "together_api_key={hex:64}"),
    ("elevenlabs_legacy_key", "ELEVENLABS_KEY={hex:32}"),
    ("elevenlabs_legacy_key", "xi-api-key: {hex:32}"),
    ("wandb_key", "wandb key: {hex:40}"),
    ("wandb_key", "WANDB_API_KEY={hex:40}"),
    ("wandb_v1_key", "wandb_v1_{alnum:77}"),
    ("langsmith_key", "lsv2_pt_{hex:32}_{hex:10}"),
    ("langsmith_key", "lsv2_sk_{hex:32}_{hex:10}"),
    ("langsmith_legacy_key", "ls__{hex:32}"),
    ("pinecone_key", "pcsk_{alnum:6}_{alnum:63}"),
    ("tavily_key", "tvly-{alnum:32}"),
    ("tavily_key", "tvly-dev-{alnum:32}"),
    ("firecrawl_key", "fc-{hex:32}"),
    ("brave_key", "BSA{word:28}"),
    ("serper_key", "X-SERPER-KEY: {hex:40}"),
    ("serper_key", "serpapi_key={hex:64}"),
    ("e2b_key", "e2b_{hex:40}"),
    ("databricks_token", "dapi{hex:32}-2"),
    ("notion_token", "ntn_{alnum:46}"),
    ("linear_key", "lin_api_{alnum:40}"),
    ("airtable_token", "pat{alnum:14}.{hex:64}"),
    ("supabase_key", "sbp_{hex:40}"),
    ("supabase_key", "sb_secret_{word:31}"),
    ("grafana_token", "glsa_{alnum:32}_{hex:8}"),
    ("postman_key", "PMAK-{hex:24}-{hex:34}"),
    ("atlassian_token", "ATATT3xFfGF0{word:180}"),
    ("sentry_token", "sntryu_{hex:64}"),
    ("sentry_token", "sntrys_eyJ{alnum:80}_{b64:43}"),
    ("telegram_bot_token", "{digit:10}:AA{word:33}"),
    ("azure_key", "{alnum:52}JQQJ99{alnum:26}"),
    ("azure_named_key", "AZURE_OPENAI_API_KEY={hex:32}"),
    ("azure_named_key", "api-key: {hex:32}"),
    ("azure_named_key", "Ocp-Apim-Subscription-Key: {hex:32}"),
    ("azure_storage_key", "AccountName=a;AccountKey={b64:86}=="),
    ("azure_storage_key", "SharedAccessKey={b64:43}="),
    ("azure_client_secret", "{alnum:3}8Q~{word:34}"),
    ("aws_access_key_id", "AKIA{base32:16}"),
    ("aws_access_key_id", "ASIA{base32:16}"),
    ("aws_secret_key", "aws_secret_access_key = {b64:40}"),
    ("aws_secret_key", '{"SecretAccessKey": "{b64:40}"}'),
    ("aws_secret_key", "The AWS secret access key is: {b64:40}"),
    ("aws_session_token", "IQoJb3JpZ2lu{b64:200}"),
    ("bedrock_key", "ABSK{b64:128}"),
    ("bedrock_key", "bedrock-api-key-{b64:80}"),
    ("digitalocean_token", "dop_v1_{hex:64}"),
    ("vault_token", "hvs.{word:95}"),
    ("github_token", "ghp_{alnum:36}"),
    ("github_token", "gho_{alnum:36}"),
    ("github_token", "ghs_{alnum:36}"),
    ("github_token", "ghu_{alnum:36}"),
    ("github_token", "ghr_{alnum:36}"),
    ("github_fine_grained_token", "github_pat_{alnum:22}_{alnum:59}"),
    ("gitlab_token", "glpat-{word:20}"),
    ("gitlab_token", "glrt-{word:20}"),
    ("npm_token", "npm_{alnum:36}"),
    ("pypi_token", "pypi-AgEIcHlwaS5vcmc{word:120}"),
    ("docker_token", "dckr_pat_{word:27}"),
    ("slack_token", "xoxb-{digit:12}-{digit:12}-{alnum:24}"),
    ("slack_token", "xapp-1-A{digit:10}-{digit:13}-{hex:64}"),
    ("slack_webhook", "https://hooks.slack.com/services/T{base32:8}/B{base32:8}/{alnum:24}"),
    ("stripe_key", "sk_live_{alnum:24}"),
    ("stripe_key", "rk_test_{alnum:99}"),
    ("stripe_webhook_secret", "whsec_{b64:32}"),
    ("shopify_token", "shpat_{hex:32}"),
    ("sendgrid_key", "SG.{word:22}.{word:43}"),
    ("mailgun_key", "key-{hex:32}"),
    ("twilio_secret", "twilio_secret: {alnum:32}"),
    ("twilio_secret", "TWILIO_AUTH_TOKEN={hex:32}"),
    ("private_key", "-----BEGIN PRIVATE KEY-----\n{b64:64}\n{b64:64}\n-----END PRIVATE KEY-----"),
    ("private_key", "-----BEGIN OPENSSH PRIVATE KEY-----\\n{b64:70}\\n{b64:70}\\n-----END OPENSSH PRIVATE KEY-----"),
    ("jwt", "Authorization: Bearer eyJ{alnum:34}.eyJ{alnum:80}.{word:43}"),
    ("url_password", "postgresql://app:{alnum:20}@db.internal:5432/app"),
    ("credential_field", '{"client_secret": "{alnum:44}"}'),
    ("credential_field", "api_key={alnum:28}"),
    ("credential_field", "access_token={word:60}&token_type=bearer"),
]
"""Rule, and the shape of a key that it alone recognises."""

FALSE = [
    "sk-{alnum:12}",
    "sk-proj-your-api-key-goes-here-and-is-much-longer-than-this-one",
    "sk-{x:48}",
    "sk-proj-{x:120}",
    "sk-ant-api03-{x:95}",
    "sk-or-v1-{hex:40}",
    "sk-" + "1234567890abcdef" * 2,
    "task-{alnum:48}",
    "risk-management-in-distributed-systems-and-the-people-who-run-them",
    "AIza{word:20}",
    "AIzaSy{x:33}",
    "AIza{word:60}",
    "gsk_{alnum:40}",
    "xai-{alnum:30}",
    "hf_hub_download(repo_id, filename)",
    "hf_{x:34}",
    "r8_{alnum:20}",
    "pplx-70b-online",
    "fw_{alnum:8}",
    "csk-{alnum:12}",
    "nvapi-{x:64}",
    "pa-{word:20}",
    "mistral-large-latest",
    '{"model": "mistral-small-2503", "id": "{hex:32}"}',
    '{"model": "cohere.embed-multilingual-v3", "id": "{alnum:40}"}',
    "MISTRAL_API_KEY=REDACTED_MISTRAL_API_KEY",
    "wandb run {hex:40}",
    "commit {hex:40}",
    "sha256:{hex:64}",
    "{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}",
    "chatcmpl-{alnum:29}",
    "call_{alnum:24}",
    "toolu_{alnum:24}",
    "msg_{alnum:24}",
    "resp_{hex:48}",
    "fp_{hex:10}",
    "req_{alnum:24}",
    "lsv2_pt_{hex:10}",
    "tvly-YOUR_API_KEY",
    "BSA{x:28}",
    "{digit:10}:AB{word:33}",
    "AKIAIOSFODNN7EXAMPLE",
    "AKIA{base32:8}",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "AccountKey=<your key>",
    "ghp_{alnum:10}",
    "ghp_{x:36}",
    "glpat-{x:20}",
    "npm_config_registry",
    "npm_lifecycle_event_and_other_names",
    "xoxb-your-token",
    "sk_live_...",
    "sk_test_{x:24}",
    "SG.{word:10}.{word:10}",
    "key-{hex:12}",
    "-----BEGIN PUBLIC KEY-----\n{b64:64}\n-----END PUBLIC KEY-----",
    "A PEM file starts with -----BEGIN PRIVATE KEY----- and holds base64.",
    "eyJ{alnum:20}",
    "https://user:password@host.example/",
    "https://host:8443/path@2x.png",
    "api_key=os.environ['OPENAI_API_KEY']",
    "api_key = settings.provider.credentials.api_key",
    '"api_key": "your_api_key_goes_right_here"',
    '"max_tokens": 4096, "token": "hello"',
    '"next_page_token": null',
    "REDACTED_OPENAI_API_KEY",
    "api_key=REDACTED_OPENAI_API_KEY",
    "Bearer REDACTED_ANTHROPIC_API_KEY",
]
"""Shapes of what no rule may take for a key."""

ENCODINGS: dict[str, Callable[[bytes], bytes]] = {
    "raw": lambda key: key,
    "in JSON": lambda key: json.dumps({"text": f"the key:\n{key.decode()}\nis it"}).encode(),
    "in JSON in JSON": lambda key: json.dumps({"arguments": json.dumps({"k": f"\t{key.decode()}"})}).encode(),
    "JSON-escaped": lambda key: ('{"k":"' + "".join(f"\\u{byte:04x}" for byte in key) + '"}').encode(),
    "slashes escaped": lambda key: json.dumps({"k": key.decode()}).replace("/", "\\/").encode(),
    "percent-encoded": lambda key: b"q=" + quote(key, safe="").encode() + b"&x=1",
    "every byte percent-encoded": lambda key: ("q=" + "".join(f"%{byte:02X}" for byte in key)).encode(),
    "after %20": lambda key: b"q=it%20is%20" + quote(key).encode(),
    "gzip": lambda key: b"--part\r\n\r\n" + gzip.compress(b"text " + key, mtime=0) + b"\r\n--part--",
    "base64 of gzip": lambda key: b'{"d":"' + base64.b64encode(gzip.compress(b" " + key, mtime=0)) + b'"}',
    "base64, wrapped": lambda key: base64.encodebytes(b"a line of text, then " * 3 + key + b" and more " * 9),
    "base64, wrapped in JSON": lambda key: json.dumps(base64.encodebytes(b" " * 47 + key).decode()).encode(),
    "base64url in a path": lambda key: b"https://h.example/p/" + base64.urlsafe_b64encode(b"x " + key).rstrip(b"="),
    "base64 at 0": lambda key: b'"' + base64.b64encode(b"is " + key + b" ;") + b'"',
    "base64 at 1": lambda key: b'"' + base64.b64encode(b" is " + key + b" ;") + b'"',
    "base64 at 2": lambda key: b'"' + base64.b64encode(b"= " + key + b" ;") + b'"',
}


@pytest.mark.parametrize(("rule", "shape"), TRUE)
def test_a_key_is_seen_as_what_it_is(rule: str, shape: str, grow: Callable[..., bytes]) -> None:
    """A key of a known format is found once, by the rule of its service, whatever its random part."""
    for seed in range(5):
        assert [rule] == [seen.rule for seen in KNOWN.find(grow(shape, seed))]


@pytest.mark.parametrize("shape", FALSE)
def test_what_only_looks_like_a_key_is_left_alone(shape: str, grow: Callable[..., bytes]) -> None:
    """Stand-ins, marks, ids, hashes, model names and prose are no keys."""
    for seed in range(5):
        assert KNOWN.find(grow(shape, seed)) == ()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_rule_is_needed_and_works_alone(rule: Rule, grow: Callable[..., bytes]) -> None:
    """Without a rule a key of its format goes unseen, and no other rule's search has to lead a rule to its keys."""
    shapes = [shape for name, shape in TRUE if name == rule.id]
    alone, rest = Detector([rule]), Detector(other for other in RULES if other is not rule)
    assert any(rest.find(grow(shape)) == () for shape in shapes)
    for shape in shapes:
        for text in (grow(shape), base64.b64encode(b" " + grow(shape))):
            assert [seen.rule for seen in alone.find(text)] == [rule.id]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_key_is_seen_in_every_encoding(encoding: str, grow: Callable[..., bytes]) -> None:
    """Escaping, percent-encoding, base64 at any alignment and gzip hide no key, and change nothing of its name."""
    for rule, shape in TRUE:
        assert rule in {seen.rule for seen in KNOWN.find(ENCODINGS[encoding](grow(shape)))}, shape


def test_the_catalog_knows_the_services_that_agents_use() -> None:
    """At least 25 services are known, and no rule id stands twice."""
    assert len({rule.service for rule in RULES}) >= 25
    assert len({rule.id for rule in RULES}) == len(RULES)
