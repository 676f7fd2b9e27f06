//! Real escapes, tried by real commands. Where the kernel has no Landlock, what
//! is checked is that nothing claims otherwise.

mod network;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use greenroom_actors::ports::Ran;
use serde_json::json;
use tempfile::TempDir;

use super::grants::{Grants, Places};
use super::*;
use crate::tool::testing::Bench;
use crate::tool::{Environment, ToolSettings};

/// A workspace, and beside it a home with secrets, in a place that no grant
/// covers.
struct Scene {
    bench: Bench,
    outside: TempDir,
}

impl Scene {
    fn new(mode: SandboxMode, network: Network) -> Scene {
        let outside = TempDir::new_in(ungranted()).unwrap();
        let home = outside.path().join("home");
        for folder in [".ssh", ".cargo/bin"] {
            std::fs::create_dir_all(home.join(folder)).unwrap();
        }
        std::fs::write(home.join(".ssh/id_rsa"), "secret").unwrap();
        std::fs::write(home.join(".cargo/credentials.toml"), "secret").unwrap();
        std::fs::write(outside.path().join("file"), "before").unwrap();
        let program = home.join(".cargo/bin/tool");
        std::fs::write(&program, "#!/bin/sh\necho run\n").unwrap();
        std::fs::set_permissions(program, PermissionsExt::from_mode(0o755)).unwrap();
        let path = "/usr/local/bin:/usr/bin:/bin";
        let settings = ToolSettings {
            environment: Environment(vec![
                ("PATH".into(), path.into()),
                ("HOME".into(), home.into()),
            ]),
            sandbox: SandboxSettings {
                mode,
                network,
                ..SandboxSettings::default()
            },
            ..ToolSettings::default()
        };
        Scene {
            bench: Bench::with(settings),
            outside,
        }
    }

    /// `OUT` stands for the folder outside.
    async fn run(&self, command: &str) -> Ran {
        let out = self.outside.path().display().to_string();
        let command = command.replace("OUT", &out);
        self.bench
            .call("shell", json!({ "command": command }))
            .await
    }

    /// What is outside, names and contents.
    fn outside(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        let mut ahead = vec![self.outside.path().to_owned()];
        while let Some(path) = ahead.pop() {
            if path.is_dir() {
                let entries = std::fs::read_dir(&path).unwrap();
                ahead.extend(entries.map(|entry| entry.unwrap().path()));
            } else {
                let content = std::fs::read(&path).unwrap();
                found.push((path, content));
            }
        }
        found.sort();
        found
    }
}

/// A folder that this test may write and no grant covers.
fn ungranted() -> PathBuf {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("target");
    let _ = std::fs::create_dir_all(&target);
    let places = [
        target.as_path(),
        Path::new("/run"),
        Path::new("/mnt"),
        Path::new("/root"),
    ];
    let grants = Grants::new(
        Path::new("/w"),
        &Places::default(),
        &SandboxSettings::default(),
    );
    let is_granted = |place: &Path| {
        let mut all = grants.write.iter().chain(&grants.read);
        all.any(|granted| place.starts_with(granted))
    };
    let is_free = |place: &&Path| !is_granted(place) && TempDir::new_in(place).is_ok();
    let found = places.into_iter().find(is_free);
    found
        .expect("some folder outside of /tmp can be written")
        .to_owned()
}

const ESCAPES: &[&str] = &[
    "echo after > OUT/new",
    "echo after >> OUT/file",
    ": > OUT/file",
    "truncate -s 0 OUT/file",
    "rm OUT/file",
    "mkdir OUT/folder",
    "mv OUT/file OUT/other",
    "mv OUT/file .",
    "cp OUT/file copy",
    "ln OUT/file hard",
    "ln -sfn OUT link && echo after > link/new",
    "ln -sf OUT/file soft && cat soft",
    "echo after > here && mv here OUT/new",
    "cat OUT/home/.ssh/id_rsa",
    "cat ~/.ssh/id_rsa",
    "cat ~/.cargo/credentials.toml",
    "ls ~",
    "cd OUT && echo after > new",
    "cat /proc/self/root/OUT/file",
    "bash -c 'bash -c \"echo after > OUT/new\"'",
    "(setsid bash -c 'echo after > OUT/new' &); sleep 0.2; test -e OUT/new",
    "python3 -c 'open(\"OUT/new\", \"w\")'",
    "exec 3<> OUT/file; echo after >&3",
    "tar -cf - OUT/home > got.tar",
];

