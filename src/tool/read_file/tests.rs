use std::io::Write;

use greenroom_actors::ports::{Ran, Touch};
use greenroom_protocol::session::{Image, ImageFormat};
use serde_json::json;

use super::super::ToolSettings;
use super::super::call::{done, failed};
use super::super::testing::Bench;

fn small() -> Bench {
    Bench::with(ToolSettings {
        read_bytes: 50,
        read_lines: 4,
        line_bytes: 10,
        image_bytes: 20,
        edit_bytes: 200,
        ..ToolSettings::default()
    })
}

fn cut(text: &str) -> Ran {
    Ran {
        truncated: true,
        ..done(text)
    }
}

#[tokio::test]
async fn gives_a_whole_file_as_it_is() {
    let bench = small();
    for content in ["one\ntwo\n", "one\ntwo", "\n\n", "é"] {
        bench.put("f", content);
        assert_eq!(
            bench.call("read_file", json!({"path": "f"})).await,
            done(content)
        );
    }
    bench.put("f", "");
    assert_eq!(
        bench.call("read_file", json!({"path": "f"})).await,
        done("f is empty")
    );
}

#[tokio::test]
async fn plans_what_it_touches() {
    let bench = small();
    let planned = bench
        .plan("read_file", json!({"path": "a/../b", "offset": 3}))
        .await
        .unwrap();
    let touch = Touch {
        path: bench.root().join("b"),
        named: bench.root().join("b"),
        write: false,
        inside: true,
    };
    assert_eq!((&*planned.summary, planned.touches), ("b:3-", vec![touch]));
    let outside = bench.outside().join("x").display().to_string();
    let planned = bench
        .plan("read_file", json!({"path": outside, "limit": 2}))
        .await
        .unwrap();
    assert_eq!(*planned.summary, *format!("{outside}:1-2"));
    assert!(!planned.touches[0].inside);
}

#[tokio::test]
async fn says_which_lines_it_gives() {
    let bench = small();
    bench.put("f", "1\n2\n3\n4\n5\n6\n");
    let read = async |input| bench.call("read_file", input).await;
    assert_eq!(
        read(json!({"path": "f"})).await,
        cut("[lines 1-4 of 6; read on with offset 5]\n1\n2\n3\n4\n")
    );
    assert_eq!(
        read(json!({"path": "f", "offset": 5})).await,
        done("[lines 5-6 of 6]\n5\n6\n")
    );
    assert_eq!(
        read(json!({"path": "f", "offset": 2, "limit": 1})).await,
        cut("[lines 2-2 of 6; read on with offset 3]\n2\n")
    );
    assert_eq!(
        read(json!({"path": "f", "offset": 7})).await,
        failed("f has 6 lines: `offset` 7 is past its end")
    );
}

#[tokio::test]
async fn cuts_long_lines_and_long_texts_at_characters() {
    let bench = small();
    bench.put("f", "éééééé\nx\n");
    assert_eq!(
        bench.call("read_file", json!({"path": "f"})).await,
        cut("ééééé [… 2 bytes more in this line]\nx\n")
    );
    // The first line fits in any case; 50 bytes don't hold the second.
    bench.put("f", format!("{}\nyyyyyyyyy\nz\n", "x".repeat(11)));
    let text = format!(
        "[lines 1-1 of 3; read on with offset 2]\n{} [… 1 bytes more in this line]\n",
        "x".repeat(10)
    );
    assert_eq!(
        bench.call("read_file", json!({"path": "f"})).await,
        cut(&text)
    );
}

#[tokio::test]
async fn files_too_large_to_edit_are_read_in_parts() {
    let bench = small();
    let mut file = std::fs::File::create(bench.root().join("f")).unwrap();
    for number in 1..=1_000 {
        writeln!(file, "{number}").unwrap();
    }
    let input = json!({"path": "f", "offset": 500, "limit": 2});
    assert_eq!(
        bench.call("read_file", input).await,
        cut(
            "[lines 500-501 of a file of 3893 bytes, too large to count its lines; \
             read on with offset 502]\n500\n501\n"
        )
    );
    let input = json!({"path": "f", "offset": 999});
    assert_eq!(
        bench.call("read_file", input).await,
        done("[lines 999-1000 of 1000]\n999\n1000\n")
    );
}

#[tokio::test]
async fn says_what_is_no_plain_text() {
    let bench = small();
    bench.put("bin", b"a\0b");
    bench.put("latin", b"caf\xe9\n");
    bench.put("dos", "a\r\nb\r\n");
    bench.put("sub/readme.md", "x");
    let read = async |path: &str| bench.call("read_file", json!({ "path": path })).await;
    assert_eq!(
        read("bin").await,
        failed("bin is a binary file of 3 bytes: it is not shown")
    );
    assert_eq!(
        read("latin").await,
        done(
            "[not UTF-8: what cannot be read is shown as U+FFFD, and edits are refused]\ncaf\u{fffd}\n"
        )
    );
    assert_eq!(read("dos").await, done("[lines end in CRLF]\na\nb\n"));
    assert_eq!(read("sub").await, failed("sub is a folder: use list_files"));
    assert_eq!(
        read("sub/README.md").await,
        failed("sub/README.md does not exist; in the same folder is `readme.md`")
    );
    assert_eq!(
        read("~/x").await,
        failed("~/x does not exist: `~` is not expanded, give the whole path")
    );
    assert_eq!(
        read("/dev/zero").await,
        failed("/dev/zero is a device, not a regular file")
    );
}

#[tokio::test]
async fn gives_pictures_by_their_bytes() {
    let bench = small();
    let png = b"\x89PNG\r\n\x1a\n1234567";
    bench.put("p.txt", png);
    let expected = Ran {
        images: vec![Image {
            format: ImageFormat::Png,
            bytes: png[..].into(),
        }],
        ..done("p.txt: image/png, 15 bytes")
    };
    assert_eq!(
        bench.call("read_file", json!({"path": "p.txt"})).await,
        expected
    );
    bench.put("p.txt", [&png[..], b"1234567890"].concat());
    assert_eq!(
        bench.call("read_file", json!({"path": "p.txt"})).await,
        failed("p.txt is a picture of 25 bytes: more than 20 are not shown; make a smaller copy")
    );
}

/// What was judged is what is read, or nothing.
#[tokio::test]
async fn a_link_put_in_the_way_after_the_plan_is_not_read_through() {
    for swapped in ["sub", "sub/f"] {
        let bench = small();
        bench.put("sub/f", "harmless");
        std::fs::create_dir(bench.outside().join("out")).unwrap();
        std::fs::write(bench.outside().join("out/f"), "secret").unwrap();
        let input = json!({"path": "sub/f"});
        let planned = bench.plan("read_file", input).await.unwrap();
        let spot = bench.root().join(swapped);
        std::fs::rename(&spot, bench.root().join("aside")).unwrap();
        let target = bench.outside().join("out").join(match swapped {
            "sub" => "",
            _ => "f",
        });
        std::os::unix::fs::symlink(target, &spot).unwrap();
        let ran = bench.run_planned(planned, None).await;
        assert!(ran.failed && !ran.text.contains("secret"), "{}", ran.text);
        assert!(ran.text.contains("leads elsewhere"), "{}", ran.text);
    }
}
