"""What is taken for a secret, and what is not. Every secret here is made up as the test runs."""

# ruff: noqa: FBT001 - parameters of tests come from tables

import gzip
import json
import random
import string
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from relore_assets.fetch.redact import contains_secret, redact_json, redact_text
from relore_serve.hidden_characters import HIDDEN

ALNUM = string.ascii_letters + string.digits
LOWER_HEX = string.digits + "abcdef"
BASE64URL = ALNUM + "-_"
GITLAB = ("ptt", "dt", "rt", "cbt", "soat", "oas", "ft", "imt", "agent")


def made_up(length: int, alphabet: str = ALNUM) -> str:
    """Characters in no order, always the same ones; letters and digits among them and at both ends."""
    generator = random.Random(length)  # noqa: S311 - nothing here is to be kept from anybody
    middle = "".join(generator.choices(alphabet, k=length - 4))
    return f"{alphabet[10]}{alphabet[1]}{middle}{alphabet[4]}{alphabet[12]}"


# A kind, what the whole text looks like, and the part of it that must not survive.
TOKENS: list[tuple[str, str]] = [
    *(("github-token", f"gh{letter}_{made_up(36)}") for letter in "pousr"),
    ("github-token", f"github_pat_{made_up(22)}_{made_up(59)}"),
    ("gitlab-token", f"glpat-{made_up(20, BASE64URL)}"),
    ("gitlab-token", f"glpat-{made_up(27, BASE64URL)}.01.0z1abcdef"),
    *(("gitlab-token", f"gl{name}-{made_up(26)}") for name in GITLAB),
    ("npm-token", f"npm_{made_up(36)}"),
    ("pypi-token", f"pypi-AgEIcHlwaS5vcmc{made_up(80, BASE64URL)}"),
    ("rubygems-token", f"rubygems_{made_up(48, LOWER_HEX)}"),
    ("slack-token", f"xoxb-{made_up(12, string.digits + '123')}-{made_up(24)}"),
    ("slack-token", f"xoxe.xoxp-1-{made_up(40)}"),
    ("slack-token", f"xapp-1-A{made_up(10)}-{made_up(60, LOWER_HEX)}"),
    ("aws-key-id", f"AKIA{made_up(16, string.ascii_uppercase + '234567')}"),
    ("aws-key-id", f"ASIA{made_up(16, string.ascii_uppercase + '234567')}"),
    ("google-key", f"AIza{made_up(35, BASE64URL)}"),
    ("google-secret", f"GOCSPX-{made_up(28, BASE64URL)}"),
    ("google-token", f"ya29.{made_up(60, BASE64URL)}"),
    ("azure-secret", f"{made_up(4)[:3]}8Q~{made_up(34)}"),
    ("stripe-key", f"sk_live_{made_up(24)}"),
    ("stripe-key", f"rk_live_{made_up(24)}"),
    ("webhook-secret", f"whsec_{made_up(32)}"),
    ("anthropic-key", f"sk-ant-api03-{made_up(93, BASE64URL)}"),
    ("openai-key", f"sk-{made_up(20)}T3BlbkFJ{made_up(20)}"),
    ("openai-key", f"sk-proj-{made_up(74, BASE64URL)}"),
    ("groq-key", f"gsk_{made_up(52)}"),
    ("perplexity-key", f"pplx-{made_up(48)}"),
    ("xai-key", f"xai-{made_up(80)}"),
    ("hugging-face-token", f"hf_{made_up(34)}"),
    ("replicate-token", f"r8_{made_up(37)}"),
    ("sentry-token", f"sntrys_eyJpYXQiOjE3{made_up(80)}_{made_up(43)}"),
    ("sentry-token", f"sntryu_{made_up(64, LOWER_HEX)}"),
    ("sendgrid-key", f"SG.{made_up(22, BASE64URL)}.{made_up(43, BASE64URL)}"),
    ("twilio-key", f"SK{made_up(32, LOWER_HEX)}"),
    ("telegram-token", f"123456789:AA{made_up(33, BASE64URL)}"),
    ("digitalocean-token", f"dop_v1_{made_up(64, LOWER_HEX)}"),
    ("shopify-token", f"shpat_{made_up(32, LOWER_HEX)}"),
    ("databricks-token", f"dapi{made_up(32, LOWER_HEX)}"),
    ("docker-token", f"dckr_pat_{made_up(27, BASE64URL)}"),
    ("vault-token", f"hvs.{made_up(90, BASE64URL)}"),
    ("grafana-token", f"glsa_{made_up(32)}_{made_up(8, LOWER_HEX)}"),
    ("linear-key", f"lin_api_{made_up(40)}"),
    ("notion-token", f"ntn_{made_up(46)}"),
    ("supabase-token", f"sbp_{made_up(40, LOWER_HEX)}"),
    ("postman-key", f"PMAK-{made_up(24, LOWER_HEX)}-{made_up(34, LOWER_HEX)}"),
    ("tailscale-key", f"tskey-auth-{made_up(17)}-{made_up(32)}"),
    ("age-key", f"AGE-SECRET-KEY-1{made_up(58, string.ascii_uppercase + '0234567')}"),
    ("jwt", f"eyJ{made_up(33)}.eyJ{made_up(60, BASE64URL)}.{made_up(43, BASE64URL)}"),
    *(
        ("private-key", f"-----BEGIN {kind}-----\n{made_up(64)}\n{made_up(64)}\n{made_up(20)}=\n-----END {kind}-----")
        for kind in ("RSA PRIVATE KEY", "PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK")
    ),
    ("private-key", f"-----BEGIN PRIVATE KEY-----\\n{made_up(64)}\\n-----END PRIVATE KEY-----"),
]  # fmt: skip

