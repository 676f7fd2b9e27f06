//! What is known of programs.

use crate::guard::matching::base_name;

/// Variables that may be given to any allowed command.
pub(super) const SAFE_VARIABLES: &[&str] = &[
    "CI",
    "NODE_ENV",
    "RUST_LOG",
    "RUST_BACKTRACE",
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "TERM",
    "TZ",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "COLUMNS",
    "LINES",
    "GOOS",
    "GOARCH",
    "CGO_ENABLED",
    "PYTHONUNBUFFERED",
    "PYTHONDONTWRITEBYTECODE",
    "DEBUG",
    "CARGO_TERM_COLOR",
];

/// Run other commands or change how later ones run: only an `exact` rule allows
/// them.
pub(super) const RUN_OTHERS: &[&str] = &[
    "timeout",
    "time",
    "nice",
    "nohup",
    "stdbuf",
    "noglob",
    "eval",
    "source",
    ".",
    "exec",
    "trap",
    "alias",
    "unalias",
    "enable",
    "hash",
    "export",
    "declare",
    "typeset",
    "local",
    "readonly",
    "set",
    "unset",
    "shopt",
    "builtin",
    "command",
    "env",
    "sudo",
    "doas",
    "su",
    "runuser",
    "pkexec",
    "xargs",
    "parallel",
    "watch",
    "setsid",
    "ionice",
    "chrt",
    "taskset",
    "flock",
    "chroot",
    "nsenter",
    "unshare",
    "script",
    "ssh",
    "bash",
    "sh",
    "dash",
    "zsh",
    "ksh",
    "fish",
    "busybox",
    "toybox",
    "complete",
    "bind",
    "coproc",
    "let",
    "read",
    "mapfile",
    "readarray",
    "printf",
    "getopts",
    "pushd",
    "popd",
    "umask",
    "ulimit",
    "wait",
    "kill",
];

/// Change the folder of what follows.
pub(super) const MOVE: &[&str] = &["cd", "pushd", "popd"];

/// Only look at the files that they are given.
const READERS: &[&str] = &[
    "cat",
    "ls",
    "head",
    "tail",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "wc",
    "stat",
    "file",
    "diff",
    "less",
    "more",
    "nl",
    "cut",
    "sort",
    "uniq",
    "tree",
    "du",
    "echo",
    "printf",
    "test",
    "[",
    "cd",
    "pwd",
    "cksum",
    "sha256sum",
    "md5sum",
    "jq",
    "find",
    "fd",
    "git",
    "realpath",
    "readlink",
    "basename",
    "dirname",
    "which",
];

/// Change the files that they are given.
const WRITERS: &[&str] = &[
    "rm", "rmdir", "mv", "cp", "tee", "touch", "truncate", "dd", "chmod", "chown", "chgrp", "ln",
    "install", "rsync", "mkdir", "mkfifo", "shred", "unlink", "sed", "patch", "tar", "unzip",
    "perl", "ed", "ex",
];

/// Shells whose `-c` scripts are read.
const SHELLS: &[&str] = &["bash", "sh", "dash", "zsh", "ksh"];

/// Keep their argument to run it later.
pub(super) const KEEP_FOR_LATER: &[&str] = &["trap", "alias", "complete", "bind"];

/// Read a script from standard input when they are given none.
const INTERPRETERS: &[&str] = &[
    "sh", "bash", "dash", "zsh", "ksh", "fish", "python", "python3", "perl", "ruby", "node", "php",
    "lua", "source", ".",
];

/// Run, or may run, a command that stands somewhere in their arguments.
const CARRY_COMMANDS: &[&str] = &[
    "command",
    "builtin",
    "exec",
    "sudo",
    "doas",
    "pkexec",
    "setsid",
    "setpriv",
    "ionice",
    "chrt",
    "taskset",
    "chroot",
    "unshare",
    "nsenter",
    "watch",
    "entr",
    "flock",
    "parallel",
    "xargs",
    "env",
    "busybox",
    "toybox",
    "strace",
    "ltrace",
    "gdb",
    "npx",
    "bunx",
    "pnpx",
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "deno",
    "script",
    "su",
    "runuser",
    "caffeinate",
    "direnv",
    "mise",
    "devbox",
    "docker",
    "podman",
    "kubectl",
    "ssh",
    "systemd-run",
    "find",
    "fd",
    "make",
    "just",
    "rsync",
    "tar",
    "awk",
    "gawk",
    "mawk",
    "sed",
    "vim",
    "vi",
    "ex",
    "ed",
    "emacs",
    "python",
    "python3",
    "node",
    "perl",
    "ruby",
    "php",
    "lua",
    "nix",
    "nix-shell",
    "uv",
    "uvx",
    "pipx",
    "poetry",
    "pipenv",
    "bundle",
    "tmux",
    "screen",
    "nohup",
    "time",
    "timeout",
    "nice",
    "stdbuf",
    "noglob",
    "at",
    "batch",
    "crontab",
    "expect",
    "socat",
    "ncat",
    "fakeroot",
    "proot",
    "firejail",
    "bwrap",
    "unbuffer",
    "chronic",
    "sem",
    "hyperfine",
    "perf",
    "valgrind",
    "prlimit",
    "cpulimit",
];

/// What a program does with the files that it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Reads,
    Writes,
    Unknown,
}

/// What a program of that base name does with files.
pub(super) fn usage(name: &str) -> Use {
    if WRITERS.contains(&name) {
        Use::Writes
    } else if READERS.contains(&name) {
        Use::Reads
    } else {
        Use::Unknown
    }
}

pub(super) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name)
}

/// Whether a command may run another one that stands in its arguments.
pub(super) fn carries_commands(name: &str, argv: &[&str]) -> bool {
    const GIT: &[&str] = &[
        "-c",
        "rebase",
        "bisect",
        "submodule",
        "filter-branch",
        "difftool",
        "mergetool",
        "--exec",
        "--config-env",
        "-x",
        "config",
    ];
    let of_git = |word: &&str| {
        GIT.contains(word)
            || word.starts_with("--upload-pack")
            || word.starts_with("--receive-pack")
    };
    match name {
        "git" => argv.iter().any(of_git),
        name => CARRY_COMMANDS.contains(&name),
    }
}

/// Programs whose own languages use the marks of the shell.
const OWN_LANGUAGES: &[&str] = &[
    "awk", "gawk", "mawk", "sed", "perl", "python", "python3", "node", "deno", "bun", "ruby",
    "php", "lua", "find", "fd", "git", "vim", "vi", "ex", "ed", "emacs", "rsync", "tar", "make",
    "just", "npm", "pnpm", "yarn", "gdb",
];

/// Whether texts among the arguments of a command are read by a shell, as far as
/// is known.
pub(super) fn hands_texts_to_shell(name: &str, words: &[&str]) -> bool {
    let shell = |word: &&str| is_shell(base_name(word)) || *word == "eval";
    !OWN_LANGUAGES.contains(&name) || words.iter().any(shell)
}

/// Whether a command takes its script from standard input.
pub(super) fn reads_script_from_input(name: &str, words: &[&str]) -> bool {
    if !INTERPRETERS.contains(&name) {
        return false;
    }
    let only_options = || words.iter().all(|word| word.starts_with(['-', '+']));
    match words.first() {
        None => true,
        Some(first) => {
            matches!(
                *first,
                "-" | "-s" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0"
            ) || (is_shell(name) && only_options())
        }
    }
}
