use proptest::prelude::*;

use super::*;

#[test]
fn a_text_that_fits_is_not_cut() {
    assert_eq!(head_and_tail("abc".into(), 3), ("abc".into(), false));
    let (text, cut) = head_and_tail("abcdefgh".into(), 4);
    assert_eq!(
        (text.as_str(), cut),
        ("ab\n[… 4 bytes left out here …]\ngh", true)
    );
}

proptest! {
    /// Head and tail are those of the text, and what is missing is told rightly.
    #[test]
    fn what_is_kept_is_head_and_tail(text in "[aä€😀]{0,60}", most in 0_usize..80) {
        let (kept, cut) = head_and_tail(text.clone(), most);
        if !cut {
            prop_assert_eq!(kept, text);
            return Ok(());
        }
        let (head, rest) = kept.split_once("\n[… ").unwrap();
        let (count, tail) = rest.split_once(" bytes left out here …]\n").unwrap();
        prop_assert!(text.starts_with(head) && text.ends_with(tail));
        prop_assert!(head.len() + tail.len() <= most);
        let missing: usize = count.parse().unwrap();
        prop_assert_eq!(head.len() + tail.len() + missing, text.len());
    }
}
