r"""The key formats that are known, one line each. Where two could claim the same text, the first one wins.

A key with a prefix of its own is looked for anywhere; one that is only letters and digits (Mistral, Cohere, …) where
its service and the word key, token or secret stand before it. Formats are those that the services document or that
their consoles hand out; the tests hold true and false samples of each.
"""

from __future__ import annotations

from tapegate.tape.secrets.rule import Rule

LEFT = r"(?:^|[^0-9A-Za-z]|\\[bfnrt]|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2})"
"""What may stand before a key: no letter or digit, or the end of an escape (`\nsk-…` as JSON writes it)."""
RIGHT = r"(?:[^0-9A-Za-z]|$)"
"""What must stand after a key of fixed length."""
RIGHT_OF_WORD = r"(?:[^0-9A-Za-z_-]|$)"
"""The same for a key that may hold `_` and `-` itself."""

_QUOTE = r"""[\\"'`\s()\[\]]|%2[027]|\\u002[027]"""
_IS = rf"(?:{_QUOTE}){{0,6}}(?:=>|:=|[:=,]|%3[AaDd]|(?i:is):?)(?:{_QUOTE}|(?i:bearer )){{0,8}}"
"""What stands between a name and its value, in code, JSON, YAML, shell, query strings and prose."""


def _token(key: str, end: str = "") -> str:
    return rf"{LEFT}({key}){end}"


def _named(owner: str, key: str) -> str:
    return rf"(?i:(?:{owner})[0-9a-z_ .-]{{0,24}}(?:key|token|secret|pat))[0-9A-Za-z_]{{0,8}}{_IS}({key}){RIGHT}"


def _any_case(rule_id: str, service: str, pattern: str, anchors: tuple[str, ...], bits: float = 3.0) -> Rule:
    return Rule(rule_id, service, pattern, anchors, bits, any_case=True)


_GENERIC = (
    "(?:x[_-])?api[_-]?key|client[_-]?secret|(?:access|auth|refresh|session)[_-]?token|secret[_-]?(?:access[_-]?)?key"
)

