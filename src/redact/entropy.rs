//! How much a text looks like chance.

/// Bits a byte, after Shannon; 0 for an empty text.
pub(super) fn entropy(text: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    for byte in text {
        counts[usize::from(*byte)] += 1;
    }
    let length = text.len() as f64;
    let present = counts.iter().filter(|count| **count > 0);
    present
        .map(|count| {
            let share = f64::from(*count) / length;
            -share * share.log2()
        })
        .sum()
}