#[tokio::test]
async fn escapes_fail() {
    let support = Support::probe();
    let free = Scene::new(SandboxMode::Off, Network::Allow);
    // Without a sandbox they are none: what is tried here does work.
    assert_eq!(
        free.run("echo after > OUT/new && cat ~/.ssh/id_rsa")
            .await
            .text,
        "secret"
    );

    let scene = Scene::new(SandboxMode::Workspace, Network::Allow);
    if !support.files() {
        let kept = &Sandbox::new(scene_settings(), &[]).state;
        assert_eq!(*kept, SandboxState::Absent);
        return;
    }
    let before = scene.outside();
    for escape in ESCAPES {
        let ran = scene.run(escape).await;
        assert!(ran.failed, "{escape}: {}", ran.text);
        assert!(!ran.text.contains("secret"), "{escape}: {}", ran.text);
        assert!(scene.outside() == before, "{escape}: {}", ran.text);
    }
    // Only the commands are kept, not the process that starts them.
    std::fs::write(scene.outside.path().join("file"), "by the test").unwrap();
}

fn scene_settings() -> SandboxSettings {
    SandboxSettings {
        mode: SandboxMode::Workspace,
        ..SandboxSettings::default()
    }
}

#[tokio::test]
async fn daily_work_goes_on() {
    let scene = Scene::new(SandboxMode::Workspace, Network::Allow);
    let work = [
        "echo a > a && mkdir d && mv a d/b && cat d/b && rm -r d",
        "t=$(mktemp) && echo x > $t && rm $t",
        "echo x > /dev/null; echo x > /dev/stderr; echo x | tee /dev/stdout > /dev/null",
        "cat /etc/passwd /proc/self/status > /dev/null && ls /usr/bin > /dev/null",
        "~/.cargo/bin/tool",
        "ln -s x link && readlink link && rm link",
        "git init -q . && git status --short",
        "(sleep 0.1; echo late > late) & wait; cat late",
        "kill -TERM $$ & wait; true",
    ];
    for command in work {
        let ran = scene.run(command).await;
        assert!(
            !ran.failed || command.starts_with("kill"),
            "{command}: {}",
            ran.text
        );
    }
}

#[tokio::test]
async fn nobody_outside_is_signalled() {
    let scene = Scene::new(SandboxMode::Workspace, Network::Allow);
    let ran = scene.run(&format!("kill -0 {}", std::process::id())).await;
    assert_eq!(ran.failed, Support::probe().signals(), "{}", ran.text);
}

/// What a process outside holds open is not reached through `/proc`.
#[tokio::test]
async fn the_process_that_starts_commands_is_no_way_out() {
    use std::os::fd::AsRawFd;
    let daemon = format!("/proc/{}", std::process::id());
    let free = Scene::new(SandboxMode::Off, Network::Allow);
    let kept = Scene::new(SandboxMode::Workspace, Network::Allow);
    for (scene, is_kept) in [(&free, false), (&kept, Support::probe().files())] {
        let secret = scene.outside.path().join("home/.ssh/id_rsa");
        let held = std::fs::File::open(secret).unwrap();
        let ways = [
            format!("cat {daemon}/fd/{}", held.as_raw_fd()),
            format!("cat {daemon}/root/OUT/home/.ssh/id_rsa"),
            format!("echo after > {daemon}/root/OUT/new"),
            format!("ls {daemon}/cwd/"),
        ];
        for way in &ways {
            let ran = scene.run(way).await;
            assert_eq!(ran.failed, is_kept, "{way}: {}", ran.text);
        }
    }
}

#[tokio::test]
async fn abstract_sockets_outside_are_not_reached() {
    use std::os::linux::net::SocketAddrExt;
    let name = format!("greenroom-test-{:016x}", fastrand::u64(..));
    let address = std::os::unix::net::SocketAddr::from_abstract_name(&name).unwrap();
    let _listener = std::os::unix::net::UnixListener::bind_addr(&address).unwrap();
    let connect =
        format!("python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"\\0{name}\")'");
    let free = Scene::new(SandboxMode::Off, Network::Allow);
    let usual = free.run(&connect).await;
    assert!(!usual.failed, "{}", usual.text);
    let kept = Scene::new(SandboxMode::Workspace, Network::Allow);
    let ran = kept.run(&connect).await;
    assert_eq!(ran.failed, Support::probe().signals(), "{}", ran.text);
}

