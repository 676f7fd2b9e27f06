//! Scaling and encoding.

use greenroom_protocol::session::{Image, ImageFormat};
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::{CompressionType, FilterType as RowFilter, PngEncoder};
use image::imageops::FilterType;
use image::{DynamicImage, RgbImage, Rgba};

use super::inspect::Inspected;
use super::{LONGEST_SIDE, MOST_BYTES};

/// Tried in this order before the picture is made smaller still.
const QUALITIES: [u8; 4] = [85, 70, 55, 40];

/// The picture within both bounds, upright, without its metadata.
pub(super) fn shrink(inspected: Inspected) -> Result<Image, String> {
    let keeps_alpha = inspected.format == ImageFormat::Png && inspected.pixels.color().has_alpha();
    let mut pixels = scaled(inspected.pixels, LONGEST_SIDE);
    // After scaling, since turning takes the memory once more.
    pixels.apply_orientation(inspected.orientation);
    if !keeps_alpha {
        pixels = DynamicImage::ImageRgb8(on_white(pixels));
    }
    loop {
        let encoded = match keeps_alpha {
            true => png_within_bound(&pixels)?,
            false => jpeg_within_bound(&pixels)?,
        };
        if let Some(image) = encoded {
            return Ok(image);
        }
        let side = pixels.width().max(pixels.height());
        if side <= 1 {
            return Err("it cannot be made small enough".to_owned());
        }
        pixels = scaled(pixels, side / 2);
    }
}

/// With the longer side that long; never enlarged.
fn scaled(pixels: DynamicImage, longest: u32) -> DynamicImage {
    let (width, height) = (pixels.width(), pixels.height());
    let long = width.max(height);
    if long <= longest {
        return pixels;
    }
    let (new_width, new_height) = (part(width, longest, long), part(height, longest, long));
    // A coarse first step keeps the careful one, which works in floating point,
    // small.
    let pixels = match long / longest {
        0..=3 => pixels,
        _ => pixels.thumbnail_exact(new_width * 2, new_height * 2),
    };
    pixels.resize_exact(new_width, new_height, FilterType::CatmullRom)
}

/// `side * longest / long`, rounded, at least 1.
fn part(side: u32, longest: u32, long: u32) -> u32 {
    let (side, longest, long) = (u64::from(side), u64::from(longest), u64::from(long));
    let rounded = (side * longest + long / 2) / long.max(1);
    u32::try_from(rounded).unwrap_or(u32::MAX).max(1)
}

/// Without alpha: what shows through is white, as on a page.
fn on_white(pixels: DynamicImage) -> RgbImage {
    if !pixels.color().has_alpha() {
        return pixels.into_rgb8();
    }
    let pixels = pixels.into_rgba8();
    let blend = |part: u8, alpha: u8| {
        let (part, alpha) = (u32::from(part), u32::from(alpha));
        ((part * alpha + 255 * (255 - alpha) + 127) / 255) as u8
    };
    RgbImage::from_fn(pixels.width(), pixels.height(), |x, y| {
        let Rgba([red, green, blue, alpha]) = *pixels.get_pixel(x, y);
        image::Rgb([blend(red, alpha), blend(green, alpha), blend(blue, alpha)])
    })
}

fn png_within_bound(pixels: &DynamicImage) -> Result<Option<Image>, String> {
    let mut bytes = Vec::new();
    let encoder =
        PngEncoder::new_with_quality(&mut bytes, CompressionType::Default, RowFilter::Adaptive);
    let pixels = DynamicImage::ImageRgba8(pixels.to_rgba8());
    pixels.write_with_encoder(encoder).map_err(not_encoded)?;
    Ok(within_bound(ImageFormat::Png, bytes))
}

fn jpeg_within_bound(pixels: &DynamicImage) -> Result<Option<Image>, String> {
    for quality in QUALITIES {
        let mut bytes = Vec::new();
        let encoder = JpegEncoder::new_with_quality(&mut bytes, quality);
        pixels.write_with_encoder(encoder).map_err(not_encoded)?;
        let image = within_bound(ImageFormat::Jpeg, bytes);
        if image.is_some() {
            return Ok(image);
        }
    }
    Ok(None)
}

fn within_bound(format: ImageFormat, bytes: Vec<u8>) -> Option<Image> {
    (bytes.len() <= MOST_BYTES).then(|| Image {
        format,
        bytes: bytes.into(),
    })
}

fn not_encoded(error: image::ImageError) -> String {
    format!("it cannot be scaled down ({error})")
}
