use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::super::rules::Opaque;
use super::super::trust::digest_of;
use super::*;

struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> World {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("config")).unwrap();
        fs::create_dir_all(folder.path().join("w/.greenroom")).unwrap();
        World { folder }
    }

    fn config(&self) -> PathBuf {
        self.folder.path().join("config")
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("w")
    }

    /// Writes beside and renames, as editors do: a new inode each time.
    fn put(&self, path: PathBuf, text: &str) -> PathBuf {
        let beside = path.with_extension("new");
        fs::write(&beside, text).unwrap();
        fs::rename(&beside, &path).unwrap();
        path
    }

    fn user(&self, text: &str) -> PathBuf {
        self.put(self.config().join(USER_FILE), text)
    }

    fn project(&self, text: &str) -> PathBuf {
        self.put(self.root().join(PROJECT_FILE), text)
    }

    fn load(&self) -> Result<RuleFiles, RulesError> {
        RuleFiles::load(
            Some(self.config()),
            Some(Path::new("/home/u")),
            Default::default(),
        )
    }
}

/// How many rules of user and project are in force, by list.
fn counts(rules: &Rules) -> (usize, usize, usize) {
    let own = |list: &[Arc<super::super::rules::Rule>]| {
        list.iter()
            .filter(|rule| !rule.label.starts_with("shipped"))
            .count()
    };
    (own(&rules.deny), own(&rules.ask), own(&rules.allow))
}

const ONE: &str = "version: 1\ndeny: [{shell: a}]\nallow: [{shell: b}]\n";

#[test]
fn the_shipped_rules_are_sound_and_need_no_file() {
    let files = RuleFiles::load(None, None, Default::default()).unwrap();
    let rules = files.rules(Path::new("/nowhere")).unwrap();
    assert_eq!(counts(&rules), (0, 0, 0));
    assert!(rules.allow.len() == 4);
    // A denial of ours would make mode full ask about loops and variables.
    assert_eq!((rules.deny.len(), rules.ask.len()), (0, 0));
}

#[test]
fn rules_are_read_anew_when_they_change() {
    let world = World::new();
    let files = world.load().unwrap();
    let now = || counts(&files.rules(&world.root()).unwrap());
    assert_eq!(now(), (0, 0, 0));
    let user = world.user(ONE);
    assert_eq!(now(), (1, 0, 1));
    // Broken: what was said before holds.
    world.user("version: 1\ndeny: [{");
    assert_eq!(now(), (1, 0, 1));
    world.user("version: 1\nask: [{shell: c}]\n");
    assert_eq!(now(), (0, 1, 0));
    world.user(ONE);
    assert_eq!(now(), (1, 0, 1));
    // Gone: what it forbade stays forbidden.
    fs::remove_file(&user).unwrap();
    assert_eq!(now(), (1, 0, 0));
}

#[test]
fn broken_rules_stop_everything_from_the_start() {
    let world = World::new();
    world.user("version: 1\ndeny:\n  - shel: x\n");
    let error = world.load().err().unwrap().message;
    assert!(
        error.contains("config/guard.yaml:3:5: deny[0]: unknown key \"shel\""),
        "{error}"
    );
    let user = world.user(ONE);
    fs::set_permissions(&user, fs::Permissions::from_mode(0o666)).unwrap();
    let error = world.load().err().unwrap().message;
    assert!(error.contains("chmod go-w"), "{error}");
    fs::set_permissions(&user, fs::Permissions::from_mode(0o600)).unwrap();
    let files = world.load().unwrap();
    world.project("version: 3");
    assert!(files.rules(&world.root()).is_err());
    assert!(files.rules(&world.root()).is_err());
    world.project(ONE);
    assert_eq!(counts(&files.rules(&world.root()).unwrap()), (2, 0, 1));
}

#[test]
fn a_projects_allows_count_only_when_trusted() {
    let world = World::new();
    let loose =
        "version: 1\nopaque: allow\nenv_safe: [X]\ndeny: [{shell: a}]\nallow: [{shell: any}]\n";
    let file = world.project(loose);
    let files = world.load().unwrap();
    let root = world.root();
    let rules = files.rules(&root).unwrap();
    assert_eq!((counts(&rules), rules.opaque), ((1, 0, 0), Opaque::Ask));
    assert!(files.is_untrusted(&root));
    let list = files.trust_list().unwrap();
    let mut trust = TrustList::default();
    trust
        .trust(&list, &file, digest_of(&file).unwrap())
        .unwrap();
    let rules = files.rules(&root).unwrap();
    assert_eq!((counts(&rules), rules.opaque), ((1, 0, 1), Opaque::Allow));
    assert_eq!(rules.env_safe, ["X"]);
    assert!(!files.is_untrusted(&root));
    // One more blank, and it is another file.
    world.project(&format!("{loose} "));
    assert_eq!(counts(&files.rules(&root).unwrap()), (1, 0, 0));
    // A broken list trusts nothing.
    world.project(loose);
    assert_eq!(counts(&files.rules(&root).unwrap()), (1, 0, 1));
    fs::write(&list, "nonsense").unwrap();
    assert_eq!(counts(&files.rules(&root).unwrap()), (1, 0, 0));
}

#[test]
fn what_is_no_plain_file_is_refused() {
    let world = World::new();
    fs::create_dir(world.config().join(USER_FILE)).unwrap();
    let error = world.load().err().unwrap().message;
    assert!(error.contains("it is no plain file"), "{error}");
}

#[test]
fn a_rule_for_a_mode_that_is_not_there_is_told() {
    let stage = World::new();
    stage.user("version: 1\ndeny:\n  - {shell: any, modes: [atuo]}\n");
    let error = stage.load().err().unwrap();
    assert!(
        error
            .message
            .ends_with("deny[0].modes: \"atuo\" is no mode; there are plan, ask, auto, full"),
        "{error}"
    );
}

/// Each trouble has its words as long as it lasts.
#[test]
fn what_breaks_later_is_warned_of() {
    let world = World::new();
    let user = world.user(ONE);
    let files = world.load().unwrap();
    let root = world.root();
    let warnings = || {
        files.rules(&root).unwrap();
        let shown = |text: Text| text.replace(&*world.folder.path().to_string_lossy(), "");
        let warnings: Vec<String> = files.warnings(&root).into_iter().map(shown).collect();
        warnings.join("\n")
    };
    assert_eq!(warnings(), "");
    world.user("version: 1\ndeny:\n  - shel: x\n");
    let broken = "the guard's rules are broken; those of before stay in force: \
                  /config/guard.yaml:3:5: deny[0]: unknown key \"shel\"";
    assert!(warnings().starts_with(broken), "{}", warnings());
    world.user(ONE);
    assert_eq!(warnings(), "");
    fs::remove_file(&user).unwrap();
    assert!(
        warnings().contains("/config/guard.yaml are gone;"),
        "{}",
        warnings()
    );
    world.user(ONE);

    let project = world.project(ONE);
    assert!(warnings().starts_with("the rules of /w/.greenroom/guard.yaml are not trusted"));
    let list = files.trust_list().unwrap();
    let mut trust = TrustList::default();
    let digest = digest_of(&project).unwrap();
    trust.trust(&list, &project, digest).unwrap();
    assert_eq!(warnings(), "");
    fs::write(&list, "nonsense").unwrap();
    let both = warnings();
    let lines: Vec<&str> = both.lines().collect();
    assert_eq!(lines.len(), 2, "{both}");
    assert!(lines[0].starts_with("the list of trusted rules is broken; none is trusted: "));
}
