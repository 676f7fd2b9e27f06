use std::fs;
use std::os::unix::fs::symlink;

use super::*;

/// A home with a repository `work` in it.
struct Place {
    outer: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let outer = tempfile::tempdir().unwrap();
        fs::create_dir_all(outer.path().join("home/work/.git")).unwrap();
        fs::create_dir_all(outer.path().join("home/work/part/deep")).unwrap();
        fs::create_dir_all(outer.path().join("home/.config/greenroom")).unwrap();
        Place { outer }
    }

    fn home(&self) -> PathBuf {
        self.outer.path().canonicalize().unwrap().join("home")
    }

    fn put(&self, path: &str, text: &str) -> &Place {
        fs::write(self.home().join(path), text).unwrap();
        self
    }

    fn gather(&self, root: &str, max_bytes: usize) -> Instructions {
        let names = ["AGENTS.md", "CLAUDE.md"].map(String::from);
        let home = self.home();
        let user = home.join(".config/greenroom");
        let wanted = Wanted {
            names: &names,
            max_bytes,
            user_folder: Some(&user),
            home: Some(&home),
        };
        gather(&home.join(root), &wanted)
    }

    /// The files below the home, and what was left out.
    fn found(&self, root: &str) -> (Vec<String>, Vec<String>) {
        let found = self.gather(root, 64 << 10);
        let home = format!("{}/", self.home().display());
        let files = found.files.iter();
        (
            files
                .map(|it| it.display().to_string().replace(&home, ""))
                .collect(),
            found
                .left_out
                .iter()
                .map(|it| it.replace(&home, ""))
                .collect(),
        )
    }
}

#[test]
fn the_users_come_first_then_from_the_top_to_the_workspace() {
    let place = Place::new();
    place
        .put(".config/greenroom/AGENTS.md", "of the user")
        .put("AGENTS.md", "above the repository")
        .put("work/AGENTS.md", "of the top")
        .put("work/CLAUDE.md", "passed over")
        .put("work/part/CLAUDE.md", "of the part");
    let found = place.gather("work/part", 64 << 10);
    let home = place.home();
    let expected = format!(
        "Instructions of the user and of the project, the most general first. Follow them; of two \
         that disagree the later counts, and what the user says in the conversation counts above \
         all.\n\n<instructions file=\"{0}/.config/greenroom/AGENTS.md\">\nof the \
         user\n</instructions>\n\n<instructions file=\"{0}/work/AGENTS.md\">\nof the \
         top\n</instructions>\n\n<instructions file=\"{0}/work/part/CLAUDE.md\">\nof the \
         part\n</instructions>",
        home.display()
    );
    assert_eq!(found.text, expected);
    assert_eq!(found.left_out, Vec::<String>::new());
}

#[test]
fn without_any_there_is_nothing_to_tell() {
    let place = Place::new();
    place.put("work/AGENTS.md", " \n");
    assert_eq!(
        place.gather("work/part/deep", 1000),
        Instructions::default()
    );
}

#[test]
fn imports_follow_the_file_that_names_them_once() {
    let place = Place::new();
    place
        .put("work/AGENTS.md", "See @part/style.md and (@other.md).\nAsk @alice, not a@b.c.\n`@code.md`\n```\n@fenced.md\n```\n@part/style.md")
        .put("work/part/style.md", "Back to @../AGENTS.md and @../third.md")
        .put("work/other.md", "other")
        .put("work/third.md", "third")
        .put("work/code.md", "code")
        .put("work/fenced.md", "fenced");
    let (files, left_out) = place.found("work");
    assert_eq!(
        files,
        [
            "work/AGENTS.md",
            "work/part/style.md",
            "work/third.md",
            "work/other.md"
        ]
    );
    assert_eq!(left_out, Vec::<String>::new());
}

/// What a workspace names goes to a provider: nothing from outside, by no link,
/// and no credentials.
#[test]
fn nothing_is_read_that_the_project_must_not_have() {
    let place = Place::new();
    place
        .put("secret.md", "of the home")
        .put("work/.env", "KEY=1")
        .put(
            "work/AGENTS.md",
            "@../secret.md @~/secret.md @/etc/hostname @.env @linked.md @part",
        );
    symlink(
        place.home().join("secret.md"),
        place.home().join("work/linked.md"),
    )
    .unwrap();
    let (files, left_out) = place.found("work");
    assert_eq!(files, ["work/AGENTS.md"]);
    assert_eq!(left_out.len(), 6, "{left_out:#?}");

    fs::remove_file(place.home().join("work/AGENTS.md")).unwrap();
    symlink(
        place.home().join("secret.md"),
        place.home().join("work/AGENTS.md"),
    )
    .unwrap();
    assert_eq!(place.found("work").0, Vec::<String>::new());

    // The user's own file may name what lies in the home.
    place.put(".config/greenroom/AGENTS.md", "@~/secret.md");
    let files = [".config/greenroom/AGENTS.md", "secret.md"];
    assert_eq!(place.found("work").0, files);
}

#[test]
fn a_pipe_is_not_waited_for_and_other_files_are_named() {
    let place = Place::new();
    let pipe = place.home().join("work/AGENTS.md");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    fs::write(place.home().join("work/part/AGENTS.md"), b"\xff\xfe").unwrap();
    let (files, left_out) = place.found("work/part");
    assert_eq!(files, Vec::<String>::new());
    assert_eq!(
        left_out,
        [
            "instructions in work/AGENTS.md are left out: it is not a regular file",
            "instructions in work/part/AGENTS.md are left out: the file is not text in UTF-8",
        ]
    );
}

#[test]
fn the_nearest_have_room_first() {
    let place = Place::new();
    place
        .put(".config/greenroom/AGENTS.md", "of the user")
        .put("work/AGENTS.md", "größer als der Platz")
        .put("work/part/AGENTS.md", "near");
    let found = place.gather("work/part", 7);
    assert!(
        found
            .text
            .contains("\ngr\n[20 bytes are left out here; read the file for them]\n"),
        "{}",
        found.text
    );
    assert!(found.text.contains("\nnear\n"));
    assert_eq!(found.files.len(), 2);
    assert_eq!(found.left_out.len(), 2);
}

#[test]
fn a_long_chain_ends() {
    let place = Place::new();
    for number in 0..10 {
        let name = match number {
            0 => "work/AGENTS.md".to_owned(),
            _ => format!("work/{number}.md"),
        };
        place.put(&name, &format!("@{}.md", number + 1));
    }
    let (files, left_out) = place.found("work");
    assert_eq!(files.len(), 6);
    assert_eq!(left_out.len(), 1);
}

#[test]
fn any_text_names_files_or_none() {
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..2_000 {
        let letters = [
            "@", "a", "/", "`", "\n", "~", " ", ".", "(", "ä", "```", "\u{2028}",
        ];
        let text: String = (0..random.usize(0..30))
            .map(|_| *random.choice(&letters).unwrap())
            .collect();
        for name in imports::named(&text) {
            assert!(!name.is_empty() && !name.contains('\n'), "{text:?}");
        }
    }
}