RULES: tuple[Rule, ...] = (
    # Models
    Rule(
        "openai_project_key",
        "OpenAI",
        _token(r"sk-(?:proj|svcacct|service|admin|None)-[0-9A-Za-z_-]{40,}"),
        ("sk-proj-", "sk-svcacct-", "sk-service-", "sk-admin-", "sk-none-"),
    ),
    Rule("anthropic_key", "Anthropic", _token(r"sk-ant-[a-z]{3,8}[0-9]{2}-[0-9A-Za-z_-]{80,}"), ("sk-ant-",)),
    Rule("openrouter_key", "OpenRouter", _token(r"sk-or-(?:v1-)?[0-9a-f]{64}"), ("sk-or-",)),
    Rule("langfuse_secret_key", "Langfuse", _token(r"sk-lf-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"), ("sk-lf-",)),
    Rule("deepseek_key", "DeepSeek, DashScope", _token(r"sk-[0-9a-f]{32}", RIGHT), ("sk-",)),
    Rule(
        "sk_key",
        "OpenAI and those who copied its form (Moonshot, Stability AI, …)",
        _token(r"sk-[0-9A-Za-z]{40,64}", RIGHT),
        ("sk-",),
        3.5,
    ),
    Rule("google_api_key", "Google", _token(r"AIza[0-9A-Za-z_-]{35}", RIGHT_OF_WORD), ("AIza",)),
    Rule("google_express_key", "Google Vertex AI", _token(r"AQ\.Ab8[0-9A-Za-z_-]{40,}"), ("AQ.Ab8",)),
    Rule("google_oauth_token", "Google", _token(r"ya29\.[0-9A-Za-z_.-]{20,}"), ("ya29.",)),
    Rule("google_client_secret", "Google", _token(r"GOCSPX-[0-9A-Za-z_-]{28}", RIGHT_OF_WORD), ("GOCSPX-",)),
    Rule("groq_key", "Groq", _token(r"gsk_[0-9A-Za-z]{52}", RIGHT), ("gsk_",)),
    Rule("xai_key", "xAI", _token(r"xai-[0-9A-Za-z_]{80}", RIGHT), ("xai-",)),
    Rule("huggingface_token", "Hugging Face", _token(r"(?:hf|api_org)_[0-9A-Za-z]{34}", RIGHT), ("hf_", "api_org_")),
    Rule("replicate_token", "Replicate", _token(r"r8_[0-9A-Za-z]{37}", RIGHT), ("r8_",)),
    Rule("perplexity_key", "Perplexity", _token(r"pplx-[0-9A-Za-z]{48}", RIGHT), ("pplx-",)),
    Rule("fireworks_key", "Fireworks AI", _token(r"fw_[0-9A-Za-z]{22,24}", RIGHT), ("fw_",), 3.2),
    Rule("together_key", "Together AI", _token(r"tgp_v1_[0-9A-Za-z_-]{40,}"), ("tgp_v1_",)),
    Rule("cerebras_key", "Cerebras", _token(r"csk-[0-9a-z]{48}", RIGHT), ("csk-",)),
    Rule("nvidia_key", "NVIDIA", _token(r"nvapi-[0-9A-Za-z_-]{60,70}", RIGHT_OF_WORD), ("nvapi-",)),
    Rule("voyage_key", "Voyage AI", _token(r"(?:pa|al)-[0-9A-Za-z_-]{43}", RIGHT_OF_WORD), ("pa-", "al-"), 4.0),
    Rule("jina_key", "Jina AI", _token(r"jina_[0-9a-f]{32}[0-9A-Za-z_-]{28}", RIGHT_OF_WORD), ("jina_",)),
    Rule("elevenlabs_key", "ElevenLabs", _token(r"sk_[0-9a-f]{48}", RIGHT), ("sk_",)),
    Rule("vercel_gateway_key", "Vercel AI Gateway", _token(r"vc[kp]_[0-9A-Za-z]{24,60}", RIGHT), ("vck_", "vcp_"), 3.5),
    _any_case("mistral_key", "Mistral", _named("mistral", "[0-9A-Za-z]{32}"), ("mistral",)),
    _any_case("cohere_key", "Cohere", _named("cohere|co_api", "[0-9A-Za-z]{40}"), ("cohere", "co_api")),
    _any_case("together_legacy_key", "Together AI", _named("together", "[0-9a-f]{64}"), ("together",)),
    _any_case(
        "elevenlabs_legacy_key",
        "ElevenLabs",
        _named("elevenlabs|eleven|xi[_-]api", "[0-9a-f]{32}"),
        ("eleven", "xi-api", "xi_api"),
    ),
    _any_case("wandb_key", "Weights & Biases", _named("wandb|weights", "[0-9a-f]{40}"), ("wandb", "weights")),
    Rule("wandb_v1_key", "Weights & Biases", _token(r"wandb_v1_[0-9A-Za-z_]{60,}"), ("wandb_v1_",)),
    # Tools and stores that agents call
    Rule("langsmith_key", "LangSmith", _token(r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}", RIGHT), ("lsv2_",)),
    Rule("langsmith_legacy_key", "LangSmith", _token(r"ls__[0-9a-f]{32}", RIGHT), ("ls__",)),
    Rule("pinecone_key", "Pinecone", _token(r"pcsk_[0-9A-Za-z]{5,6}_[0-9A-Za-z]{63}", RIGHT), ("pcsk_",)),
    Rule("tavily_key", "Tavily", _token(r"tvly-(?:dev-|prod-)?[0-9A-Za-z-]{32,}"), ("tvly-",)),
    Rule("firecrawl_key", "Firecrawl", _token(r"fc-[0-9a-f]{32}", RIGHT), ("fc-",)),
    Rule("brave_key", "Brave Search", _token(r"BSA[0-9A-Za-z_-]{28}", RIGHT_OF_WORD), ("BSA",), 3.8),
    _any_case(
        "serper_key",
        "Serper, SerpAPI",
        _named("serper|serp_?api", "[0-9a-f]{40}|[0-9a-f]{64}"),
        ("serper", "serpapi", "serp_api"),
    ),
    Rule("e2b_key", "E2B", _token(r"e2b_[0-9a-f]{40}", RIGHT), ("e2b_",)),
    Rule("databricks_token", "Databricks", _token(r"dapi[0-9a-f]{32}(?:-[0-9])?", RIGHT), ("dapi",)),
    Rule("notion_token", "Notion", _token(r"ntn_[0-9A-Za-z]{46}", RIGHT), ("ntn_",)),
    Rule("linear_key", "Linear", _token(r"lin_api_[0-9A-Za-z]{40}", RIGHT), ("lin_api_",)),
    Rule("airtable_token", "Airtable", _token(r"pat[0-9A-Za-z]{14}\.[0-9a-f]{64}", RIGHT), ("pat",)),
    Rule(
        "supabase_key",
        "Supabase",
        _token(r"sbp_[0-9a-f]{40}|sb_secret_[0-9A-Za-z_-]{31}", RIGHT_OF_WORD),
        ("sbp_", "sb_secret_"),
    ),
    Rule("grafana_token", "Grafana", _token(r"glsa_[0-9A-Za-z]{32}_[0-9A-Fa-f]{8}", RIGHT), ("glsa_",)),
    Rule("postman_key", "Postman", _token(r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}", RIGHT), ("PMAK-",)),
    Rule("atlassian_token", "Atlassian", _token(r"ATATT3[0-9A-Za-z_=-]{100,}"), ("ATATT3",)),
    Rule(
        "sentry_token", "Sentry", _token(r"sntryu_[0-9a-f]{64}|sntrys_eyJ[0-9A-Za-z+/=_-]{60,}"), ("sntryu_", "sntrys_")
    ),
    Rule(
        "telegram_bot_token",
        "Telegram",
        _token(r"[0-9]{8,10}:AA[0-9A-Za-z_-]{33}", RIGHT_OF_WORD),
        (":AA",),
        gist="[0-9]:AA[0-9A-Za-z_-]{33}",
    ),
    # Clouds
    Rule(
        "azure_key",
        "Azure",
        _token(r"[0-9A-Za-z]{52}JQQJ99[0-9A-Za-z]{26}", RIGHT),
        ("JQQJ99",),
        gist="JQQJ99[0-9A-Za-z]{26}",
    ),
    _any_case(
        "azure_named_key",
        "Azure",
        rf"(?i:(?:azure[0-9a-z_ .-]{{0,24}}|ocp-apim-subscription-|api[_-]?)key){_IS}([0-9a-f]{{32}}){RIGHT}",
        ("azure", "ocp-apim", "api-key", "api_key", "apikey"),
    ),
    _any_case(
        "azure_storage_key",
        "Azure Storage",
        r"(?i:(?:Account|SharedAccess)Key)(?:=|%3[Dd])([0-9A-Za-z+/]{43,86}={1,2})",
        ("accountkey=", "sharedaccesskey="),
    ),
    Rule(
        "azure_client_secret",
        "Microsoft Entra",
        _token(r"[0-9A-Za-z_~.]{3}[0-9]Q~[0-9A-Za-z_~.-]{31,34}", r"(?:[^0-9A-Za-z_~.-]|$)"),
        tuple(f"{digit}Q~" for digit in range(10)),
        gist="[0-9]Q~[0-9A-Za-z_~.-]{31}",
    ),
    Rule(
        "aws_access_key_id",
        "AWS",
        _token(r"(?:AKIA|ASIA|ABIA|ACCA)[2-7A-Z]{16}", RIGHT),
        ("AKIA", "ASIA", "ABIA", "ACCA"),
    ),
    _any_case(
        "aws_secret_key",
        "AWS",
        r"(?i:secret[ _-]?(?:access)?[ _-]?key|aws[ _-]?secret)[0-9A-Za-z_]{0,8}"
        + _IS
        + r"([0-9A-Za-z+/]{40})(?:[^0-9A-Za-z+/=]|$)",
        (
            "secret_access",
            "secretaccess",
            "secret-access",
            "aws_secret",
            "secret access",
            "secret_key",
            "secretkey",
            "secret-key",
            "secret key",
            "aws secret",
            "aws-secret",
            "awssecret",
        ),
    ),
    Rule(
        "aws_session_token",
        "AWS",
        _token(r"(?:IQoJb3JpZ2lu|FwoGZXIvYXdz)[0-9A-Za-z+/=]{60,}"),
        ("IQoJb3JpZ2lu", "FwoGZXIvYXdz"),
    ),
    Rule(
        "bedrock_key",
        "AWS Bedrock",
        _token(r"ABSK[0-9A-Za-z+/]{109,269}={0,2}|bedrock-api-key-[0-9A-Za-z+/=]{40,}"),
        ("ABSK", "bedrock-api-key-"),
    ),
    Rule(
        "digitalocean_token",
        "DigitalOcean",
        _token(r"do[opr]_v1_[0-9a-f]{64}", RIGHT),
        ("doo_v1_", "dop_v1_", "dor_v1_"),
    ),
    Rule("vault_token", "HashiCorp Vault", _token(r"hv[bs]\.[0-9A-Za-z_-]{90,}"), ("hvb.", "hvs.")),
    # Code, packages, messages, money
    Rule("github_token", "GitHub", _token(r"gh[opsru]_[0-9A-Za-z]{36,}"), ("gho_", "ghp_", "ghs_", "ghr_", "ghu_")),
    Rule("github_fine_grained_token", "GitHub", _token(r"github_pat_[0-9A-Za-z_]{82}", RIGHT), ("github_pat_",)),
    Rule(
        "gitlab_token",
        "GitLab",
        _token(r"gl(?:pat|dt|rt|ptt|soat|oas|ft|imt|cbt|agent)-[0-9A-Za-z_.-]{20,}"),
        ("glpat-", "gldt-", "glrt-", "glptt-", "glsoat-", "gloas-", "glft-", "glimt-", "glcbt-", "glagent-"),
        3.2,
    ),
    Rule("npm_token", "npm", _token(r"npm_[0-9A-Za-z]{36}", RIGHT), ("npm_",)),
    Rule("pypi_token", "PyPI", _token(r"pypi-Ag[0-9A-Za-z_-]{60,}"), ("pypi-Ag",)),
    Rule("docker_token", "Docker Hub", _token(r"dckr_[op]at_[0-9A-Za-z_-]{27,36}", RIGHT_OF_WORD), ("dckr_",)),
    Rule(
        "slack_token",
        "Slack",
        _token(r"xox[abeoprs](?:\.xox[bp])?-[0-9A-Za-z-]{20,}|xapp-[0-9]-[0-9A-Za-z-]{20,}"),
        ("xox", "xapp-"),
        2.8,
    ),
    Rule(
        "slack_webhook",
        "Slack",
        r"(hooks\.slack\.com/(?:services|workflows|triggers)/[0-9A-Za-z+/]{30,})",
        ("hooks.slack.com",),
    ),
    Rule(
        "stripe_key", "Stripe", _token(r"(?:sk|rk)_(?:live|test|prod)_[0-9A-Za-z]{16,}"), ("_live_", "_test_", "_prod_")
    ),
    Rule("stripe_webhook_secret", "Stripe", _token(r"whsec_[0-9A-Za-z+/]{32,}"), ("whsec_",)),
    Rule(
        "shopify_token",
        "Shopify",
        _token(r"shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32}", RIGHT),
        ("shpat_", "shpca_", "shppa_", "shpss_"),
    ),
    Rule("sendgrid_key", "SendGrid", _token(r"SG\.[0-9A-Za-z_-]{22}\.[0-9A-Za-z_-]{43}", RIGHT_OF_WORD), ("SG.",)),
    Rule("mailgun_key", "Mailgun", _token(r"key-[0-9a-f]{32}", RIGHT), ("key-",)),
    _any_case("twilio_secret", "Twilio", _named("twilio", "[0-9A-Za-z]{32}"), ("twilio",)),
    # What no single service owns
    Rule(
        "private_key",
        "PEM private key",
        r"(-----BEGIN(?:[0-9A-Z +]|%20){0,40}PRIVATE(?:[ +]|%20)KEY[A-Z +%0-9]{0,9}-----[\s\S]{0,200}?"
        r"[0-9A-Za-z+/]{40}[0-9A-Za-z+/=\\\s%]*)",
        ("-----BEGIN ",),
    ),
    Rule(
        "jwt", "JSON Web Token", _token(r"eyJ[0-9A-Za-z_-]{14,}\.eyJ[0-9A-Za-z_-]{14,}\.[0-9A-Za-z_-]{16,}"), ("eyJ",)
    ),
    Rule(
        "url_password",
        "a password in a URL",
        r"://[0-9A-Za-z_.~%-]{1,64}:([0-9A-Za-z_.~%!$*+=-]{8,128})@[0-9A-Za-z.-]+",
        ("://",),
    ),
    Rule(
        "credential_field",
        "a credential by its name",
        rf"(?i:{_GENERIC}){_IS}([0-9A-Za-z_+/=.~-]{{20,}})",
        ("apikey", "api_key", "api-key", "secret", "token"),
        3.5,
        any_case=True,
        digit=True,
    ),
)
"""Every rule, specific ones before the generic one."""
