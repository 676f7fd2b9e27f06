//! The user's own additions to the catalogue: `models.yaml` beside the user's
//! configuration, in the form of `config/models.yaml`.
//!
//! Pure: who reads the file hands its text over. An entry takes the place of the
//! built-in one of the same id.

use std::collections::HashSet;

use super::Entry;

/// Reads the text of such a file. `file` is its name for errors, which name the
/// key and the remedy too.
pub fn read(text: &str, file: &str) -> Result<Vec<Entry>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let entries: Option<Vec<Entry>> = serde_yaml::from_str(text).map_err(|error| {
        format!("{file}: {error}; write entries as in config/models.yaml, or take it away")
    })?;
    let entries = entries.unwrap_or_default();
    let mut seen = HashSet::new();
    for (number, entry) in entries.iter().enumerate() {
        let wrong = |key: &str, what: &str| Err(format!("{file}: [{number}].{key}: {what}"));
        let id = entry.id.as_str();
        if id.is_empty() || id == "*" || id.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return wrong("id", "write the model's id, without blanks");
        }
        if !seen.insert(id) {
            return wrong(
                "id",
                &format!("{id:?} stands there twice; keep one of them"),
            );
        }
        if entry.context == 0 {
            return wrong("context", "write how many tokens fit, such as 200000");
        }
        if entry.output == 0 || entry.output > entry.context {
            return wrong(
                "output",
                "write the longest answer in tokens, at most as many as context",
            );
        }
        if let Some(word) = entry.efforts.iter().find(|word| !super::is_effort(word)) {
            let known = "none, minimal, low, medium, high, xhigh, max";
            return wrong(
                "efforts",
                &format!("{word:?} is no effort; there are {known}"),
            );
        }
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn entries_are_read_and_an_empty_file_has_none() {
        let yaml = "- id: house-large\n  context: 64000\n  efforts: [low, high]\n  price: {input: 1, output: 2, read: 0, write: 0}\n";
        let entries = read(yaml, "f").unwrap();
        assert_eq!(
            (entries[0].id.as_str(), entries[0].context),
            ("house-large", 64_000)
        );
        assert_eq!(read("# nothing\n", "f"), Ok(Vec::new()));
    }

    #[test]
    fn errors_name_file_key_and_remedy() {
        let wrong = [
            "- context: 1\n",
            "- {id: x}\n",
            "- {id: x, contxt: 1}\n",
            "- {id: x, context: many}\n",
            "- {id: '', context: 64000}\n",
            "- {id: '*', context: 64000}\n",
            "- {id: x, context: 64000}\n- {id: x, context: 64000}\n",
            "- {id: x, context: 0}\n",
            "- {id: x, context: 10, output: 11}\n",
            "- {id: x, context: 64000, efforts: [hard]}\n",
            "x: 1\n",
        ];
        let shown: String = wrong
            .map(|yaml| format!("{}\n", read(yaml, "models.yaml").unwrap_err()))
            .concat();
        expect![[r#"
            models.yaml: .[0]: missing field `id` at line 1 column 3; write entries as in config/models.yaml, or take it away
            models.yaml: .[0]: missing field `context` at line 1 column 3; write entries as in config/models.yaml, or take it away
            models.yaml: .[0]: unknown field `contxt`, expected one of `id`, `context`, `output`, `images`, `efforts`, `thinking`, `tools`, `price`, `long` at line 1 column 11; write entries as in config/models.yaml, or take it away
            models.yaml: .[0].context: invalid type: string "many", expected u64 at line 1 column 20; write entries as in config/models.yaml, or take it away
            models.yaml: [0].id: write the model's id, without blanks
            models.yaml: [0].id: write the model's id, without blanks
            models.yaml: [1].id: "x" stands there twice; keep one of them
            models.yaml: [0].context: write how many tokens fit, such as 200000
            models.yaml: [0].output: write the longest answer in tokens, at most as many as context
            models.yaml: [0].efforts: "hard" is no effort; there are none, minimal, low, medium, high, xhigh, max
            models.yaml: invalid type: map, expected a sequence; write entries as in config/models.yaml, or take it away
        "#]].assert_eq(&shown);
    }
}
