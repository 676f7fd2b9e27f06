use proptest::prelude::*;

use super::*;

fn capped(most: usize, pieces: &[&str]) -> (String, bool) {
    let mut kept = HeadTail::new(most);
    for piece in pieces {
        kept.push(piece);
    }
    kept.finish("")
}

#[test]
fn what_fits_stays_whole() {
    assert_eq!(
        capped(10, &["01234", "56789"]),
        ("0123456789".into(), false)
    );
    assert_eq!(
        capped(10, &["01234", "567890"]),
        ("01234\n[… 1 bytes left out here …]\n67890".into(), true)
    );
}

#[test]
fn lines_and_headlines_are_cut_with_a_word() {
    assert_eq!(short_line("abc", 3), "abc");
    assert_eq!(short_line("aéb", 2), "a [… 3 bytes more]");
    assert_eq!(headline("  one\n"), "one");
    assert_eq!(headline("one\ntwo"), "one …");
    assert_eq!(headline(""), "");
    assert_eq!(headline(&"x".repeat(300)), format!("{} …", "x".repeat(200)));
}

proptest! {
    #[test]
    fn head_and_tail_are_those_of_the_text(
        most in 0_usize..60,
        pieces in prop::collection::vec("[a-cé€😀]{0,30}", 0..400),
    ) {
        let whole = pieces.concat();
        let borrowed: Vec<&str> = pieces.iter().map(String::as_str).collect();
        let (text, cut) = capped(most, &borrowed);
        prop_assert_eq!(cut, whole.len() > most);
        if !cut {
            prop_assert_eq!(text, whole);
            return Ok(());
        }
        let (head, rest) = text.split_once("\n[… ").unwrap();
        let (missing, tail) = rest.split_once(" bytes left out here …]\n").unwrap();
        prop_assert!(whole.starts_with(head));
        prop_assert!(whole.ends_with(tail));
        prop_assert!(head.len() + tail.len() <= most);
        // Only what a cut inside a character costs is missing from the bound.
        prop_assert!(head.len() + tail.len() + 8 > most);
        prop_assert_eq!(missing.parse::<usize>().unwrap(), whole.len() - head.len() - tail.len());
    }

    #[test]
    fn pieces_of_valid_text_come_out_as_they_were(
        text in "[a-cé€😀\u{0}]{0,60}",
        cuts in prop::collection::vec(0_usize..200, 0..12),
    ) {
        prop_assert_eq!(through_pieces(text.as_bytes(), cuts), text);
    }

    #[test]
    fn pieces_of_any_bytes_come_out_as_if_read_at_once(
        bytes in prop::collection::vec(
            prop_oneof![any::<u8>(), Just(0xe2), Just(0x82), Just(0xf0), Just(0x9f), Just(b'a')],
            0..60,
        ),
        cuts in prop::collection::vec(0_usize..60, 0..12),
    ) {
        let at_once = String::from_utf8_lossy(&bytes).into_owned();
        prop_assert_eq!(through_pieces(&bytes, cuts), at_once);
    }
}

fn through_pieces(bytes: &[u8], mut cuts: Vec<usize>) -> String {
    cuts.iter_mut()
        .for_each(|cut| *cut = (*cut).min(bytes.len()));
    cuts.extend([0, bytes.len()]);
    cuts.sort_unstable();
    let mut decoder = Utf8Pieces::default();
    let mut text = String::new();
    for ends in cuts.windows(2) {
        text.push_str(&decoder.push(&bytes[ends[0]..ends[1]]));
    }
    text + &decoder.finish()
}
