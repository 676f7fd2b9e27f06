//! Which words are absent where.

/// Words that some places must not have.
pub struct Rule {
    /// As ARCHITECTURE.md numbers it, and in words.
    pub name: &'static str,
    /// Files, or folders with all that is in them.
    pub places: &'static [&'static str],
    /// Of those, the ones it does not hold for.
    pub but: &'static [&'static str],
    /// Whole words.
    pub absent: &'static [&'static str],
}

impl Rule {
    /// Whether it holds for a file, named from the repository's top.
    pub fn is_for(&self, path: &str) -> bool {
        let within = |place: &&str| {
            path.strip_prefix(*place)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.places.iter().any(within) && !self.but.iter().any(within)
    }
}

/// What carries out: actors, and what runs in them. All else beside them
/// decides, and must run the same way twice.
const SHELLS: &[&str] = &[
    "actors/src/session/actor.rs",
    "actors/src/session/beside.rs",
    "actors/src/session/carry_out.rs",
    "actors/src/session/clients.rs",
    "actors/src/session/extras.rs",
    "actors/src/session/load.rs",
    "actors/src/session/messages.rs",
    "actors/src/session/pool.rs",
    "actors/src/session/reports.rs",
    "actors/src/session/storage.rs",
    "actors/src/session/turn_actors.rs",
    "actors/src/turn/actor.rs",
    "actors/src/turn/call.rs",
    "actors/src/approvals/actor.rs",
];

/// What prints.
const PRINTING: &[&str] = &["println!", "print!", "eprintln!", "eprint!", "dbg!"];

pub const D_RULES: &[Rule] = &[
    Rule {
        name: "D1: protocol knows no runtime, no files, no sockets, no clock",
        places: &["protocol/src"],
        but: &[],
        absent: &[
            "tokio",
            "ractor",
            "std::io",
            "std::fs",
            "std::net",
            "std::env",
            "std::process",
            "std::thread",
            "SystemTime",
            "Instant",
            "greenroom_actors",
        ],
    },
    Rule {
        name: "D2: the vocabulary knows no JSON, no wire and no dialect",
        places: &["protocol/src/session"],
        but: &[],
        absent: &[
            "serde",
            "serde_json",
            "crate::dialect",
            "crate::wire",
            "hm",
            "autohand",
        ],
    },
    Rule {
        name: "D3: hm's dialect names no other",
        places: &["protocol/src/dialect/hm"],
        but: &[],
        absent: &["autohand", "Autohand"],
    },
    Rule {
        name: "D3: Autohand's dialect names no other",
        places: &["protocol/src/dialect/autohand"],
        but: &[],
        absent: &["hm", "Hm"],
    },
    Rule {
        name: "D3: what dialects share knows none of them",
        places: &["protocol/src/wire"],
        but: &[],
        absent: &["dialect", "hm", "Hm", "autohand", "Autohand"],
    },
    Rule {
        name: "D4: the tree speaks the vocabulary alone",
        places: &["actors/src"],
        but: &[],
        absent: &[
            "greenroom_protocol::wire",
            "greenroom_protocol::dialect",
            "serde",
            "serde_json",
            "std::fs",
            "std::net",
            "std::env",
            "std::process",
            "tokio::fs",
            "tokio::net",
            "tokio::process",
            "SystemTime",
            "std::time::Instant",
        ],
    },
    Rule {
        name: "D5: what decides knows no actor, no task, no clock, no chance",
        places: &[
            "actors/src/session",
            "actors/src/turn",
            "actors/src/approvals",
        ],
        but: SHELLS,
        absent: &[
            "ractor",
            "tokio",
            "async",
            "await",
            "Instant",
            "SystemTime",
            "HashMap",
            "HashSet",
            "rand",
            "RandomState",
            "tracing",
            "Arc<Mutex",
            "Mutex",
            "thread",
        ],
    },
    Rule {
        name: "D6: the environment is read where the configuration is made",
        places: &["src"],
        but: &[
            "src/config",
            "src/app",
            "src/main.rs",
            "src/doctor",
            // They play a host: another process, with an environment of its own.
            "src/demo",
            "src/bench",
        ],
        absent: &[
            "std::env",
            "env::var",
            "env::vars",
            "env::var_os",
            "env::vars_os",
        ],
    },
    Rule {
        name: "D6: the time of day has one place",
        places: &["src"],
        but: &["src/clock.rs"],
        absent: &["SystemTime", "UNIX_EPOCH", "std::time::Instant"],
    },
    Rule {
        name: "D7: connections know no provider, tool, store or guard",
        places: &["src/serve"],
        but: &[],
        absent: &[
            "crate::provider",
            "crate::tool",
            "crate::store",
            "crate::guard",
            "crate::config",
            "crate::cli",
            "crate::app",
        ],
    },
    Rule {
        name: "D7: ports know no connection, and nothing of each other",
        places: &["src/provider"],
        but: &[],
        absent: &[
            "crate::serve",
            "crate::app",
            "crate::cli",
            "crate::tool",
            "crate::store",
            "crate::guard",
            "crate::config",
            "greenroom_protocol::dialect",
        ],
    },
    Rule {
        name: "D7: ports know no connection, and nothing of each other",
        // The one exception: tools ask the guard which files hold credentials.
        places: &["src/tool"],
        but: &[],
        absent: &[
            "crate::serve",
            "crate::app",
            "crate::cli",
            "crate::provider",
            "crate::store",
            "crate::config",
            "greenroom_protocol::dialect",
        ],
    },
    Rule {
        name: "D7: ports know no connection, and nothing of each other",
        places: &["src/store", "src/guard", "src/guard.rs", "src/clock.rs"],
        but: &[],
        absent: &[
            "crate::serve",
            "crate::app",
            "crate::cli",
            "crate::provider",
            "crate::tool",
            "crate::config",
            "greenroom_protocol::dialect",
        ],
    },
    Rule {
        name: "D7: ports know no connection, and nothing of each other",
        // Two exceptions: tools know how processes are started and held, and a
        // provider's parser reads streams of events.
        places: &["src/mcp"],
        but: &[],
        absent: &[
            "crate::serve",
            "crate::app",
            "crate::cli",
            "crate::store",
            "crate::guard",
            "crate::config",
            "greenroom_protocol::dialect",
        ],
    },
    Rule {
        name: "D7: nothing but the program's own parts knows how all is put together",
        places: &["src"],
        but: &[
            "src/app",
            "src/main.rs",
            "src/lib.rs",
            "src/demo",
            "src/bench",
        ],
        absent: &["crate::app"],
    },
    Rule {
        name: "D8: nothing prints",
        places: &["src", "protocol/src", "actors/src"],
        but: &[],
        absent: PRINTING,
    },
    Rule {
        name: "D8: one place writes the wire; what is for people is not in its way",
        places: &["src", "protocol/src", "actors/src"],
        but: &[
            "src/serve/stdio.rs",
            "src/app",
            "src/main.rs",
            "src/telemetry.rs",
            "src/doctor",
            "src/demo",
            "src/bench",
        ],
        absent: &["io::stdout", "io::stderr"],
    },
];
