//! A server's question to a person (`elicitation/create`): its form becomes
//! questions, and answers become what the form asks for.

use std::sync::Arc;

use greenroom_actors::ports::Work;
use greenroom_protocol::session::{Answer, Choice, Question, Text};
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use serde_json::{Map, Number, Value};

/// Puts questions to whoever is there. Nothing means that nobody answers.
/// Dropping the work takes the questions back.
pub type Ask = Arc<dyn Fn(Vec<Question>) -> Work<Option<Vec<Answer>>> + Send + Sync>;

/// As many questions of one form are put.
const MOST_QUESTIONS: usize = 16;
/// As many choices of one question.
const MOST_CHOICES: usize = 100;
/// The longest text of a question, in bytes.
const LONGEST: usize = 4 << 10;

const YES: &str = "yes";
const NO: &str = "no";

/// A form that is put to a person.
pub(super) struct Form {
    pub questions: Vec<Question>,
    fields: Vec<Field>,
}

struct Field {
    name: String,
    kind: Kind,
    required: bool,
}

enum Kind {
    Text,
    Number,
    Whole,
    YesNo,
    /// Labels and the values that they stand for.
    One(Vec<(String, String)>),
    Many(Vec<(String, String)>),
    /// Only whether the person agrees.
    Consent,
}

impl Form {
    /// The questions of a request of this server; nothing when it is none that a
    /// person can be asked.
    pub fn of(server: &str, request: &ElicitRequestParams) -> Option<Form> {
        match request {
            ElicitRequestParams::FormElicitationParams {
                message,
                requested_schema,
                ..
            } => {
                let order = requested_schema.property_order.clone();
                let schema = serde_json::to_value(requested_schema).ok()?;
                Form::of_schema(server, message, &schema, order)
            }
            ElicitRequestParams::UrlElicitationParams { message, url, .. } => Some(Form::consent(
                server,
                &format!("{message}\nOpen this address yourself: {url}"),
            )),
            #[allow(unreachable_patterns)]
            _ => None,
        }
    }

    fn of_schema(
        server: &str,
        message: &str,
        schema: &Value,
        order: Option<Vec<String>>,
    ) -> Option<Form> {
        let properties = schema.get("properties").and_then(Value::as_object)?;
        if properties.is_empty() {
            return Some(Form::consent(server, message));
        }
        if properties.len() > MOST_QUESTIONS {
            return None;
        }
        let listed = order.unwrap_or_else(|| properties.keys().cloned().collect());
        let required = schema.get("required").and_then(Value::as_array);
        let mut form = Form {
            questions: Vec::new(),
            fields: Vec::new(),
        };
        for name in listed {
            let property = properties.get(&name)?;
            let kind = Kind::of(property)?;
            let head = match form.questions.is_empty() {
                true => format!("The MCP server {server} asks: {message}\n"),
                false => String::new(),
            };
            let text = |key: &str| property.get(key).and_then(Value::as_str);
            let title = text("title").unwrap_or(&name);
            let about = text("description").map(|it| format!(": {it}"));
            form.questions.push(Question {
                id: format!("q{}", form.questions.len()).into(),
                text: cut(&format!("{head}{title}{}", about.unwrap_or_default())),
                choices: kind.choices(),
                multiple: matches!(kind, Kind::Many(_)),
            });
            form.fields.push(Field {
                required: required.is_some_and(|it| it.iter().any(|it| *it == name.as_str())),
                name,
                kind,
            });
        }
        Some(form)
    }

    fn consent(server: &str, message: &str) -> Form {
        Form {
            questions: vec![Question {
                id: "q0".into(),
                text: cut(&format!("The MCP server {server} asks: {message}")),
                choices: Kind::Consent.choices(),
                multiple: false,
            }],
            fields: vec![Field {
                name: String::new(),
                kind: Kind::Consent,
                required: true,
            }],
        }
    }

    /// What the server is told. No answers at all mean that the question was
    /// cancelled; a required one that is missing or does not fit, that it was
    /// declined.
    pub fn result(&self, answers: Option<Vec<Answer>>) -> ElicitResult {
        let Some(answers) = answers else {
            return ElicitResult::new(ElicitationAction::Cancel);
        };
        let mut answered = self.in_order(answers).into_iter();
        let mut content = Map::new();
        for field in &self.fields {
            let text = answered.next().flatten();
            match text.as_deref().and_then(|text| field.kind.value(text)) {
                Some(Value::Bool(false)) if matches!(field.kind, Kind::Consent) => {
                    return ElicitResult::new(ElicitationAction::Decline);
                }
                Some(value) if !field.name.is_empty() => {
                    content.insert(field.name.clone(), value);
                }
                Some(_) => (),
                None if field.required || text.is_some() => {
                    return ElicitResult::new(ElicitationAction::Decline);
                }
                None => (),
            }
        }
        ElicitResult::new(ElicitationAction::Accept).with_content(Value::Object(content))
    }

