//! What is swapped between the plan and the write.

use serde_json::json;

use crate::tool::testing::Bench;

/// The same text lies where the link leads, so that only the link is in the way.
#[tokio::test]
async fn a_link_put_in_the_way_after_the_plan_is_not_written_through() {
    for swapped in ["sub", "sub/f"] {
        let bench = Bench::new();
        bench.put("sub/f", "old");
        std::fs::create_dir(bench.outside().join("out")).unwrap();
        let outside = bench.outside().join("out/f");
        std::fs::write(&outside, "old").unwrap();
        let input = json!({"path": "sub/f", "edits": [{"old": "old", "new": "new"}]});
        let planned = bench.plan("edit_file", input).await.unwrap();
        let spot = bench.root().join(swapped);
        std::fs::rename(&spot, bench.root().join("aside")).unwrap();
        let target = match swapped {
            "sub" => bench.outside().join("out"),
            _ => outside.clone(),
        };
        std::os::unix::fs::symlink(target, &spot).unwrap();
        let ran = bench.run_planned(planned, None).await;
        assert!(ran.failed && ran.changed.is_empty());
        assert!(ran.text.contains("leads elsewhere"), "{}", ran.text);
        assert_eq!(std::fs::read_to_string(&outside).unwrap(), "old");
    }
}
