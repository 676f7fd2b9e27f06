//! What secrets look like: prefixes, lengths and alphabets as their makers give
//! them out, looser at the end, so that a token that an output limit cut off is
//! still taken out. The order is the order of precedence: where two overlap, the
//! earlier names what was found.

/// One shape.
#[derive(Debug)]
pub(super) struct Shape {
    /// What it is called in lists: singular, lower case.
    pub kind: &'static str,
    /// One of these stands in every text that it matches, in any case: most
    /// texts are done with by looking for them alone.
    pub words: &'static [&'static str],
    /// What it looks like; the group `s` is the secret, or else all of it.
    pub expression: &'static str,
    /// What stands where a secret would and is none.
    pub skip: Option<&'static str>,
    /// How many bits of entropy a byte of it has at least.
    pub least_entropy: Option<f64>,
}

const fn shape(
    kind: &'static str,
    words: &'static [&'static str],
    expression: &'static str,
) -> Shape {
    Shape {
        kind,
        words,
        expression,
        skip: None,
        least_entropy: None,
    }
}

pub(super) const SHAPES: &[Shape] = &[
    shape(
        "private key",
        &["PRIVATE KEY"],
        r"(?s)-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\z)",
    ),
    shape(
        "anthropic key",
        &["sk-ant-"],
        r"\bsk-ant-[a-z]{2,8}[0-9]{2}-[A-Za-z0-9_-]{20,}",
    ),
    shape(
        "openrouter key",
        &["sk-or-v1-"],
        r"\bsk-or-v1-[0-9a-f]{32,}",
    ),
    shape(
        "openai key",
        &["sk-"],
        r"\bsk-(?:(?:proj|svcacct|admin|service)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20})",
    ),
    shape("sk key", &["sk-"], r"\bsk-[A-Za-z0-9]{32,}\b"),
    shape("google key", &["AIza"], r"\bAIza[0-9A-Za-z_-]{35}"),
    shape("groq key", &["gsk_"], r"\bgsk_[A-Za-z0-9]{32,}"),
    shape("xai key", &["xai-"], r"\bxai-[A-Za-z0-9]{40,}"),
    shape("perplexity key", &["pplx-"], r"\bpplx-[A-Za-z0-9]{40,}"),
    shape("replicate token", &["r8_"], r"\br8_[A-Za-z0-9]{36,}"),
    shape(
        "hugging face token",
        &["hf_", "api_org_"],
        r"\b(?:hf_[A-Za-z0-9]{30,}|api_org_[A-Za-z0-9]{30,})",
    ),
    shape(
        "github token",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
        r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,})",
    ),
    shape(
        "gitlab token",
        &[
            "glpat-", "gldt-", "glrt-", "glrtr-", "glptt-", "glft-", "glimt-", "glagent-",
            "gloas-", "glcbt-", "glsoat-", "glffct-",
        ],
        r"\bgl(?:pat|dt|rt|rtr|ptt|ft|imt|agent|oas|cbt|soat|ffct)-[A-Za-z0-9_.-]{20,}",
    ),
    shape(
        "aws access key",
        &["A3T", "AKIA", "ASIA", "ABIA", "ACCA"],
        r"\b(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b",
    ),
    shape(
        "aws secret key",
        &["aws"],
        r#"(?i)aws[\w.-]{0,20}secret[\w.-]{0,20}["']?\s*(?:=|:|=>)\s*["']?(?P<s>[A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)"#,
    ),
    shape("bedrock key", &["ABSK"], r"\bABSK[A-Za-z0-9+/]{80,}={0,2}"),
    shape(
        "azure secret",
        &["AccountKey=", "Q~"],
        r"(?:AccountKey=(?P<s>[A-Za-z0-9+/]{60,}={0,2}))|\b[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}",
    ),
    shape(
        "slack token",
        &["xox", "xapp-"],
        r"\bxox[abceoprs]-[A-Za-z0-9-]{10,}|\bxapp-[0-9]-[A-Z0-9]+-[0-9]+-[a-z0-9]{20,}",
    ),
    shape(
        "webhook address",
        &["hooks.slack.com", "/api/webhooks/", "webhook.office.com"],
        r"https://(?:hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{30,}|(?:ptb\.|canary\.)?discord(?:app)?\.com/api/webhooks/[0-9]{15,}/[A-Za-z0-9_-]{30,}|[a-z0-9-]+\.webhook\.office\.com/webhookb2/[A-Za-z0-9@/-]{40,})",
    ),
    shape(
        "stripe key",
        &["sk_", "rk_", "whsec_"],
        r"\b(?:sk|rk)_(?:live|test|prod)_[A-Za-z0-9]{16,}|\bwhsec_[A-Za-z0-9+/=]{24,}",
    ),
    shape("twilio key", &["SK"], r"\bSK[0-9a-f]{32}\b"),
    shape(
        "sendgrid key",
        &["SG."],
        r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{20,}",
    ),
    shape(
        "mail service key",
        &["key-", "-us"],
        r"\bkey-[0-9a-f]{32}\b|\b[0-9a-f]{32}-us[0-9]{1,2}\b",
    ),
    shape("npm token", &["npm_"], r"\bnpm_[A-Za-z0-9]{36}\b"),
    shape("pypi token", &["pypi-"], r"\bpypi-[A-Za-z0-9_-]{50,}"),
    shape("crates.io token", &["cio"], r"\bcio[A-Za-z0-9]{32}\b"),
    shape(
        "rubygems token",
        &["rubygems_"],
        r"\brubygems_[0-9a-f]{48}\b",
    ),
    shape(
        "docker token",
        &["dckr_"],
        r"\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}",
    ),
    shape(
        "telegram token",
        &[":"],
        r"\b[0-9]{8,10}:[A-Za-z0-9_-]{35}\b",
    ),
    shape(
        "discord token",
        &["."],
        r"\b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}\b",
    ),
    shape(
        "jwt",
        &["eyJ"],
        r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*",
    ),
    shape(
        "digitalocean token",
        &["_v1_"],
        r"\bdo[opr]_v1_[0-9a-f]{64}\b",
    ),
    shape(
        "vault token",
        &["hvs.", "hvb.", "hvr."],
        r"\bhv[sbr]\.[A-Za-z0-9_-]{24,}",
    ),
    shape(
        "databricks token",
        &["dapi"],
        r"\bdapi[0-9a-f]{32}(?:-[0-9])?\b",
    ),
    shape(
        "linear key",
        &["lin_"],
        r"\blin_(?:api|oauth)_[A-Za-z0-9]{32,}",
    ),
    shape(
        "notion token",
        &["ntn_", "secret_"],
        r"\bntn_[0-9]{11}[A-Za-z0-9]{35}\b|\bsecret_[A-Za-z0-9]{43}\b",
    ),
    shape(
        "age key",
        &["AGE-SECRET-KEY"],
        r"\bAGE-SECRET-KEY-1[0-9A-Z]{40,}",
    ),
    shape(
        "tailscale key",
        &["tskey-"],
        r"\btskey-[a-z]{3,8}-[A-Za-z0-9]{6,}-[A-Za-z0-9]{16,}",
    ),
    shape(
        "sentry token",
        &["sntry"],
        r"\bsntry[su]_[A-Za-z0-9+/=_.-]{40,}",
    ),
    shape(
        "shopify token",
        &["shpat_", "shpca_", "shppa_", "shpss_"],
        r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b",
    ),
    shape(
        "doppler token",
        &["dp."],
        r"\bdp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}\b",
    ),
    shape("new relic key", &["NRAK-"], r"\bNRAK-[A-Z0-9]{27}\b"),
    Shape {
        skip: Some(r"^(?:\$|\$\{|<|\{\{|%|\*+$|x+$|password$|passwd$|pass$|secret$)"),
        least_entropy: None,
        ..shape(
            "password in address",
            &["://"],
            r#"\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s/?#@:"'<>]{0,80}:(?P<s>[^\s/@"'<>]{3,200})@[A-Za-z0-9.\[-]"#,
        )
    },
    shape(
        "authorization header",
        &["authorization"],
        r#"(?i)\b(?:authorization|proxy-authorization)["']?\s*[:=]\s*["']?(?:bearer|basic|token|apikey|digest)\s+(?P<s>[A-Za-z0-9._~+/=-]{8,})"#,
    ),
    shape(
        "api key header",
        &["api-key", "x-goog-api-key", "x-auth-token", "private-token"],
        r#"(?i)\b(?:x-api-key|api-key|x-goog-api-key|x-auth-token|private-token)["']?\s*[:=]\s*["']?(?P<s>[A-Za-z0-9._~+/=-]{16,})"#,
    ),
    Shape {
        skip: Some(
            r"(?i)^(?:\$|process\.|os\.|env\.|get|read|load|config|settings|self|this|none|null|true|false|undefined|string|example|placeholder|changeme|your|redacted|xxx|\.\.\.|\*|[a-z_]+\(|[a-z]+(?:[._-][a-z]+)*$)",
        ),
        least_entropy: Some(3.0),
        ..shape(
            "secret value",
            &[
                "key",
                "secret",
                "token",
                "passw",
                "passphrase",
                "credential",
            ],
            r#"(?i)(?:api[_-]?key|secret|token|passw(?:or)?d|passphrase|credential|private[_-]?key)s?(?:[_.-][\w.-]{0,20})?["']?\s*(?:=|:|=>|:=)\s*["']?(?P<s>[A-Za-z0-9_.+/~=@!%^&*#-]{12,200})"#,
        )
    },
];
