use std::os::unix::fs::symlink;

use super::*;

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        let outer = tempfile::tempdir().unwrap();
        fs::create_dir_all(outer.path().join("work/.git")).unwrap();
        fs::create_dir_all(outer.path().join("work/part")).unwrap();
        Place(outer)
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(path)
    }

    fn put(&self, path: &str, text: &str) -> &Place {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    fn skill(&self, folder: &str, name: &str, description: &str) -> &Place {
        let text = format!("---\nname: {name}\ndescription: {description}\n---\n\nDo it well.\n");
        self.put(&format!("{folder}/{name}/SKILL.md"), &text)
    }

    fn find(&self) -> Found {
        find(&self.at("work/part"), &[self.at("user")])
    }
}

#[test]
fn the_projects_and_the_users_are_found_and_the_nearest_counts() {
    let place = Place::new();
    place
        .skill("work/part/.greenroom/skills", "release", "near")
        .skill("work/.claude/skills", "release", "far")
        .skill("work/.agents/skills", "review", "Reviews\n  changes.")
        .skill("user", "charts", "Draws charts.")
        .put("user/notes/README.md", "no skill");
    let found = place.find();
    let told = "Skills are instructions for certain tasks. Before you begin with a task that one of \
                these describes, load it with the tool skill and follow it:\n- charts: Draws \
                charts.\n- release: near\n- review: Reviews changes.";
    assert_eq!(found.told().as_deref(), Some(told));
    assert_eq!(found.left_out, Vec::<String>::new());
    assert_eq!(Place::new().find(), Found::default());
    assert_eq!(Found::default().told(), None);
}

#[test]
fn a_skill_gives_its_body_and_its_files_and_nothing_beside_them() {
    let place = Place::new();
    place
        .skill("work/.greenroom/skills", "release", "x")
        .put("work/.greenroom/skills/release/scripts/tag.sh", "git tag")
        .put("work/.greenroom/skills/release/notes.md", "notes")
        .put("work/secret", "secret");
    let folder = place.at("work/.greenroom/skills/release");
    symlink(place.at("work/secret"), folder.join("linked")).unwrap();
    let found = place.find();
    let skill = found.named("release").unwrap();
    assert_eq!(skill.body().unwrap(), "Do it well.");
    assert_eq!(skill.files(), ["notes.md", "scripts/tag.sh"]);
    assert_eq!(skill.read("scripts/tag.sh").unwrap(), "git tag");
    for wrong in [
        "../../../secret",
        "linked",
        "/etc/hostname",
        "scripts",
        "missing",
    ] {
        assert!(skill.read(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn what_is_no_skill_says_why() {
    let place = Place::new();
    place
        .skill("outside", "far", "x")
        .put("user/a/SKILL.md", "no head")
        .put("user/b/SKILL.md", "---\nname: c\ndescription: x\n---\n")
        .put("user/d/SKILL.md", "---\nname: d\n---\n")
        .put("user/e/SKILL.md", "---\nname: e\ndescription: ' '\n---\n")
        .put("user/F/SKILL.md", "---\nname: F\ndescription: x\n---\n")
        .put("user/g/SKILL.md", "---\nname: g\ndescription: x\n");
    fs::create_dir_all(place.at("work/.claude/skills")).unwrap();
    symlink(place.at("outside/far"), place.at("work/.claude/skills/far")).unwrap();
    let found = place.find();
    assert_eq!(found.skills, []);
    assert_eq!(found.left_out.len(), 7, "{:#?}", found.left_out);
    assert!(
        found.left_out[0]
            .ends_with("/work/.claude/skills/far is left out: it lies outside of the project")
    );
}

#[test]
fn any_text_has_a_head_or_not() {
    let mut random = fastrand::Rng::with_seed(2);
    for _ in 0..2_000 {
        let pieces = [
            "---",
            "\n",
            "name: a",
            "description: b",
            ":",
            "\u{feff}",
            "ä",
            "- ",
            "\r\n",
        ];
        let text: String = (0..random.usize(0..12))
            .map(|_| *random.choice(&pieces).unwrap())
            .collect();
        let _ = head::read(&text);
        assert!(head::body(&text).len() <= text.len());
    }
}
