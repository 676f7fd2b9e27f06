use std::fs;
use std::os::unix::fs::PermissionsExt;

use tempfile::TempDir;

use super::*;
use crate::mcp::{Launch, ServerEntry};

struct World {
    folder: TempDir,
}

impl World {
    /// A workspace and a configuration folder with these files.
    fn with(user: Option<&str>, project: Option<&str>) -> World {
        let folder = tempfile::tempdir().unwrap();
        for (name, file, text) in [("config", USER_FILE, user), ("work", PROJECT_FILE, project)] {
            fs::create_dir(folder.path().join(name)).unwrap();
            if let Some(text) = text {
                let path = folder.path().join(name).join(file);
                fs::write(&path, text).unwrap();
                fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
            }
        }
        World { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn load(&self, configured: &[ServerConfig], trusted: bool) -> Loaded {
        load(&Sources {
            configured,
            folder: Some(&self.path("config")),
            home: None,
            root: &self.path("work"),
            trusted: &|_, _| trusted,
            how_to_trust: "`greenroom guard trust`",
            variables: &|name| (name == "TOKEN").then(|| "tok-12345678".to_owned()),
        })
    }

    /// Names, and notices with the folder as `@`.
    fn told(&self, loaded: &Loaded) -> (Vec<String>, Vec<String>) {
        let folder = self.folder.path().display().to_string();
        let names = loaded.servers.iter().map(|it| it.name.clone());
        let notices = loaded.notices.iter().map(|it| it.replace(&folder, "@"));
        (names.collect(), notices.collect())
    }
}

const ONE: &str = r#"{"mcpServers": {"one": {"command": "x", "env": {"T": "${TOKEN}"}}}}"#;

#[test]
fn a_workspaces_servers_count_only_when_they_are_trusted() {
    let world = World::with(None, Some(ONE));
    let loaded = world.load(&[], false);
    let notice = "the servers of @/work/.mcp.json are not trusted, so none of them is started; \
                  read it, then trust it: `greenroom guard trust`";
    assert_eq!(world.told(&loaded), (vec![], vec![notice.to_owned()]));
    assert_eq!(loaded.untrusted, Some(world.path("work/.mcp.json")));
    let loaded = world.load(&[], true);
    assert_eq!(world.told(&loaded), (vec!["one".to_owned()], vec![]));
    let Launch::Program(program) = &loaded.servers[0].launch else {
        panic!("{loaded:?}");
    };
    assert_eq!(program.environment[0].1.reveal(), "tok-12345678");
    assert!(!format!("{loaded:?}").contains("tok-12345678"));
}

#[test]
fn trust_is_asked_of_the_very_text() {
    let world = World::with(None, Some(ONE));
    let (path, seen) = (world.path("work/.mcp.json"), std::cell::Cell::new(0));
    load(&Sources {
        configured: &[],
        folder: None,
        home: None,
        root: &world.path("work"),
        trusted: &|file, text| {
            seen.set(seen.get() + 1);
            file == path && text == ONE.as_bytes()
        },
        how_to_trust: "",
        variables: &|_| None,
    });
    assert_eq!(seen.get(), 1);
}

#[test]
fn of_one_name_the_users_own_wins() {
    let world = World::with(
        Some(ONE),
        Some(r#"{"mcpServers": {"one": {"command": "evil"}, "two": {"command": "evil"}}}"#),
    );
    let two = ServerEntry {
        command: Some("mine".into()),
        ..ServerEntry::default()
    };
    let two = two.resolve("two", "config.yaml", None, &|_| None).unwrap();
    let loaded = world.load(&[two], true);
    let notices = [
        "@/work/.mcp.json: the server \"one\" is that of @/config/mcp.json",
        "@/work/.mcp.json: the server \"two\" is that of config.yaml",
    ];
    let (names, told) = world.told(&loaded);
    assert_eq!(
        (
            names,
            told.iter()
                .map(|it| it.replace(&world.folder.path().display().to_string(), "@"))
                .collect::<Vec<_>>()
        ),
        (
            vec!["two".to_owned(), "one".to_owned()],
            notices.map(String::from).to_vec()
        )
    );
}

#[test]
fn what_is_broken_costs_itself_alone() {
    let text = r#"{"mcpServers": {
        "none": {}, "list": [], "env": {"command": "x", "env": {"A": 1}},
        "unset": {"command": "x", "args": ["${NOT_SET}"]}, "odd": {"command": "x", "type": "pigeon"},
        "http": {"type": "http", "url": "https://h/mcp", "alwaysAllow": ["a"], "timeout_seconds": 0},
        "sse": {"type": "sse", "url": "https://h/sse"}, "good": {"command": "x", "autoApprove": []}
    }}"#;
    let world = World::with(Some(text), None);
    let (names, notices) = world.told(&world.load(&[], false));
    assert_eq!(names, ["sse", "good"]);
    let of = "@/config/mcp.json: ";
    let left_out = [
        (
            "none",
            "it has neither a command nor a url; give it one of them",
        ),
        ("list", "is no object"),
        ("env", "env is no object of texts"),
        (
            "unset",
            "args: the variable NOT_SET is not set; set it, or write ${NOT_SET:-default}",
        ),
        (
            "odd",
            "its type is none of stdio, http and sse; take one of them",
        ),
        ("http", "timeout_seconds is no whole number from 1 to 86400"),
    ];
    let mut expected = vec![
        format!("{of}http.alwaysAllow means nothing here"),
        format!("{of}good.autoApprove means nothing here"),
    ];
    expected
        .extend(left_out.map(|(name, why)| format!("{of}the server {name:?} is left out: {why}")));
    assert_eq!(notices, expected);
}

#[test]
fn files_that_are_none_are_told_and_not_waited_for() {
    let world = World::with(Some("{"), Some("[]"));
    let (_, notices) = world.told(&world.load(&[], true));
    let expected = [
        "@/config/mcp.json is no JSON (line 1, column 1); mend it",
        "@/work/.mcp.json has no object `mcpServers`; write {\"mcpServers\": {…}}",
    ];
    assert_eq!(notices, expected);
    let pipe = world.path("work/.mcp.json");
    fs::remove_file(&pipe).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let user = world.path("config/mcp.json");
    fs::write(&user, ONE).unwrap();
    fs::set_permissions(&user, fs::Permissions::from_mode(0o666)).unwrap();
    let loaded = world.load(&[], true);
    let (names, notices) = world.told(&loaded);
    let expected = [
        "@/config/mcp.json can be written by others, so it is not believed; `chmod go-w` it after \
         you have read it",
        "@/work/.mcp.json is no plain file; remove it or put a file there",
    ];
    assert_eq!(
        (names.len(), notices),
        (0, expected.map(String::from).to_vec())
    );
}
