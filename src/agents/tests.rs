use std::fs;

use expect_test::expect;
use greenroom_actors::subagents::AgentLimits;
use greenroom_protocol::session::{Cost, ModelChange};

use super::*;

fn put(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn definitions_are_found_and_the_nearest_of_a_name_counts() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    let (root, user) = (top.join("repo/part"), top.join("user"));
    fs::create_dir_all(top.join("repo/.git")).unwrap();
    fs::create_dir_all(&root).unwrap();
    put(
        &root,
        ".greenroom/agents/reviewer.md",
        "---\ndescription: Reviews.\ntools: [read_file, search]\nmode: plan\nmodel: big\n\
         provider: house\nmax_steps: 9\nmax_tokens: 5000\nmax_cost_usd: 0.5\nmax_seconds: 60\n---\n\
         \nBe strict.\n",
    );
    put(
        &top.join("repo"),
        ".claude/agents/reviewer.md",
        "---\nname: reviewer\ndescription: Another.\n---\n",
    );
    put(
        &top.join("repo"),
        ".claude/agents/writer.md",
        "---\nname: doc-writer\ndescription: >\n  Writes\n  pages.\ntools: Read, Write, Bash\n\
         model: sonnet\npermissionMode: acceptEdits\ncolor: red\n---\nWrite.\n",
    );
    put(
        &user,
        "general.md",
        "---\ndescription: Mine.\n---\nAs I like it.\n",
    );
    let found = find(&root, &[user], &Modes::default());

    let names: Vec<&str> = found.specs.iter().map(|spec| &*spec.name).collect();
    assert_eq!(names, ["doc-writer", "explore", "general", "reviewer"]);
    let reviewer = AgentSpec {
        name: "reviewer".into(),
        description: "Reviews.".into(),
        system: "Be strict.".into(),
        tools: Some(vec!["read_file".into(), "search".into()]),
        mode: Some(greenroom_protocol::session::Mode::Plan),
        model: ModelChange {
            provider: Some("house".into()),
            model: Some("big".into()),
            effort: None,
        },
        limits: AgentLimits {
            steps: Some(9),
            tokens: Some(5000),
            cost: Some(Cost(500_000)),
            time: Some(std::time::Duration::from_secs(60)),
        },
    };
    assert_eq!(found.specs[3], reviewer);
    assert_eq!(
        found.specs[0].tools.as_deref().unwrap(),
        ["read_file".into(), "write_file".into(), "shell".into()]
    );
    assert_eq!(&*found.specs[2].description, "Mine.");
    expect![[r#"
        Parts of the work that can be described in full, and whose course you need not see, can be given to sub-agents with the tool task, several at once. There are:
        - doc-writer: Writes pages.
        - explore: Reads and searches only, and changes nothing. For finding things out in many files.
        - general: Mine.
        - reviewer: Reviews."#]]
    .assert_eq(&found.told().unwrap());
    let at = top.display().to_string();
    let left_out: Vec<String> = found
        .left_out
        .iter()
        .map(|it| it.replace(&at, "@"))
        .collect();
    assert_eq!(
        left_out,
        [
            "the agent in @/repo/.claude/agents/writer.md: model: \"sonnet\" is no model's id, so its starter's is used"
        ]
    );
}

#[test]
fn what_can_not_be_used_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let put = |name: &str, text: &str| put(&root, &format!(".greenroom/agents/{name}.md"), text);
    put("a", "no head");
    put("b", "---\nname: b c\ndescription: x\n---\n");
    put("c", "---\nname: c\n---\n");
    put("d", "---\ndescription: x\nmode: wild\n---\n");
    put("e", "---\ndescription: x\nmax_steps: 0\n---\n");
    put("f", "---\ndescription: x\nmax_cost_usd: -1\n---\n");
    put("g", "---\ndescription: [\n---\n");
    put("h", &"x".repeat(300 << 10));
    std::os::unix::fs::symlink("/etc/passwd", root.join(".greenroom/agents/i.md")).unwrap();
    let found = find(&root, &[], &Modes::default());
    assert_eq!(
        found.specs,
        shipped::specs().into_iter().rev().collect::<Vec<_>>()
    );
    let at = root.display().to_string();
    let told: Vec<String> = found
        .left_out
        .iter()
        .map(|it| it.replace(&at, "@"))
        .collect();
    expect![[r#"
        the agent in @/.greenroom/agents/a.md: it is left out: it does not begin with front matter between two lines of ---
        the agent in @/.greenroom/agents/b.md: it is left out: name: it may have up to 64 letters, digits, - and _
        the agent in @/.greenroom/agents/c.md: it is left out: description: it must say in 1 to 2048 characters when to use the agent
        the agent in @/.greenroom/agents/d.md: it is left out: mode: there is no mode "wild"; there are plan, ask, auto, full
        the agent in @/.greenroom/agents/e.md: it is left out: max_steps: it must be at least 1
        the agent in @/.greenroom/agents/f.md: it is left out: max_cost_usd: it must be an amount of dollars above 0
        the agent in @/.greenroom/agents/g.md: it is left out: its front matter: description: invalid type: sequence, expected a string at line 1 column 14
        the agent in @/.greenroom/agents/h.md: it is left out: it is longer than 256 KiB
        the agent in @/.greenroom/agents/i.md: it is left out: it lies outside of the project
    "#]]
    .assert_eq(&(told.join("\n") + "\n"));
}
