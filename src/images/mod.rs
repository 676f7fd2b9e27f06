//! Pictures that clients send, made ready for a model (seed 000): what is no
//! picture is refused, what is too large is scaled down.
//!
//! - [`inspect`]: is it one, how large, and does it decode to its end.
//! - [`shrink`]: scaling and encoding.
//!
//! The work is done on blocking threads, two pictures at a time in the whole
//! process, since one may take some 500 MB while it is decoded.

mod inspect;
mod shrink;

#[cfg(test)]
mod tests;

use greenroom_protocol::session::{Content, Image, Part, Refusal};
use tokio::sync::Semaphore;

/// Longest side of a picture that is sent as it is, in pixels.
pub const LONGEST_SIDE: u32 = 1568;
/// Largest file that is sent as it is, in bytes.
pub const MOST_BYTES: usize = 5_000_000;
/// Most pixels that a picture may have.
pub const MOST_PIXELS: u64 = 100_000_000;

static PLACES: Semaphore = Semaphore::const_new(2);

/// The content with each picture checked and, when it is too large, scaled
/// down. Refused as a whole when one of them is no picture; counted from 1.
/// Content without pictures comes back at once.
pub async fn prepare(mut content: Content) -> Result<Content, Refusal> {
    let mut number = 0;
    for part in &mut content.parts {
        let Part::Image(image) = part else {
            continue;
        };
        number += 1;
        match on_blocking_thread(image.clone()).await {
            Ok(Some(other)) => *image = other,
            Ok(None) => {}
            Err(reason) => {
                return Err(Refusal::BadImage {
                    number,
                    reason: reason.into(),
                });
            }
        }
    }
    Ok(content)
}

async fn on_blocking_thread(image: Image) -> Result<Option<Image>, String> {
    // Never closed, so it always comes.
    let place = PLACES.acquire().await;
    let work = tokio::task::spawn_blocking(move || {
        // It goes with the work, which cannot be stopped once it runs.
        let _place = place;
        prepare_one(&image)
    });
    // A decoder that panics has met a picture that is none.
    work.await
        .unwrap_or_else(|_| Err("it cannot be decoded".to_owned()))
}

/// The picture to take its place, or nothing when it may stay as it is.
fn prepare_one(image: &Image) -> Result<Option<Image>, String> {
    let inspected = inspect::inspect(&image.bytes)?;
    let is_small = inspected.longest_side() <= LONGEST_SIDE && image.bytes.len() <= MOST_BYTES;
    if is_small {
        let as_it_is = (inspected.format != image.format).then(|| Image {
            format: inspected.format,
            bytes: image.bytes.clone(),
        });
        return Ok(as_it_is);
    }
    shrink::shrink(inspected).map(Some)
}
