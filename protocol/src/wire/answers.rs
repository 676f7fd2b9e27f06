//! Answers to questions in a command.

use super::{Object, Unfit};
use crate::session::Answer;

/// More answers in one command than this are refused.
const MOST_ANSWERS: usize = 100;

/// The answers of `answers`, a list of objects with these two names: the first
/// is that of the question's id, the second that of the text. Without such a
/// list, the text `single` is the answer to the first question.
pub fn read_answers(
    fields: &Object<'_>,
    single: &str,
    names: &'static [&'static str; 2],
) -> Result<Vec<Answer>, Unfit> {
    let Some(entries) = fields.objects("answers", MOST_ANSWERS, names)? else {
        return Ok(vec![Answer {
            question: None,
            text: Some(fields.need_text(single)?),
        }]);
    };
    let [question, text] = names;
    let mut answers = Vec::with_capacity(entries.len());
    for entry in &entries {
        answers.push(Answer {
            question: entry.text(question)?,
            text: entry.text(text)?,
        });
    }
    Ok(answers)
}
