//! `greenroom models`: what is known of models, and what a provider lists.

use std::fs;

use serde_json::{Value, json};

use crate::started::{Ended, GREENROOM, Place};

/// A user with one provider at a port where nobody listens, and with a model of
/// their own.
fn place() -> Place {
    let place = Place::new();
    let folder = place.home().join(".config/greenroom");
    fs::create_dir_all(&folder).unwrap();
    let config = "providers:\n  house: {wire: openai-responses, base_url: 'http://127.0.0.1:1/v1', model: house-large}\n";
    fs::write(folder.join("config.yaml"), config).unwrap();
    let models = "- {id: house-large, context: 64000, output: 8000, images: false, efforts: [low, high], price: {input: 1500000, output: 3000000, read: 0, write: 0}}\n";
    fs::write(folder.join("models.yaml"), models).unwrap();
    place
}

async fn models(place: &Place, arguments: &[&str]) -> Ended {
    let arguments: Vec<&str> = ["models"].iter().chain(arguments).copied().collect();
    place.run(GREENROOM, &arguments).await
}

#[tokio::test]
async fn what_is_known_is_shown_without_a_call() {
    let place = place();
    let ended = models(&place, &[]).await;
    assert_eq!((ended.code, &*ended.errors), (Some(0), ""));
    let expected = "house (default)\n  house-large                  64000 tokens; no pictures; effort low|high; $1.5 in, $3 out a million\nscripted\n";
    assert!(ended.output.starts_with(expected), "{}", ended.output);

    let ended = models(&place, &["--provider", "house", "--json"]).await;
    let told: Value = serde_json::from_str(&ended.output).unwrap();
    let expected = json!({"live": false, "providers": [{
        "name": "house",
        "default": true,
        "models": [{
            "id": "house-large",
            "name": null,
            "context_window": 64000,
            "longest_answer": 8000,
            "images": false,
            "efforts": ["low", "high"],
            "price": {"input_usd_per_million": 1.5, "output_usd_per_million": 3.0},
        }],
        "error": null,
    }]});
    assert_eq!((ended.code, told), (Some(0), expected));
}

#[tokio::test]
async fn a_provider_that_gives_no_list_is_told() {
    let ended = models(&place(), &["--live", "--provider", "house"]).await;
    assert_eq!(ended.code, Some(1));
    let words = "house (default): provider `house`: cannot connect to";
    assert!(ended.output.starts_with(words), "{}", ended.output);
}

#[tokio::test]
async fn what_cannot_be_shown_is_refused() {
    let place = place();
    let ended = models(&place, &["--provider", "hause"]).await;
    assert_eq!((ended.code, &*ended.output), (Some(2), ""));
    assert!(
        ended.errors.contains("there are house, scripted"),
        "{}",
        ended.errors
    );

    let file = place.home().join(".config/greenroom/models.yaml");
    fs::write(&file, "- {id: x, contxt: 1}\n").unwrap();
    let ended = models(&place, &[]).await;
    assert_eq!((ended.code, &*ended.output), (Some(1), ""));
    assert!(
        ended.errors.contains("models.yaml: ") && ended.errors.contains("contxt"),
        "{}",
        ended.errors
    );
}
