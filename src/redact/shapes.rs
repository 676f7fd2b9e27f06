//! What secrets look like: prefixes, lengths and alphabets as their makers give
//! them out, looser at the end, so that a token that an output limit cut off is
//! still taken out. The order is the order of precedence: where two overlap, the
//! earlier names what was found.

/// One shape.
#[derive(Debug)]
pub(super) struct Shape {
    /// What it is called in lists: singular, lower case.
    pub kind: &'static str,
    /// One of these stands in every text that it matches: only where one does
    /// is the expression tried. In any case; the expression is exact.
    pub words: &'static [&'static str],
    /// Where a match begins, as seen from the word.
    pub begins: Begins,
    /// What it looks like, from its first byte on (ASCII classes). The group `s`
    /// is the secret, or else all of it.
    pub expression: &'static str,
    /// What stands where a secret would and is none.
    pub skip: Option<&'static str>,
    /// What source code has where a secret would begin; it may look at what
    /// follows the value.
    pub code: Option<&'static str>,
    /// Of a value that is known only by its name: how many bits of entropy a
    /// byte of it has at least.
    pub least_entropy: Option<f64>,
}

/// Where a match begins.
#[derive(Debug, Clone, Copy)]
pub(super) enum Begins {
    /// With the word, which is not the end of a longer one.
    Word,
    /// With the word, wherever it stands.
    Anywhere,
    /// So many bytes before the word, at the most and at the least, and not in
    /// the middle of another word.
    Before(usize, usize),
    /// With these bytes, somewhere in the run of letters, digits, `-` and `_`
    /// that the word ends.
    Run(&'static str),
}

use Begins::{Anywhere, Before, Run, Word};

const fn shape(
    kind: &'static str,
    begins: Begins,
    words: &'static [&'static str],
    expression: &'static str,
) -> Shape {
    Shape {
        kind,
        words,
        begins,
        expression,
        skip: None,
        code: None,
        least_entropy: None,
    }
}

