//! Values of a rule's keys, as they stand in the file.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};

use super::super::matching::{ShellPattern, Token};
use super::super::shell::{self, Dialect};

/// One text or a list of at least one.
#[derive(Debug, Clone)]
pub(super) struct Texts(pub Vec<String>);

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Texts, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Texts;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a list of texts")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Texts, E> {
                Ok(Texts(vec![text.to_owned()]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Texts, A::Error> {
                let mut texts: Vec<String> = Vec::new();
                while let Some(text) = list.next_element()? {
                    texts.push(text);
                }
                match texts.is_empty() {
                    true => Err(de::Error::custom(
                        "the list is empty; fill it or leave the key out",
                    )),
                    false => Ok(Texts(texts)),
                }
            }
        }
        from.deserialize_any(Reader)
    }
}

/// A list of entries, each one text or alternatives; one text is a list of one.
#[derive(Debug, Clone, Default)]
struct Entries(Vec<Vec<String>>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Entries, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Entries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list whose entries are texts or lists of alternatives")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Entries, E> {
                Ok(Entries(vec![vec![text.to_owned()]]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Entries, A::Error> {
                let mut entries = Vec::new();
                while let Some(Texts(entry)) = list.next_element()? {
                    entries.push(entry);
                }
                match entries.is_empty() {
                    true => Err(de::Error::custom(
                        "the list is empty; fill it or leave the key out",
                    )),
                    false => Ok(Entries(entries)),
                }
            }
        }
        from.deserialize_any(Reader)
    }
}

/// How a command begins: a line that is split like a shell, or its tokens.
#[derive(Debug, Clone)]
struct Head(Vec<Token>);

impl<'de> Deserialize<'de> for Head {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Head, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Head;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a command as one text, or a list of its words")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Head, E> {
                split(text).map(Head).map_err(E::custom)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Head, A::Error> {
                let mut tokens = Vec::new();
                while let Some(Texts(words)) = list.next_element()? {
                    tokens.push(token(words));
                }
                checked(tokens).map(Head).map_err(de::Error::custom)
            }
        }
        from.deserialize_any(Reader)
    }
}

/// A `shell` value.
#[derive(Debug, Clone)]
pub(super) struct Command(pub ShellPattern);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Detailed {
    cmd: Head,
    #[serde(default)]
    has: Entries,
    #[serde(default)]
    not: Entries,
    #[serde(default)]
    exact: bool,
    args: Option<Args>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Args {
    Inside,
}

impl<'de> Deserialize<'de> for Command {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Command, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Command;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "`any`, a command, a list of its words, or {cmd, has, not, exact, args}",
                )
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Command, E> {
                if text == "any" {
                    return Ok(Command(ShellPattern {
                        any: true,
                        ..ShellPattern::default()
                    }));
                }
                let head = split(text).map_err(E::custom)?;
                Ok(Command(ShellPattern {
                    head,
                    ..ShellPattern::default()
                }))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Command, A::Error> {
                let Head(head) = Head::deserialize(de::value::SeqAccessDeserializer::new(list))?;
                Ok(Command(ShellPattern {
                    head,
                    ..ShellPattern::default()
                }))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Command, A::Error> {
                let it = Detailed::deserialize(de::value::MapAccessDeserializer::new(map))?;
                Ok(Command(ShellPattern {
                    any: false,
                    head: it.cmd.0,
                    has: it.has.0,
                    not: it.not.0.into_iter().flatten().collect(),
                    exact: it.exact,
                    inside: it.args.is_some(),
                }))
            }
        }
        from.deserialize_any(Reader)
    }
}

/// Splits a command as a shell does.
fn split(text: &str) -> Result<Vec<Token>, String> {
    let plain = "must be one plain command without variables, pipes or redirections; \
                 write it as a list of words otherwise";
    // `*` stands for one word here, so the words are read as they are.
    let commands =
        shell::read(text, Dialect::Bash).map_err(|why| format!("{text:?} {plain} ({})", why.0))?;
    let [command] = commands.as_slice() else {
        return Err(format!("{text:?} {plain}"));
    };
    if !command.assignments.is_empty() || !command.redirects.is_empty() {
        return Err(format!("{text:?} {plain}"));
    }
    let words = command
        .argv
        .iter()
        .map(|word| token(vec![word.text.clone()]));
    checked(words.collect()).map_err(str::to_owned)
}

fn token(words: Vec<String>) -> Token {
    match words.as_slice() {
        [one] if one == "*" => Token::One,
        [one] if one == "..." => Token::Rest,
        _ => Token::Words(words),
    }
}

fn checked(tokens: Vec<Token>) -> Result<Vec<Token>, &'static str> {
    match tokens.first() {
        None => Err("the command is empty; `any` stands for every command"),
        Some(Token::Rest) => {
            Err("a command cannot begin with `...`; `any` stands for every command")
        }
        Some(_) => Ok(tokens),
    }
}