IN_CONTEXT: list[tuple[str, str, str]] = [
    ("slack-webhook", "https://hooks.slack.com/services/{}", f"T{made_up(9)}/B{made_up(9)}/{made_up(24)}"),
    ("discord-webhook", "https://discord.com/api/webhooks/{}", f"123456789012345678/{made_up(68, BASE64URL)}"),
    ("azure-key", "DefaultEndpointsProtocol=https;AccountName=acme;AccountKey={};", f"{made_up(86)}=="),
    ("azure-key", "SharedAccessKeyName=root;SharedAccessKey={}", f"{made_up(43)}="),
    ("aws-secret-key", "aws_secret_access_key = {}", made_up(40, ALNUM + "/+")),
    ("aws-secret-key", '"SecretAccessKey": "{}"', made_up(40, ALNUM + "/+")),
    ("aws-secret-key", "AWS_SECRET_ACCESS_KEY={}", made_up(40, ALNUM + "/+")),
    ("url-password", "https://alice:{}@db.example.org/x", "hunter2"),
    ("url-password", "postgresql+psycopg://alice:{}@localhost:5432/x", "s3cr3t-p4ss"),
    ("url-password", "redis://:{}@cache:6379", "pa55"),
    ("bearer-token", "Authorization: Bearer {}", made_up(40)),
    ("bearer-token", "curl -H 'Authorization: bearer {}'", made_up(40)),
    ("basic-credentials", "Authorization: Basic {}", "YWxpY2U6aHVudGVyMg=="),
    ("secret", "client_secret = {}", "correct-horse_battery-staple"),
    ("secret", "client_secret={}", "aB3-xY_9-zz=q1"),
    ("secret", 'client_secret: "{}"', "q1w2-E3R4_t5y6="),
    ("secret", '"webhookSecret": "{}"', made_up(20)),
    ("secret", "APP_SECRET={}", made_up(32, LOWER_HEX)),
    ("api-key", "api_key = '{}'", made_up(32, LOWER_HEX)),
    ("api-key", "X-Api-Key: {}", made_up(32)),
    ("api-key", "export ACME_API_KEY={}", made_up(24)),
    ("token", "GITHUB_TOKEN={}", made_up(40)),
    ("token", "//registry.example.org/:_authToken={}", made_up(36)),
    ("token", "https://raw.example.org/acme/widget/x?token={}&ref=main", made_up(29)),
    ("token", 'access_token: "{}"', made_up(30)),
    ("password", "password = {}", "Tr0ub4dor&3"),
    ("password", "password: '{}'", "$ecret-P4ss!"),
    ("password", "DB_PASSWORD={}", "kittens4ever"),
    ("password", "  passphrase: {}", "nine-red-balloons-7"),
    ("secret", "SECRET_KEY = '{}'", "w#9^kq2!zr5&mx7$hb4@"),
]  # fmt: skip
SECRETS = [(kind, "{}", secret) for kind, secret in TOKENS] + IN_CONTEXT


SENTENCES = (
    "{}",
    "I ran it with {} and it failed.",
    "`{}`",
    "```\n{}\n```",
    "> {}\n\nno",
    "+{}\n-old",
    "é {} 🚀",
)
PLACES: tuple[Callable[[str], object], ...] = (
    lambda text: {"body": text},
    lambda text: {"a": {"b": [1, None, [text]]}},
    lambda text: {text: True},
    lambda text: {"diff_hunk": f"@@ -1 +1 @@\n+{text}\n", "number": 7},
    lambda text: {"title": f"日本 {text}"},
)

