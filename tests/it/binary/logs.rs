//! What standard error holds.

use std::fs;

use serde_json::json;

use crate::support::Host;
use crate::support::Stage;

const SCRIPT: &str = r#"
turns:
  - when: {contains: "look"}
    steps:
      - call: [{tool: shell, input: {command: "ls"}}]
      - say: "Seen."
"#;

/// A secret of the environment that stands in a file, whose fault is logged.
#[test]
fn known_secrets_stay_out_of_logs() {
    for format in ["text", "json"] {
        let flags = ["--log", "info", "--log-format", format];
        let stage = Stage::playing(SCRIPT).config("{}").flags(&flags);
        let file = stage.path("home/.config/greenroom/guard.yaml");
        fs::write(&file, "version: 1\n").unwrap();
        let mut command = stage.command();
        command.env("HOUSE_TOKEN", "sesame-sesame-7");
        let mut host = Host::spawn(command, stage.wire());
        host.next();
        fs::write(&file, "version: 1\nsesame-sesame-7: []\n").unwrap();
        host.send(json!({"id": "1", "type": "prompt", "text": "look"}));
        host.wait_type("turn_end");
        let ended = host.finish();
        let errors = &ended.stderr;
        assert!(errors.contains("the guard's rules are broken"), "{errors}");
        assert!(errors.contains("[redacted: known secret]"), "{errors}");
        assert!(!errors.contains("sesame"), "{errors}");
    }
}