    /// The answers by their questions; one without a name is that of the first
    /// question that has none yet.
    fn in_order(&self, answers: Vec<Answer>) -> Vec<Option<String>> {
        let mut placed: Vec<Option<Answer>> = self.questions.iter().map(|_| None).collect();
        let mut nameless = Vec::new();
        for answer in answers {
            let at = match &answer.question {
                Some(id) => self.questions.iter().position(|it| it.id == *id),
                None => {
                    nameless.push(answer);
                    continue;
                }
            };
            if let Some(place) = at.and_then(|at| placed.get_mut(at)) {
                *place = Some(answer);
            }
        }
        let mut nameless = nameless.into_iter();
        for place in placed.iter_mut().filter(|it| it.is_none()) {
            *place = nameless.next();
        }
        let text = |answer: Option<Answer>| answer.and_then(|it| Some(it.text?.to_string()));
        placed.into_iter().map(text).collect()
    }
}

impl Kind {
    fn of(property: &Value) -> Option<Kind> {
        let options = options(property)?;
        match property.get("type").and_then(Value::as_str) {
            Some("string") if !options.is_empty() => Some(Kind::One(options)),
            Some("string") => Some(Kind::Text),
            Some("number") => Some(Kind::Number),
            Some("integer") => Some(Kind::Whole),
            Some("boolean") => Some(Kind::YesNo),
            Some("array") => {
                let options = self::options(property.get("items")?)?;
                (!options.is_empty()).then_some(Kind::Many(options))
            }
            _ => None,
        }
    }

    fn choices(&self) -> Vec<Choice> {
        let choice = |label: &str| Choice {
            label: Text::from(label),
            description: None,
        };
        match self {
            Kind::Text | Kind::Number | Kind::Whole => Vec::new(),
            Kind::YesNo | Kind::Consent => vec![choice(YES), choice(NO)],
            Kind::One(options) | Kind::Many(options) => {
                options.iter().map(|(label, _)| choice(label)).collect()
            }
        }
    }

    /// The value that an answer stands for; nothing when it does not fit.
    fn value(&self, text: &str) -> Option<Value> {
        let trimmed = text.trim();
        match self {
            Kind::Text => Some(Value::from(text)),
            Kind::Number => trimmed
                .parse()
                .ok()
                .and_then(Number::from_f64)
                .map(Value::from),
            Kind::Whole => trimmed.parse::<i64>().ok().map(Value::from),
            Kind::YesNo | Kind::Consent => match trimmed.to_ascii_lowercase().as_str() {
                YES | "y" | "true" => Some(Value::Bool(true)),
                NO | "n" | "false" => Some(Value::Bool(false)),
                _ => None,
            },
            Kind::One(options) => chosen(options, trimmed).map(Value::from),
            Kind::Many(options) => several(options, trimmed).map(Value::from),
        }
    }
}

/// What is chosen on lines, or between commas; a label may hold a comma itself.
fn several(options: &[(String, String)], text: &str) -> Option<Vec<Value>> {
    let mut values = Vec::new();
    for line in text.lines().map(str::trim).filter(|it| !it.is_empty()) {
        if let Some(value) = chosen(options, line) {
            values.push(value.into());
            continue;
        }
        let parts = line.split(',').map(str::trim).filter(|it| !it.is_empty());
        for part in parts {
            values.push(chosen(options, part)?.into());
        }
    }
    Some(values)
}

fn chosen(options: &[(String, String)], text: &str) -> Option<String> {
    let found = options
        .iter()
        .find(|(label, value)| label == text || value == text);
    found.map(|(_, value)| value.clone())
}

/// The choices of a property: `enum` with or without `enumNames`, or `oneOf` and
/// `anyOf` with titles. Nothing when they are no texts, or too many.
fn options(property: &Value) -> Option<Vec<(String, String)>> {
    let list = |key: &str| property.get(key).and_then(Value::as_array);
    let mut options = Vec::new();
    if let Some(values) = list("enum") {
        let labels = list("enumNames");
        for (at, value) in values.iter().enumerate() {
            let value = value.as_str()?;
            let label = labels.and_then(|it| it.get(at)?.as_str()).unwrap_or(value);
            options.push((label.to_owned(), value.to_owned()));
        }
    } else if let Some(titled) = list("oneOf").or_else(|| list("anyOf")) {
        for option in titled {
            let value = option.get("const")?.as_str()?;
            let label = option.get("title").and_then(Value::as_str).unwrap_or(value);
            options.push((label.to_owned(), value.to_owned()));
        }
    }
    (options.len() <= MOST_CHOICES).then_some(options)
}

fn cut(text: &str) -> Text {
    let text: String = (text.chars())
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
        .collect();
    match text.split_at(text.floor_char_boundary(LONGEST)) {
        (all, "") => all.into(),
        (start, _) => format!("{start} […]").into(),
    }
}

#[cfg(test)]
mod tests;