each_secret = pytest.mark.parametrize(
    ("kind", "around", "secret"),
    SECRETS,
    ids=[f"{n} {around.format(kind)}"[:50] for n, (kind, around, _) in enumerate(SECRETS)],
)


@each_secret
def test_a_secret_is_replaced_by_its_kind_wherever_it_stands(kind: str, around: str, secret: str) -> None:
    """In a sentence, in code, in a quote, in a diff, beside other letters."""
    for sentence in SENTENCES:
        text = sentence.format(around.format(secret))
        redacted = sentence.format(around.format(f"[redacted {kind}]"))
        assert redact_text(text) == (redacted, {kind: 1})
        assert contains_secret(text)
        assert not contains_secret(redacted)


@each_secret
@pytest.mark.parametrize("hidden", ["\u200b", "\u00ad", "\x00", "\U000e0041", "\ud83d", "\x1b", "\r"])
def test_a_secret_is_seen_when_hidden_characters_split_it(
    kind: str, around: str, secret: str, hidden: str
) -> None:
    """They go with it; those that stand elsewhere stay."""
    half = len(secret) // 2
    text = around.format(secret[:half] + hidden + secret[half:])
    redacted = around.format(f"[redacted {kind}]")
    assert redact_text(f"before{hidden} {text}") == (f"before{hidden} {redacted}", {kind: 1})


@each_secret
@pytest.mark.parametrize("ascii_only", [True, False])
def test_a_secret_is_found_anywhere_in_json(kind: str, around: str, secret: str, ascii_only: bool) -> None:
    """And nothing else of the object is changed."""
    for place in PLACES:
        line = json.dumps(place(around.format(secret)), ensure_ascii=ascii_only).encode()
        assert redact_json(line) == (place(around.format(f"[redacted {kind}]")), {kind: 1}, 0)


@each_secret
def test_a_secret_is_found_in_json_that_splits_it_by_an_escape(kind: str, around: str, secret: str) -> None:
    """Of a character that shows nothing or cannot be stored."""
    half = len(secret) // 2 + (secret[len(secret) // 2 - 1] == "\\")
    before, after = (json.dumps(part)[1:-1] for part in around.split("{}"))
    for escape in ("\\u200b", "\\u0000", "\\u00ad", "\\ud83d", "\\r", "\\b"):
        value = json.dumps(secret[:half])[1:-1] + escape + json.dumps(secret[half:])[1:-1]
        assert redact_json(f'{{"body": "{before}{value}{after}"}}'.encode()).redactions == {kind: 1}


@each_secret
def test_a_secret_is_found_in_json_that_escapes_what_it_need_not(kind: str, around: str, secret: str) -> None:
    """Letters and slashes written as escapes."""
    text = around.format(secret)
    everything = "".join(f"\\u{ord(char):04x}" for char in text)
    slashes = json.dumps(text).replace("/", "\\/")
    assert redact_json(f'{{"body": "{everything}"}}'.encode()).redactions == {kind: 1}
    assert redact_json(f'{{"body": {slashes}}}'.encode()).redactions == {kind: 1}


