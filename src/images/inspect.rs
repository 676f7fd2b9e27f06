//! Is it a picture, how large, and does it decode to its end.

use std::io::Cursor;

use greenroom_protocol::session::ImageFormat;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageReader, Limits};

use super::MOST_PIXELS;

/// Memory for the pixels of one picture: 100 megapixels with alpha, or half of
/// it with 16 bits a channel.
const MOST_MEMORY: u64 = 512 << 20;

/// A picture that was decoded to its end.
pub(super) struct Inspected {
    /// What the bytes say.
    pub format: ImageFormat,
    /// Its pixels, of an animation those of the first frame, as they are
    /// stored.
    pub pixels: DynamicImage,
    /// How they are to be turned.
    pub orientation: Orientation,
}

impl Inspected {
    /// The longer of width and height.
    pub(super) fn longest_side(&self) -> u32 {
        self.pixels.width().max(self.pixels.height())
    }
}

/// Decodes it, or says in words what is wrong with it. The size is read and
/// checked before any memory for pixels is taken.
pub(super) fn inspect(bytes: &[u8]) -> Result<Inspected, String> {
    let Some(format) = ImageFormat::sniff(bytes) else {
        return Err("it is not a PNG, JPEG, GIF or WebP".to_owned());
    };
    let mut limits = Limits::default();
    limits.max_alloc = Some(MOST_MEMORY);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), for_decoder(format));
    reader.limits(limits);
    let mut decoder = reader
        .into_decoder()
        .map_err(|error| format!("its header cannot be read ({})", shortened(&error)))?;

    let (width, height) = decoder.dimensions();
    if width == 0 || height == 0 {
        return Err("it has no pixels".to_owned());
    }
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
        return Err(format!(
            "it has {width} x {height} pixels; at most 100 megapixels are taken"
        ));
    }
    if decoder.total_bytes() > MOST_MEMORY {
        return Err(format!(
            "it has {width} x {height} pixels of high depth, which take too much memory"
        ));
    }
    if format == ImageFormat::Jpeg && !jpeg_has_end(bytes) {
        return Err("it is cut short".to_owned());
    }
    // Broken metadata is no reason to refuse a picture.
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let pixels = DynamicImage::from_decoder(decoder)
        .map_err(|error| format!("it is damaged or cut short ({})", shortened(&error)))?;
    Ok(Inspected {
        format,
        pixels,
        orientation,
    })
}

/// Whether an end marker follows the pixels. The decoder fills what is missing
/// with grey and says nothing. Inside the pixels `FF D9` cannot stand; before
/// them it can (in a thumbnail).
fn jpeg_has_end(bytes: &[u8]) -> bool {
    let Some(start) = jpeg_scan(bytes) else {
        return false;
    };
    bytes[start..].windows(2).any(|pair| pair == [0xff, 0xd9])
}

/// Where the first scan begins: segments are skipped by their lengths.
fn jpeg_scan(bytes: &[u8]) -> Option<usize> {
    const START_OF_SCAN: u8 = 0xda;
    let mut at = 2;
    loop {
        // Fill bytes may stand before a marker.
        while *bytes.get(at)? != 0xff {
            at += 1;
        }
        while *bytes.get(at)? == 0xff {
            at += 1;
        }
        let marker = *bytes.get(at)?;
        at += 1;
        if marker == START_OF_SCAN {
            return Some(at);
        }
        let has_length = !matches!(marker, 0x00 | 0x01 | 0xd0..=0xd9);
        if has_length {
            let length = [*bytes.get(at)?, *bytes.get(at + 1)?];
            at += usize::from(u16::from_be_bytes(length)).max(2);
        }
    }
}

fn for_decoder(format: ImageFormat) -> image::ImageFormat {
    match format {
        ImageFormat::Png => image::ImageFormat::Png,
        ImageFormat::Jpeg => image::ImageFormat::Jpeg,
        ImageFormat::Gif => image::ImageFormat::Gif,
        ImageFormat::Webp => image::ImageFormat::WebP,
    }
}

/// Decoders quote what they found; a person needs no more than a line of it.
fn shortened(error: &image::ImageError) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    line.chars().take(120).collect()
}
