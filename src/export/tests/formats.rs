use expect_test::expect;
use greenroom_protocol::session::ExportFormat;

use super::{story, told};

#[test]
fn markdown_is_readable() {
    let (page, entries, _) = told(&story(""), "S1", ExportFormat::Markdown, true);
    assert_eq!(entries, 5);
    expect![[r##"
        # Mend &lt;it>

        - Session: `S1`
        - Workspace: `/w`
        - Mode: auto
        - Model: house large
        - From 2026-11-06 12:00:01 to 2026-11-06 12:00:14 (UTC)
        - Turns: 1, $0.0127

        ## User #1 <small>2026-11-06 12:00:03</small>

        > # Mend it
        > ```` 

        ## Assistant #2, another branch <small>2026-11-06 12:00:04</small>

        Thinking:


        > Hm.

        > I *look*. 

        ## Tools #3, another branch <small>2026-11-06 12:00:10</small>

        ### shell `ls`

        ```json
        {"command":"ls "}
        ```

        Ruled: ask by mode auto

        Allowed by a client: a.txt

        modified `a.txt`

        ```diff
        @@ -1 +1 @@
        -old
        +a.txt 
        ```

        done, exit code 0, 1.2 s:

        ```
        a.txt 
        ```

        ## Assistant #4, another branch <small>2026-11-06 12:00:11</small>

        Thinking:


        > Hm.

        > Done.

        *completed; 2 steps, 1 min 2 s, $0.0127*

        ## Assistant #5 <small>2026-11-06 12:00:14</small>

        *Goes on from #1.*

        Thinking:


        > Hm.

        > Otherwise.

        ---

        5 entries; taken out: nothing
    "##]]
    .assert_eq(&page);
}

#[test]
fn json_lines_tell_the_tree() {
    let (lines, ..) = told(&story(""), "S1", ExportFormat::JsonLines, true);
    expect![[r##"
        {"type":"session","v":1,"id":"S1","title":"Mend <it> ","root":"/w","mode":"auto","model":{"provider":"house","model":"large","effort":null},"created":"2026-11-06 12:00:01","updated":"2026-11-06 12:00:14","turns":1,"usage":{"input":10,"output":0,"cache_read":0,"cache_write":0,"cost":0.0127,"cost_unknown":false},"all_branches":true,"images":0,"sessions":[{"id":"S1","fork_of":null,"entry":null}]}
        {"type":"entry","id":"1","parent":null,"on_path":true,"time":"2026-11-06 12:00:03","role":"user","source":"prompt","content":[{"text":"# Mend it\n```` "}]}
        {"type":"entry","id":"2","parent":"1","on_path":false,"time":"2026-11-06 12:00:04","role":"assistant","text":"I *look*. ","thinking":"Hm.","calls":[{"id":"c1","tool":"shell","input":{}}],"model":null}
        {"type":"entry","id":"3","parent":"2","on_path":false,"time":"2026-11-06 12:00:10","role":"tool","results":[{"call":"c1","tool":"shell","summary":"ls ","input":{"command":"ls "},"ruling":"ask","rule":"mode auto","allowed":true,"settled_by":"a client","scope":"once","note":"a.txt ","amended":false,"changes":[{"path":"a.txt ","kind":"modified","diff":"@@ -1 +1 @@\n-old\n+a.txt \n"}],"end":"done","text":"a.txt ","images":[],"exit_code":0,"truncated":false,"duration_ms":1250}]}
        {"type":"entry","id":"4","parent":"3","on_path":false,"time":"2026-11-06 12:00:11","role":"assistant","text":"Done.","thinking":"Hm.","calls":[],"model":null}
        {"type":"turn_end","outcome":"completed","steps":2,"usage":{"input":10,"output":0,"cache_read":0,"cache_write":0,"cost":0.0127,"cost_unknown":false},"duration_ms":62000}
        {"type":"entry","id":"5","parent":"1","on_path":true,"time":"2026-11-06 12:00:14","role":"assistant","text":"Otherwise.","thinking":"Hm.","calls":[],"model":null}
        {"type":"end","entries":5,"redacted":[]}
    "##]].assert_eq(&lines);
}

#[test]
fn a_page_tells_entries_with_their_parents() {
    let (page, ..) = told(&story(""), "S1", ExportFormat::Html, true);
    let main = page.split_once("<main>").unwrap().1;
    let main = main.split_once("</main>").unwrap().0;
    expect![[r##"

        <article class="user" id="e1" data-id="1" data-parent="" data-path="yes">
        <header><strong>User</strong><a class="tail" href="#e1">#1</a><time>2026-11-06 12:00:03</time></header>
        <div class="text"><h3>Mend it</h3><pre><code></code></pre></div>
        </article>
        <article class="assistant" id="e2" data-id="2" data-parent="1" data-path="no">
        <header><strong>Assistant</strong><a class="tail" href="#e2">#2</a><time>2026-11-06 12:00:04</time></header>
        <details class="call"><summary>Thinking</summary><div class="text"><p>Hm.</p></div>
        </details>
        <div class="text"><p>I <em>look</em>.</p></div>
        </article>
        <article class="tools" id="e3" data-id="3" data-parent="2" data-path="no">
        <header><strong>Tools</strong><a class="tail" href="#e3">#3</a><time>2026-11-06 12:00:10</time></header>
        <details class="call"><summary><strong>shell</strong><code>ls </code><span class="facts">done · exit 0 · 1 changed · 1.2 s</span></summary>
        <p class="label">Input</p>
        <pre>{&quot;command&quot;:&quot;ls &quot;}</pre>
        <p class="label">Ruled: ask by mode auto</p>
        <p class="label">Allowed by a client: a.txt </p>
        <p class="label">modified <code>a.txt </code></p>
        <pre class="diff"><span class="hunk">@@ -1 +1 @@</span><span class="del">-old</span><span class="add">+a.txt </span></pre>
        <p class="label">Result</p>
        <pre>a.txt </pre>
        </details>
        </article>
        <article class="assistant" id="e4" data-id="4" data-parent="3" data-path="no">
        <header><strong>Assistant</strong><a class="tail" href="#e4">#4</a><time>2026-11-06 12:00:11</time></header>
        <details class="call"><summary>Thinking</summary><div class="text"><p>Hm.</p></div>
        </details>
        <div class="text"><p>Done.</p></div>
        </article>
        <p class="turn">completed · 2 steps · 1 min 2 s · $0.0127</p>
        <article class="assistant" id="e5" data-id="5" data-parent="1" data-path="yes">
        <header><strong>Assistant</strong><a class="tail" href="#e5">#5</a><time>2026-11-06 12:00:14</time></header>
        <p class="from">Goes on from <a href="#e1">#1</a></p>
        <details class="call"><summary>Thinking</summary><div class="text"><p>Hm.</p></div>
        </details>
        <div class="text"><p>Otherwise.</p></div>
        </article>
    "##]].assert_eq(main);
}

/// Planted in every text there is, a secret is in no format.
#[test]
fn no_secret_stays_in_any_format() {
    let secret = format!("ghp_{}", "aB3".repeat(13));
    for format in ExportFormat::ALL {
        let (page, _, redacted) = told(&story(&secret), "S1", format, true);
        assert!(!page.contains("aB3aB3"), "{page}");
        // Prompt, answer, summary and input, result, note, path and diff.
        assert_eq!(redacted, ["8 github token"], "{format:?}");
    }
}

#[test]
fn what_a_transcript_holds_is_no_markup() {
    let hostile = "</script><script>alert(1)</script><img src=x onerror=alert(1)> \
                   [a](javascript:alert(1)) ![p](https://evil.example/p.png) \
                   [b](data:text/html,x) <style>*{display:none}</style> \u{202e}abc\u{0} \
                   ' onmouseover=\"alert(1)\" `<b>`\n\n<iframe src=//evil.example></iframe>\n";
    let (page, ..) = told(&story(hostile), "S1", ExportFormat::Html, true);
    let inert = [
        "<script>alert",
        "<img src=x",
        "href=\"javascript:",
        "href=\"data:",
        "<iframe",
        "<style>*",
        "\u{202e}",
        "\u{0}",
        "src=\"http",
        "onmouseover=\"",
        "<b>",
    ];
    for markup in inert {
        assert!(!page.contains(markup), "{markup}");
    }
    assert_eq!(page.matches("<script>").count(), 1);
    assert_eq!(page.matches("<style>").count(), 1);
    // What the policy allows is what stands there.
    let hash = |text: &str| {
        use base64::Engine;
        let digest = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
        base64::engine::general_purpose::STANDARD.encode(digest)
    };
    let inside = |tag: &str| {
        let from = page.split_once(&format!("<{tag}>")).unwrap().1;
        from.split_once(&format!("</{tag}>")).unwrap().0
    };
    for tag in ["style", "script"] {
        assert!(page.contains(&format!("{tag}-src 'sha256-{}'", hash(inside(tag)))));
    }
    let policy = "default-src 'none'";
    assert!(page.find(policy).unwrap() < page.find("<style>").unwrap());
}
