//! `${NAME}` and `${NAME:-default}` in values.

use super::Variables;
use super::entry::EntryFault;
use crate::secret::Secret;

/// A value with its variables put in.
pub(super) struct Expanded {
    pub text: String,
    /// What of it came from which variable.
    pub from: Vec<(String, Secret)>,
}

/// Puts variables in. A variable that is not set (or empty) and has no default
/// is an error that names it. Values are not looked through again.
pub(super) fn expand(text: &str, variables: &Variables<'_>) -> Result<Expanded, EntryFault> {
    let mut expanded = Expanded {
        text: String::with_capacity(text.len()),
        from: Vec::new(),
    };
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((inside, behind)) = after.split_once('}') else {
            return Err("`${` has no `}`; close it".into());
        };
        let (name, default) = match inside.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inside, None),
        };
        if !is_name(name) {
            return Err(
                "`${…}` holds no name of a variable; write ${NAME} or ${NAME:-default}".into(),
            );
        }
        expanded.text.push_str(before);
        match (variables(name).filter(|it| !it.is_empty()), default) {
            (Some(value), _) => {
                expanded.text.push_str(&value);
                expanded.from.push((name.to_owned(), Secret::new(value)));
            }
            (None, Some(default)) => expanded.text.push_str(default),
            (None, None) => {
                return Err(EntryFault::Unset(format!(
                    "the variable {name} is not set; set it, or write ${{{name}:-default}}"
                )));
            }
        }
        rest = behind;
    }
    expanded.text.push_str(rest);
    Ok(expanded)
}

fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Result<String, String> {
        let variables = |name: &str| match name {
            "HOME" => Some("/h".to_owned()),
            "NESTED" => Some("${HOME}".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        };
        let expanded = expand(text, &variables);
        expanded.map(|it| it.text).map_err(|it| it.to_string())
    }

    #[test]
    fn variables_and_defaults_are_put_in_once() {
        let cases = [
            ("plain $HOME $", "plain $HOME $"),
            ("${HOME}/x${HOME}", "/h/x/h"),
            ("${NONE:-d}-${EMPTY:-e}", "d-e"),
            ("${NONE:-}", ""),
            ("${NESTED}", "${HOME}"),
        ];
        for (text, expected) in cases {
            assert_eq!(told(text).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn what_cannot_be_put_in_is_an_error_that_names_it() {
        assert_eq!(
            told("Bearer ${NONE}"),
            Err("the variable NONE is not set; set it, or write ${NONE:-default}".into())
        );
        assert_eq!(told("${HOME"), Err("`${` has no `}`; close it".into()));
        for text in ["${}", "${1A}", "${A B}", "${A-b}"] {
            assert!(told(text).unwrap_err().contains("no name of a variable"));
        }
    }
}
