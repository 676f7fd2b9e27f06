//! Keys and tokens: wiped when dropped, never printed.

use std::fmt;

use zeroize::Zeroizing;

/// A secret text. `Debug` and logs show only that it is there; whoever sends it
/// asks for it by name with [`Secret::reveal`].
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes the text over; the caller keeps no copy.
    pub fn new(text: String) -> Secret {
        Secret(Zeroizing::new(text))
    }

    /// The text itself, for the one place that sends it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}
