use greenroom_protocol::session::{Cost, Effort, Usage};

use super::{Entry, find, strength, with_cost};

fn id(model: &str) -> Option<&'static str> {
    find(model).map(|entry| entry.id.as_str())
}

#[test]
fn the_embedded_catalogue_can_be_read_and_makes_sense() {
    let entries: Vec<Entry> =
        serde_yaml::from_str(include_str!("../../../config/models.yaml")).unwrap();
    assert!(entries.len() > 40);
    for entry in &entries {
        assert!(entry.output < entry.context, "{}", entry.id);
        assert!(
            entry.efforts.iter().all(|word| strength(word) < 7),
            "{}",
            entry.id
        );
        assert!(
            entry.efforts.is_sorted_by_key(|word| strength(word)),
            "{}",
            entry.id
        );
        let same = entries.iter().filter(|other| other.id == entry.id);
        assert_eq!(same.count(), 1, "{}", entry.id);
        if let Some(price) = entry.price {
            assert!(
                price.read <= price.input && price.input < price.output,
                "{}",
                entry.id
            );
        }
    }
}

#[test]
fn an_id_stands_for_its_dates_and_tags_and_for_no_sibling() {
    let cases = [
        ("claude-opus-4-5", Some("claude-opus-4-5")),
        ("claude-opus-4-5-20251101", Some("claude-opus-4-5")),
        ("claude-opus-4-20250514", Some("claude-opus-4")),
        ("claude-opus-4-0", Some("claude-opus-4")),
        ("claude-3-5-haiku-latest", Some("claude-3-5-haiku")),
        ("anthropic/claude-opus-4.6", Some("claude-opus-4-6")),
        (
            "anthropic/claude-sonnet-4.5:beta",
            Some("claude-sonnet-4-5"),
        ),
        ("claude-opus-9", Some("claude-*")),
        ("gpt-5", Some("gpt-5")),
        ("gpt-5-2025-08-07", Some("gpt-5")),
        ("gpt-5-mini", Some("gpt-5-mini")),
        ("openai/gpt-4.1", Some("gpt-4.1")),
        ("gpt-4o-2024-08-06", Some("gpt-4o")),
        ("gpt-5.9", None),
        ("gpt-5-chat", None),
        ("gpt-4-1106-preview", None),
        ("llama3.3", None),
        ("mistral/gpt-5", None),
        ("", None),
    ];
    for (model, expected) in cases {
        assert_eq!(id(model), expected, "{model}");
    }
}

#[test]
fn an_effort_becomes_the_nearest_word_that_is_not_stronger() {
    let words = |model: &str| -> Vec<Option<&str>> {
        let entry = find(model).unwrap();
        Effort::ALL
            .iter()
            .map(|effort| entry.effort_word(*effort))
            .collect()
    };
    let some = |words: [&'static str; 6]| words.map(Some).to_vec();
    assert_eq!(
        words("gpt-5.2"),
        some(["none", "low", "medium", "high", "xhigh", "xhigh"])
    );
    assert_eq!(
        words("gpt-5"),
        some(["minimal", "low", "medium", "high", "high", "high"])
    );
    assert_eq!(
        words("o3"),
        some(["low", "low", "medium", "high", "high", "high"])
    );
    assert_eq!(
        words("claude-opus-4-6"),
        some(["low", "low", "medium", "high", "high", "max"])
    );
    assert_eq!(words("gpt-4o"), vec![None; 6]);
}

#[test]
fn costs_are_rounded_up_per_call() {
    let usage = Usage {
        input: 2410,
        output: 38,
        cache_read: 1,
        cache_write: 100,
        ..Usage::default()
    };
    // 2410 × 3 + 38 × 15 + 1 × 0.3 + 100 × 3.75 = 8175.3 micro-dollars.
    let priced = with_cost(usage, "claude-sonnet-4-5", false, None);
    assert_eq!((priced.cost, priced.cost_unknown), (Cost(8176), false));
    let nothing = with_cost(Usage::default(), "claude-sonnet-4-5", false, None);
    assert_eq!((nothing.cost, nothing.cost_unknown), (Cost(0), false));
}

#[test]
fn a_long_request_pays_the_long_price_for_all_of_it() {
    let usage = |cache_read| Usage {
        input: 72_000,
        output: 1000,
        cache_read,
        ..Usage::default()
    };
    let cost = |usage| with_cost(usage, "gpt-5.4", false, None).cost;
    assert_eq!(cost(usage(200_000)), Cost(180_000 + 15_000 + 50_000));
    assert_eq!(cost(usage(200_001)), Cost(360_000 + 22_500 + 100_001));
}

#[test]
fn who_knows_the_cost() {
    let usage = Usage {
        input: 1_000_000,
        ..Usage::default()
    };
    let told = |model, local, told| {
        let usage = with_cost(usage, model, local, told);
        (usage.cost, usage.cost_unknown)
    };
    assert_eq!(told("llama3.3", false, None), (Cost(0), true));
    assert_eq!(told("llama3.3", true, None), (Cost(0), false));
    assert_eq!(told("gpt-4o", true, None), (Cost(0), false));
    assert_eq!(told("gpt-4o", false, None), (Cost(2_500_000), false));
    assert_eq!(
        told("gpt-4o", false, Some(0.0123456)),
        (Cost(12_346), false)
    );
    // 0.0021 × 10⁶ is a hair above 2100 in binary.
    assert_eq!(told("gpt-4o", false, Some(0.0021)), (Cost(2100), false));
    assert_eq!(
        told("gpt-4o", false, Some(f64::NAN)),
        (Cost(2_500_000), false)
    );
    assert_eq!(told("any/model", false, Some(0.0)), (Cost(0), false));
}