@pytest.mark.parametrize(
    "text",
    [
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "123e4567-e89b-12d3-a456-426614174000",
        "api_key=123e4567-e89b-12d3-a456-426614174000",
        "secret key = e8f32e723decf4051aefac8e2c93c9c5b214313817cdb01a1494b917c8436b35",
        "seckey: 0xE8F32E723DECF4051AEFAC8E2C93C9C5B214313817CDB01A1494B917C8436B35",
        'private_key = "L1aW4aubDFB7yfras2S1mN3bqg9nwySY8nkoLmJebSLD5BWv3ENZ"',
        '"secretKey": "nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A="',
        "shared_secret = tweaked_secret_component * Public_component",
        "expected_shared_secret = &wycheproof_ecdh_shared_secrets[testvectors[t].shared_offset];",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
        "MDEyOklzc3VlQ29tbWVudDE= IC_kwDOAKr7ds4Abc123XyzAbcDef",
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7vbqajDhA user@host",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----",
        "a file that starts with -----BEGIN PRIVATE KEY----- is a private key",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        "password: str = field()",
        "password = get_password(user)",
        "password=password",
        "password: aaaa1111aaaa",
        "access_token = requestAccessToken2",
        "password = os.environ['DB_PASSWORD']",
        'password = "${DB_PASSWORD}"',
        "password: <your password here>",
        "client_secret = settings.CLIENT_SECRET",
        "client_secret=client_secret",
        "token_endpoint_auth_method=client_secret_basic",
        'api_key="your-api-key-here-1"',
        "api_key: sk-xxxxxxxxxxxxxxxxxxxxxxxx",
        "token = tokenizer.convert_ids_to_tokens(ids)",
        "pad_token='<|endoftext|>', bos_token_id=128000",
        '"nextPageToken": "CAUQAA0123456789abcdefghijk"',
        "password_hash = pbkdf2_sha256_390000_abcdefgh1",
        "https://github.com/acme/widget@v1.2:3",
        "https://user@example.org/x and git@github.com:acme/widget.git",
        "http://localhost:8080/@alice",
        "https://alice:$PASSWORD@example.org",
        "https://x-access-token:${{ secrets.TOKEN }}@github.com",
        "sk-learn-contrib-and-other-packages",
        "task-0123456789abcdefghij",
        "sk_test_vector_for_secret_keys_0123456789",
        "ghp_short",
        "hf_transfer_is_a_package_that_speeds_up_downloads",
        "npm_config_registry_and_other_long_names_of_settings",
        "ASIA and AKIA are prefixes",
        "risk-free and disk-based",
        "eyJhbGciOiJIUzI1NiJ9 is the head of a token",
        "Bearer authentication of a request to an authorization server",
        "0:AAAA, SKIP, MASKED, SG.1",
        "[redacted github-token]",
        f"[redacted token]: {made_up(40)}",
        "password = [redacted password]",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    """Hashes, ids, public keys, test vectors, code, placeholders and words."""
    assert redact_text(text) == (text, {})
    assert not contains_secret(text)
    line = json.dumps({"body": text}).encode()
    assert redact_json(line) == ({"body": text}, {}, 0)


def test_a_name_in_json_promises_what_its_value_is() -> None:
    """Where name and value are two strings."""
    secret = made_up(24)
    line = json.dumps({"app": {"client_secret": secret, "client_id": secret, "page_token": secret}}).encode()
    redacted = {"client_secret": "[redacted secret]", "client_id": secret, "page_token": secret}
    assert redact_json(line) == ({"app": redacted}, {"secret": 1}, 0)


def test_every_secret_of_a_text_is_replaced_and_counted() -> None:
    one, other = f"ghp_{made_up(36)}", f"npm_{made_up(36)}"
    assert redact_text(f"{one} {other}\n{one}") == (
        "[redacted github-token] [redacted npm-token]\n[redacted github-token]",
        {"github-token": 2, "npm-token": 1},
    )


def test_a_secret_that_another_hid_goes_too() -> None:
    """One that counts only where no longer word ends in it."""
    text = f"see AIza{made_up(35)}SK{made_up(32, LOWER_HEX)} here"
    redacted = "see [redacted google-key][redacted twilio-key] here"
    assert redact_text(text) == (redacted, {"google-key": 1, "twilio-key": 1})


def test_of_an_address_only_the_password_goes() -> None:
    text = "git clone https://alice:hunter2@example.org/acme/widget.git"
    assert (
        redact_text(text)[0] == "git clone https://alice:[redacted url-password]@example.org/acme/widget.git"
    )


def test_a_private_key_that_is_cut_off_is_replaced_as_far_as_it_goes() -> None:
    key = f"-----BEGIN EC PRIVATE KEY-----\n{made_up(64)}\n{made_up(64)}\n"
    assert redact_text(f"see\n{key}and so on") == ("see\n[redacted private-key]and so on", {"private-key": 1})
    assert redact_text(f"{key}{key}{made_up(30)}")[1] == {"private-key": 2}


def test_a_private_key_in_a_diff_and_in_a_quote_is_one() -> None:
    for mark in ("+", "> ", " "):
        lines = ["-----BEGIN PRIVATE KEY-----", made_up(64), made_up(64), "-----END PRIVATE KEY-----"]
        text = "\n".join(mark + line for line in lines)
        assert redact_text(text) == (f"{mark}[redacted private-key]", {"private-key": 1})


def test_nul_and_lone_surrogates_are_replaced_and_counted(conn: psycopg.Connection) -> None:
    """In values and names; Postgres takes the result, and pairs stay what they are."""
    line = rb'{"a\u0000": "b\u0000c\ud83d", "list": ["\udc00", "\ud83d\ude00"], "n": 1}'
    payload, redactions, replacements = redact_json(line)
    assert payload == {"a\ufffd": "b\ufffdc\ufffd", "list": ["\ufffd", "😀"], "n": 1}
    assert (redactions, replacements) == ({}, 4)
    assert conn.execute("SELECT %s::jsonb", (Jsonb(payload),)).fetchone() == (payload,)


def test_an_object_without_anything_to_replace_comes_as_it_is() -> None:
    payload = {
        "body": "é 日本 \r\n \t \\ / \" ' <b> & 🚀",
        "n": [1, 2.5, None, True, 9007199254740993],
        "e": {},
    }
    for ascii_only in (True, False):
        assert redact_json(json.dumps(payload, ensure_ascii=ascii_only).encode()) == (payload, {}, 0)


def test_hidden_characters_that_split_nothing_stay() -> None:
    """Storing is verbatim; what shows nothing is dropped where text is shown or matched."""
    line = '{"body": "time\u200bout \\u202e \ufeff"}'.encode()
    assert redact_json(line) == ({"body": "time\u200bout \u202e \ufeff"}, {}, 0)


@pytest.mark.parametrize(
    "line",
    [b"", b"   ", b"[1]", b'"x"', b"null", b"{", b'{"a":1}{"b":2}', b'{"a":\xff}', b"{'a':1}", b"[" * 100_000,
     b'{"a":' * 100_000],
    ids=["empty", "blank", "list", "string", "null", "cut off", "two", "not UTF-8", "quotes", "deep", "deep objects"],
)  # fmt: skip
def test_what_is_not_one_json_object_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - that it is one is the contract
        redact_json(line)


def test_every_hidden_character_makes_json_looked_at() -> None:
    """Raw and escaped: a token that any one of them splits is found."""
    token = f"ghp_{made_up(36)}"
    blocks = (range(0x20, 0x11000), range(0x1BC00, 0x1BD00), range(0x1D100, 0x1D200), range(0xE0000, 0xE1000))
    hidden = [char for block in blocks for char in map(chr, block) if HIDDEN.match(char)]
    for char in hidden:
        text = f"{token[:10]}{char}{token[10:]}"
        for ascii_only in (True, False):
            line = json.dumps({"body": text}, ensure_ascii=ascii_only).encode()
            assert redact_json(line).redactions == {"github-token": 1}, hex(ord(char))


PIECES = st.one_of(
    st.sampled_from([around.format(secret) for _, around, secret in SECRETS]),
    st.sampled_from(
        ["password=", "token: ", "://a:", "@", "-----BEGIN PRIVATE KEY-----", "&x=", "[redacted"]
    ),
    st.sampled_from(["\n", " ", "'", '"', "\\", "\u200b", "\x00"]),
    st.text(max_size=10),
)


@settings(deadline=None)
@given(st.lists(PIECES, max_size=8).map("".join))
def test_what_was_redacted_holds_no_secret(text: str) -> None:
    """However secrets are joined; and text and JSON are treated alike."""
    redacted, counts = redact_text(text)
    assert bool(counts) == contains_secret(text)
    assert not contains_secret(redacted)
    payload, redactions, _ = redact_json(json.dumps({"body": text}).encode())
    assert payload["body"] == redacted.replace("\x00", "\ufffd")
    assert redactions == counts


REPEATED = [
    *("ghp_", "ghp_a", "github_pat_", "glpat-", "xoxb-", "sk-", "sk-a", "eyJ", "eyJa.", "AKIA", "SG.", ":AA", "8Q~"),
    *("-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\n", "-----END PRIVATE KEY-----", "PRIVATE KEY"),
    "-----BEGIN PRIVATE KEY-----\nabcdefghijklmnopqrstuvwxyz\n",
    *("://", "://a:", "://a:b", "://a:b@", "hooks.slack.com/services/", "bearer ", "Bearer a", "Authorization: Basic "),
    *("password=", "password", "secret ", "token:", "token='", "secret_", "api_key", "token=a1&"),
    *("token=a1B2c3D4e5F6", "token=a1B2c3D4e5F6g7H8i9J0 ", f"AKIA{made_up(16, string.ascii_uppercase)}"),
    *"a0A_-.=/:@~\r\\\"'\n é\u200b\x00\ud83d",
]  # fmt: skip


@pytest.mark.parametrize("unit", REPEATED)
def test_repetition_of_anything_is_answered(unit: str) -> None:
    """65,536 characters of it, as text and as JSON."""
    text = unit * (65_536 // len(unit))
    stored = redact_text(text)[0].replace("\x00", "\ufffd").replace("\ud83d", "\ufffd")
    assert redact_json(json.dumps({"body": text}).encode()).payload["body"] == stored


def test_in_a_real_history_of_a_cryptography_library_nothing_is_a_secret(corpus: Path) -> None:
    """Keys, hashes and test vectors abound in it, and all of it is public on purpose."""
    read = 0
    for archive in corpus.glob("*.jsonl.gz"):
        with gzip.open(archive) as lines:
            for line in lines:
                read += 1
                assert redact_json(line).redactions == {}, line
    assert read > 0