pub(super) const SHAPES: &[Shape] = &[
    shape(
        "private key",
        Anywhere,
        &["-----BEGIN "],
        r"(?s)-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\z)",
    ),
    shape(
        "anthropic key",
        Word,
        &["sk-ant-"],
        r"sk-ant-[a-z]{2,8}[0-9]{2}-[A-Za-z0-9_-]{20,}",
    ),
    shape(
        "openrouter key",
        Word,
        &["sk-or-v1-"],
        r"sk-or-v1-[0-9a-f]{32,}",
    ),
    shape(
        "openai key",
        Word,
        &["sk-"],
        r"sk-(?:(?:proj|svcacct|admin|service)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]*)",
    ),
    shape("sk key", Word, &["sk-"], r"sk-[A-Za-z0-9]{32,}\b"),
    shape("google key", Word, &["AIza"], r"AIza[0-9A-Za-z_-]{24,}"),
    shape("groq key", Word, &["gsk_"], r"gsk_[A-Za-z0-9]{32,}"),
    shape("xai key", Word, &["xai-"], r"xai-[A-Za-z0-9]{40,}"),
    shape("perplexity key", Word, &["pplx-"], r"pplx-[A-Za-z0-9]{40,}"),
    shape("replicate token", Word, &["r8_"], r"r8_[A-Za-z0-9]{36,}"),
    shape(
        "hugging face token",
        Word,
        &["hf_", "api_org_"],
        r"(?:hf|api_org)_[A-Za-z0-9]{30,}",
    ),
    shape(
        "github token",
        Word,
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
        r"(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,})",
    ),
    shape(
        "gitlab token",
        Word,
        &[
            "glpat-", "gldt-", "glrt-", "glrtr-", "glptt-", "glft-", "glimt-", "glagent-",
            "gloas-", "glcbt-", "glsoat-", "glffct-",
        ],
        r"gl[a-z]{2,5}-[A-Za-z0-9_.-]{20,}",
    ),
    shape(
        "aws access key",
        Word,
        &["A3T", "AKIA", "ASIA", "ABIA", "ACCA"],
        r"(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b",
    ),
    shape(
        "aws secret key",
        Anywhere,
        &["aws"],
        r#"(?i)aws[\w.-]{0,20}secret[\w.-]{0,20}["']?\s*(?:=|:|=>)\s*["']?(?P<s>[A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)"#,
    ),
    shape(
        "bedrock key",
        Word,
        &["ABSK"],
        r"ABSK[A-Za-z0-9+/]{80,}={0,2}",
    ),
    shape(
        "azure secret",
        Anywhere,
        &["AccountKey="],
        r"AccountKey=(?P<s>[A-Za-z0-9+/]{60,}={0,2})",
    ),
    shape(
        "azure secret",
        Before(4, 4),
        &["Q~"],
        r"[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,}",
    ),
    shape(
        "slack token",
        Word,
        &["xox", "xapp-"],
        r"(?:xox[abceoprs]-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Z0-9]+-[0-9]+-[a-z0-9]{20,})",
    ),
    shape(
        "webhook address",
        Anywhere,
        &["https://"],
        r"https://(?:hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{30,}|(?:ptb\.|canary\.)?discord(?:app)?\.com/api/webhooks/[0-9]{15,}/[A-Za-z0-9_-]{30,}|[a-z0-9-]+\.webhook\.office\.com/webhookb2/[A-Za-z0-9@/-]{40,})",
    ),
    shape(
        "stripe key",
        Word,
        &[
            "sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_", "whsec_",
        ],
        r"(?:[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{24,})",
    ),
    shape("twilio key", Word, &["SK"], r"SK[0-9a-f]{32}\b"),
    shape(
        "sendgrid key",
        Word,
        &["SG."],
        r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{20,}",
    ),
    shape("mail service key", Word, &["key-"], r"key-[0-9a-f]{32}\b"),
    shape(
        "mail service key",
        Before(32, 32),
        &["-us"],
        r"[0-9a-f]{32}-us[0-9]{1,2}\b",
    ),
    shape("npm token", Word, &["npm_"], r"npm_[A-Za-z0-9]{24,}\b"),
    shape("pypi token", Word, &["pypi-"], r"pypi-[A-Za-z0-9_-]{50,}"),
    shape("crates.io token", Word, &["cio"], r"cio[A-Za-z0-9]{32}\b"),
    shape(
        "rubygems token",
        Word,
        &["rubygems_"],
        r"rubygems_[0-9a-f]{24,}\b",
    ),
    shape(
        "docker token",
        Word,
        &["dckr_"],
        r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}",
    ),
    shape(
        "telegram token",
        Before(9, 7),
        &["0:", "1:", "2:", "3:", "4:", "5:", "6:", "7:", "8:", "9:"],
        r"[0-9]{8,10}:[A-Za-z0-9_-]{35}\b",
    ),
    shape(
        "discord token",
        Before(28, 24),
        &["."],
        r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}\b",
    ),
    shape(
        "jwt",
        Run("eyJ"),
        &[".eyJ"],
        r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*)?",
    ),
    shape(
        "digitalocean token",
        Word,
        &["dop_v1_", "doo_v1_", "dor_v1_"],
        r"do[opr]_v1_[0-9a-f]{32,}\b",
    ),
    shape(
        "vault token",
        Word,
        &["hvs.", "hvb.", "hvr."],
        r"hv[sbr]\.[A-Za-z0-9_-]{24,}",
    ),
    shape(
        "databricks token",
        Word,
        &["dapi"],
        r"dapi[0-9a-f]{32}(?:-[0-9])?\b",
    ),
    shape(
        "linear key",
        Word,
        &["lin_api_", "lin_oauth_"],
        r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}",
    ),
    shape(
        "notion token",
        Word,
        &["ntn_", "secret_"],
        r"(?:ntn_[0-9]{11}[A-Za-z0-9]{20,}|secret_[A-Za-z0-9]{43})\b",
    ),
    shape(
        "age key",
        Word,
        &["AGE-SECRET-KEY-"],
        r"AGE-SECRET-KEY-1[0-9A-Z]{40,}",
    ),
    shape(
        "tailscale key",
        Word,
        &["tskey-"],
        r"tskey-[a-z]{3,8}-[A-Za-z0-9]{6,}-[A-Za-z0-9]{16,}",
    ),
    shape(
        "sentry token",
        Word,
        &["sntrys_", "sntryu_"],
        r"sntry[su]_[A-Za-z0-9+/=_.-]{40,}",
    ),
    shape(
        "shopify token",
        Word,
        &["shpat_", "shpca_", "shppa_", "shpss_"],
        r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{20,}\b",
    ),
    shape(
        "doppler token",
        Word,
        &[
            "dp.pt.",
            "dp.st.",
            "dp.ct.",
            "dp.sa.",
            "dp.scim.",
            "dp.audit.",
        ],
        r"dp\.[a-z]{2,5}\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}\b",
    ),
    shape("new relic key", Word, &["NRAK-"], r"NRAK-[A-Z0-9]{16,}\b"),
    Shape {
        skip: Some(r"^(?:\$|\$\{|<|\{\{|%|\*+$|x+$|password$|passwd$|pass$|secret$)"),
        ..shape(
            "password in address",
            Anywhere,
            &["://"],
            r#"://[^\s/?#@:"'<>]{0,80}:(?P<s>[^\s/@"'<>]{3,200})@[A-Za-z0-9.\[-]"#,
        )
    },
    shape(
        "authorization header",
        Word,
        &["authorization"],
        r#"(?i)authorization["']?\s*[:=]\s*["']?(?:bearer|basic|token|apikey|digest)\s+(?P<s>[A-Za-z0-9._~+/=-]{8,})"#,
    ),
    shape(
        "api key header",
        Word,
        &["api-key", "x-auth-token", "private-token"],
        r#"(?i)(?:api-key|x-auth-token|private-token)["']?\s*[:=]\s*["']?(?P<s>[A-Za-z0-9._~+/=-]{16,})"#,
    ),
    Shape {
        skip: Some(
            r"(?i)^(?:\$|process\.|os\.|env\.|get|read|load|config|settings|self|this|none|null|true|false|undefined|string|example|placeholder|changeme|your|redacted|xxx|\.\.\.|\*|[a-z_]+\(|[a-z]+(?:[._-][a-z]+)*$)",
        ),
        code: Some(CODE),
        least_entropy: Some(3.0),
        ..shape(
            "secret value",
            Anywhere,
            &[
                "apikey",
                "api_key",
                "api-key",
                "secret",
                "token",
                "passw",
                "passphrase",
                "credential",
                "privatekey",
                "private_key",
                "private-key",
            ],
            r#"(?i)(?:api[_-]?key|secret|token|passw(?:or)?d|passphrase|credential|private[_-]?key)s?(?:[_.-][\w.-]{0,20})?["']?\s*(?:=|:|=>|:=)\s*["']?(?P<s>[A-Za-z0-9_.+/~=@!%^&*#-]{12,200})"#,
        )
    },
];

/// Names and calls of programs, as in `tokens: &TokenStream`, `key: a.key,`,
/// `token: quote!(…)`, `TOKEN: ty::NAME`, `secret => "CLIENT_SECRET_0"`.
const CODE: &str = concat!(
    r"\A(?:",
    r"[a-z_]+!\s?[({\[]",
    r"|[A-Za-z_]\w*::",
    r"|&(?:self\.|[A-Za-z_]+(?:[\s),;<>`]|$))",
    r"|(?:[A-Za-z_][\w.]*[_.](?:key|secret|token|password|key_bytes)s?",
    r"|[A-Z]{2,}[0-9]{0,4}(?:_(?:[A-Z]{2,}[0-9]{0,4}|[0-9]))+",
    r"|_[a-z_]+[0-9]?)",
    // The end of the name.
    r"(?:[^\w.+/~=@!%^&*#-]|$))",
);
