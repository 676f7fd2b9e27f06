//! Whom to fall back on, and the user's own models.

use std::fs;

use greenroom_protocol::session::{FailureKind, ModelChoice};

use super::load_in;

#[test]
fn others_to_fall_back_on_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let yaml = "providers: {house: {wire: openai-chat, base_url: 'http://x', model: m, fallback: [openai/a/b, scripted]}}";
    let config = load_in(folder.path(), yaml, &[("OPENAI_API_KEY", "k")]).unwrap();
    let choice = |provider: &str, model: &str| ModelChoice {
        provider: provider.into(),
        model: model.into(),
        effort: None,
    };
    let wanted = choice("house", "m");
    let next = |tried: &[ModelChoice]| {
        let failure = FailureKind::Overloaded;
        config.fallbacks.next(&wanted, tried, failure)
    };
    let first = choice("openai", "a/b");
    assert_eq!(next(&[]), Some(first.clone()));
    assert_eq!(next(&[first]), Some(choice("scripted", "")));
}

#[test]
fn the_users_own_models_are_read_beside_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("models.yaml");
    fs::write(&file, "- {id: house-large, context: 64000}").unwrap();
    let config = load_in(folder.path(), "", &[]).unwrap();
    assert_eq!(config.models[0].id(), "house-large");
    fs::write(&file, "- {id: house-large, contxt: 64000}").unwrap();
    let error = load_in(folder.path(), "", &[]).unwrap_err().message;
    let place = format!("{}: ", file.display());
    assert!(
        error.starts_with(&place) && error.contains("contxt"),
        "{error}"
    );
}
