//! Patterns of commands: a prefix of words, and what must or must not follow.

use super::option::gives;

/// A pattern of a command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShellPattern {
    /// Covers every command; the rest says nothing then.
    pub any: bool,
    /// How the command begins. The first token is never [`Token::Rest`].
    pub head: Vec<Token>,
    /// Of each entry one must occur behind the fixed beginning.
    pub has: Vec<Vec<String>>,
    /// None of these may occur there.
    pub not: Vec<String>,
    /// Whether nothing may follow the head.
    pub exact: bool,
    /// Whether every word that may be a path must lie in the workspace.
    pub inside: bool,
}

/// One word of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// One of these words.
    Words(Vec<String>),
    /// Any one word: `*`.
    One,
    /// Any number of words: `...`.
    Rest,
}

impl ShellPattern {
    /// Whether a command may be meant.
    pub fn loose(&self, argv: &[&str]) -> bool {
        if self.any || self.loose_plain(argv) {
            return true;
        }
        without_early_options(argv).is_some_and(|argv| self.loose_plain(&argv))
    }

    fn loose_plain(&self, argv: &[&str]) -> bool {
        if !self.begins(argv, true) {
            return false;
        }
        let rest = self.behind_fixed(argv);
        let one_of = |options: &Vec<String>| {
            let given = |option: &String| rest.iter().any(|word| gives(word, option));
            options.iter().any(given)
        };
        self.has.iter().all(one_of)
    }

    /// Whether a command is certainly meant, `inside` aside: whoever asks must
    /// look at the paths.
    pub fn strict(&self, argv: &[&str]) -> bool {
        if self.any {
            return true;
        }
        if !self.begins(argv, false) {
            return false;
        }
        let rest = self.behind_fixed(argv);
        let stands = |options: &Vec<String>| {
            let given = |option: &String| rest.iter().any(|word| word == option);
            options.iter().any(given)
        };
        let given = |option: &String| rest.iter().any(|word| gives(word, option));
        self.has.iter().all(stands) && !self.not.iter().any(given)
    }

    /// The words behind those that the head fixes one by one.
    pub fn behind_fixed<'a, 'b>(&self, argv: &'b [&'a str]) -> &'b [&'a str] {
        let fixed = self.head.iter().take_while(|token| **token != Token::Rest);
        argv.get(fixed.count()..).unwrap_or_default()
    }

    /// Whether the head fits the beginning, or all when nothing may follow.
    fn begins(&self, argv: &[&str], loose_name: bool) -> bool {
        let Some((first, head)) = self.head.split_first() else {
            return false;
        };
        let Some((name, words)) = argv.split_first() else {
            return false;
        };
        let named = match first {
            Token::Words(names) if loose_name => names.iter().any(|it| is_same_program(name, it)),
            Token::Words(names) => names.iter().any(|it| it == name),
            Token::One | Token::Rest => true,
        };
        named && fits(head, words, self.exact)
    }
}

/// Whether tokens fit the beginning of words (`whole`: all of them). Keeps the
/// last `...` to come back to, so the time is bounded by tokens times words.
fn fits(tokens: &[Token], words: &[&str], whole: bool) -> bool {
    let (mut token, mut word) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    loop {
        let fitting = match tokens.get(token) {
            None if !whole || word == words.len() => return true,
            None => false,
            Some(Token::Rest) => {
                token += 1;
                back = Some((token, word));
                continue;
            }
            Some(Token::One) => word < words.len(),
            Some(Token::Words(any)) => words
                .get(word)
                .is_some_and(|it| any.iter().any(|a| a == it)),
        };
        if fitting {
            token += 1;
            word += 1;
            continue;
        }
        match back {
            Some((behind, from)) if from < words.len() => {
                back = Some((behind, from + 1));
                token = behind;
                word = from + 1;
            }
            _ => return false,
        }
    }
}

/// The last part of a program's path.
pub(in crate::guard) fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

fn is_same_program(given: &str, named: &str) -> bool {
    base_name(given).eq_ignore_ascii_case(base_name(named))
}

/// Programs with sub-commands, and their options with a value that may stand
/// before it.
const EARLY_OPTIONS: &[(&str, &[&str])] = &[
    (
        "git",
        &[
            "-C",
            "-c",
            "--git-dir",
            "--work-tree",
            "--namespace",
            "--exec-path",
            "--config-env",
            "--super-prefix",
            "--attr-source",
        ],
    ),
    (
        "kubectl",
        &[
            "-n",
            "--namespace",
            "--context",
            "--kubeconfig",
            "-s",
            "--server",
            "--cluster",
            "--user",
        ],
    ),
    (
        "docker",
        &[
            "-H",
            "--host",
            "--context",
            "-c",
            "--config",
            "-l",
            "--log-level",
        ],
    ),
    (
        "podman",
        &["--url", "--connection", "-c", "--root", "--log-level"],
    ),
    (
        "helm",
        &["-n", "--namespace", "--kube-context", "--kubeconfig"],
    ),
    ("npm", &["--prefix", "-w", "--workspace", "-C"]),
    ("pnpm", &["-C", "--dir", "-F", "--filter"]),
    ("yarn", &["--cwd"]),
    (
        "cargo",
        &["--config", "-C", "--manifest-path", "--color", "-Z"],
    ),
    ("go", &["-C"]),
    ("gh", &["-R", "--repo"]),
    (
        "aws",
        &["--profile", "--region", "--output", "--endpoint-url"],
    ),
    ("gcloud", &["--project", "--account", "--configuration"]),
    ("terraform", &[]),
    ("systemctl", &["-H", "-M", "--host", "--machine"]),
    ("apt-get", &["-o", "-c", "-t"]),
    ("apt", &["-o", "-c", "-t"]),
];

/// `git -C x push` as `git push`; nothing when no option stands before.
fn without_early_options<'a>(argv: &[&'a str]) -> Option<Vec<&'a str>> {
    let (program, words) = argv.split_first()?;
    let program_name = base_name(program);
    let (_, with_value) = EARLY_OPTIONS
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(program_name))?;
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let toolchain = program_name.eq_ignore_ascii_case("cargo") && word.starts_with('+');
        if !word.starts_with('-') && !toolchain {
            break;
        }
        at += match with_value.contains(word) {
            true => 2,
            false => 1,
        };
    }
    if at == 0 || at >= words.len() {
        return None;
    }
    let mut argv = vec![*program];
    argv.extend_from_slice(&words[at..]);
    Some(argv)
}