#[test]
fn what_is_in_force() {
    let of = |mode, network, version| {
        let settings = SandboxSettings {
            mode,
            network,
            ..SandboxSettings::default()
        };
        SandboxState::of(&settings, Support(version))
    };
    use Network::{Allow, Deny};
    use SandboxMode::{Off, Workspace};
    assert_eq!(of(Off, Deny, 0), SandboxState::Off);
    assert_eq!(of(Workspace, Allow, 0), SandboxState::Absent);
    assert_eq!(of(Workspace, Allow, 2), SandboxState::Absent);
    assert_eq!(of(Workspace, Allow, 3), SandboxState::Enforced);
    assert_eq!(of(Workspace, Deny, 3), SandboxState::NetworkOpen);
    assert_eq!(of(Workspace, Deny, 4), SandboxState::Enforced);
}

#[test]
fn homes_are_never_granted_as_a_whole() {
    let places = Places {
        home: Some("/home/me".into()),
        temp: Some("/home/me".into()),
        programs: [
            "/home/me",
            "/home",
            "/",
            ".",
            "",
            "/home/me/bin",
            "/usr/games",
        ]
        .map(PathBuf::from)
        .into(),
    };
    let grants = Grants::new(Path::new("/w"), &places, &SandboxSettings::default());
    let all: Vec<&PathBuf> = grants.write.iter().chain(&grants.read).collect();
    for wide in ["/home/me", "/home", "/", ".", ""] {
        assert!(!all.contains(&&PathBuf::from(wide)), "{wide}");
    }
    assert!(all.contains(&&PathBuf::from("/home/me/bin")));
    assert!(
        !all.iter()
            .any(|granted| Path::new("/home/me/.ssh/id_rsa").starts_with(granted))
    );
}

/// Users of services often live in a folder that everybody may read.
#[test]
fn a_home_in_a_shared_folder_is_not_granted_with_it() {
    for home in ["/var/lib/jenkins", "/opt/builder", "/var/cache/agent"] {
        let places = Places {
            home: Some(home.into()),
            ..Places::default()
        };
        let grants = Grants::new(Path::new("/w"), &places, &SandboxSettings::default());
        let secret = Path::new(home).join(".ssh/id_rsa");
        let mut all = grants.write.iter().chain(&grants.read);
        let by = all.find(|granted| secret.starts_with(granted));
        assert_eq!(by, None, "{home}");
        // Programs of the system still run.
        assert!(grants.read.contains(&PathBuf::from("/usr")));
    }
}

/// The repository of a linked worktree is granted, but not what a forged `.git`
/// file names: neither a place outside that knows nothing of it, nor one within
/// the workspace that the agent can make.
#[test]
fn a_linked_worktree_brings_its_repository() {
    let outer = TempDir::new_in(ungranted()).unwrap();
    let folder = outer.path().canonicalize().unwrap();
    let git = |arguments: &[&str]| {
        let done = Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@t"])
            .args(arguments)
            .current_dir(&folder)
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q", "main"]);
    git(&["-C", "main", "commit", "-q", "--allow-empty", "-m", "x"]);
    git(&["-C", "main", "worktree", "add", "-q", "../tree"]);
    let granted = |root: &str| {
        let root = folder.join(root);
        Grants::new(&root, &Places::default(), &SandboxSettings::default()).write
    };
    assert!(granted("tree").contains(&folder.join("main/.git")));
    let usual = granted("main").len();

    std::fs::create_dir_all(folder.join("forged")).unwrap();
    let named = folder.join("home/worktrees/x");
    std::fs::create_dir_all(&named).unwrap();
    let forged = |root: &str, gitdir: &Path, back: &Path| {
        let link = folder.join(root).join(".git");
        std::fs::write(&link, format!("gitdir: {}", gitdir.display())).unwrap();
        std::fs::write(gitdir.join("gitdir"), back.display().to_string()).unwrap();
        assert_eq!(granted(root).len(), usual, "{root} {}", gitdir.display());
    };
    // It names another worktree; or this one, but is no repository's.
    forged("forged", &named, &folder.join("tree/.git"));
    forged("forged", &named, &folder.join("forged/.git"));
    // All of it in the workspace, whose parent has the right name.
    forged("home/worktrees/x", &named, &named.join(".git"));
    std::fs::create_dir_all(folder.join("home/objects")).unwrap();
    std::fs::write(folder.join("home/HEAD"), "x").unwrap();
    forged("home/worktrees/x", &named, &named.join(".git"));
}
