//! Pictures of all four formats, and files that only look like some.

use std::io::Cursor;
use std::sync::Arc;

use greenroom_protocol::session::ImageFormat;
use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ImageEncoder, ImageReader, Rgb, RgbImage, Rgba, RgbaImage};

use super::*;

const FORMATS: [ImageFormat; 4] = [
    ImageFormat::Png,
    ImageFormat::Jpeg,
    ImageFormat::Gif,
    ImageFormat::Webp,
];

/// Left half red, right half blue.
fn halves(width: u32, height: u32) -> DynamicImage {
    let colour = |x, _| match x < width / 2 {
        true => Rgb([200, 30, 30]),
        false => Rgb([30, 30, 200]),
    };
    DynamicImage::ImageRgb8(RgbImage::from_fn(width, height, colour))
}

/// What no encoder can make small.
fn noise(width: u32, height: u32, alpha: bool) -> DynamicImage {
    let mut random = fastrand::Rng::with_seed(7);
    let pixels = RgbaImage::from_fn(width, height, |_, _| {
        let [red, green, blue, see_through] = random.u32(..).to_le_bytes();
        Rgba([red, green, blue, see_through])
    });
    match alpha {
        true => DynamicImage::ImageRgba8(pixels),
        false => DynamicImage::ImageRgb8(DynamicImage::ImageRgba8(pixels).into_rgb8()),
    }
}

fn encoded(pixels: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let encoder_format = match format {
        ImageFormat::Png => image::ImageFormat::Png,
        ImageFormat::Jpeg => image::ImageFormat::Jpeg,
        ImageFormat::Gif => image::ImageFormat::Gif,
        ImageFormat::Webp => image::ImageFormat::WebP,
    };
    let mut bytes = Cursor::new(Vec::new());
    pixels.write_to(&mut bytes, encoder_format).unwrap();
    bytes.into_inner()
}

fn decoded(image: &Image) -> DynamicImage {
    let reader = ImageReader::new(Cursor::new(&image.bytes[..]));
    reader.with_guessed_format().unwrap().decode().unwrap()
}

fn picture(bytes: Vec<u8>) -> Image {
    Image {
        format: ImageFormat::sniff(&bytes).unwrap_or(ImageFormat::Png),
        bytes: bytes.into(),
    }
}

async fn prepared(bytes: Vec<u8>) -> Result<Image, String> {
    let content = Content {
        parts: vec![Part::Image(picture(bytes))],
    };
    match prepare(content).await {
        Ok(content) => match &content.parts[..] {
            [Part::Image(image)] => Ok(image.clone()),
            parts => panic!("{parts:?}"),
        },
        Err(Refusal::BadImage { number: 1, reason }) => Err(reason.to_string()),
        Err(other) => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn small_pictures_stay_as_they_are() {
    for format in FORMATS {
        let bytes = encoded(&halves(60, 40), format);
        let image = prepared(bytes.clone()).await.unwrap();
        assert_eq!(image, picture(bytes), "{format:?}");
        assert_eq!(image.format, format);
    }
}

#[tokio::test]
async fn large_sides_become_exactly_1568() {
    for format in FORMATS {
        let image = prepared(encoded(&halves(1600, 403), format)).await.unwrap();
        assert_eq!(image.format, ImageFormat::Jpeg, "{format:?}");
        let pixels = decoded(&image).into_rgb8();
        assert_eq!(pixels.dimensions(), (1568, 395), "{format:?}");
        let (left, right) = (pixels.get_pixel(100, 200), pixels.get_pixel(1400, 200));
        assert!(left[0] > 150 && left[2] < 80, "{format:?} {left:?}");
        assert!(right[0] < 80 && right[2] > 150, "{format:?} {right:?}");
    }
    let cases = [
        ((1568, 10), (1568, 10)),
        ((20, 9000), (3, 1568)),
        ((8000, 1), (1568, 1)),
    ];
    for ((width, height), expected) in cases {
        let bytes = encoded(&halves(width, height), ImageFormat::Png);
        let pixels = decoded(&prepared(bytes).await.unwrap());
        assert_eq!((pixels.width(), pixels.height()), expected);
    }
}

#[tokio::test]
async fn png_with_alpha_stays_png() {
    let see_through = RgbaImage::from_pixel(1700, 20, Rgba([10, 200, 10, 128]));
    let image = prepared(encoded(&see_through.into(), ImageFormat::Png))
        .await
        .unwrap();
    assert_eq!(image.format, ImageFormat::Png);
    let pixels = decoded(&image).into_rgba8();
    assert_eq!(
        (pixels.dimensions(), pixels.get_pixel(800, 9)),
        ((1568, 18), &Rgba([10, 200, 10, 128]))
    );
}

#[tokio::test]
async fn alpha_of_other_formats_becomes_white() {
    let invisible = RgbaImage::from_pixel(1700, 20, Rgba([0, 0, 0, 0]));
    let image = prepared(encoded(&invisible.into(), ImageFormat::Webp))
        .await
        .unwrap();
    assert_eq!(image.format, ImageFormat::Jpeg);
    let pixel = *decoded(&image).into_rgb8().get_pixel(800, 9);
    assert!(pixel.0.iter().all(|&part| part > 250), "{pixel:?}");
}

#[tokio::test]
async fn large_files_are_made_small_without_scaling_when_that_does() {
    let bytes = encoded(&noise(1350, 1300, false), ImageFormat::Png);
    assert!(bytes.len() > MOST_BYTES);
    let image = prepared(bytes).await.unwrap();
    assert_eq!(image.format, ImageFormat::Jpeg);
    assert!(image.bytes.len() <= MOST_BYTES);
    assert_eq!(decoded(&image).width(), 1350);
}

#[tokio::test]
async fn noise_with_alpha_is_halved_until_it_fits() {
    let bytes = encoded(&noise(1200, 1120, true), ImageFormat::Png);
    assert!(bytes.len() > MOST_BYTES);
    let image = prepared(bytes).await.unwrap();
    assert_eq!(image.format, ImageFormat::Png);
    assert!(image.bytes.len() <= MOST_BYTES);
    assert_eq!(
        (decoded(&image).width(), decoded(&image).height()),
        (600, 560)
    );
}

#[tokio::test]
async fn scaled_pictures_stand_upright() {
    // Orientation 6: the stored picture must be turned by a quarter.
    let exif = [
        b"II*\0\x08\0\0\0".as_slice(),
        b"\x01\0",
        b"\x12\x01\x03\0\x01\0\0\0\x06\0\0\0",
        b"\0\0\0\0",
    ];
    let mut bytes = Vec::new();
    let mut encoder = JpegEncoder::new_with_quality(&mut bytes, 90);
    encoder.set_exif_metadata(exif.concat()).unwrap();
    halves(3000, 600).write_with_encoder(encoder).unwrap();
    let pixels = decoded(&prepared(bytes).await.unwrap()).into_rgb8();
    assert_eq!(pixels.dimensions(), (314, 1568));
    let top = pixels.get_pixel(150, 100);
    assert!(top[0] > 150 && top[2] < 80, "{top:?}");
}

#[tokio::test]
async fn what_is_cut_short_is_refused() {
    for format in FORMATS {
        let whole = encoded(&noise(80, 60, false), format);
        assert!(prepared(whole.clone()).await.is_ok(), "{format:?}");
        for keep in [8, 13, whole.len() / 2, whole.len() * 9 / 10] {
            let reason = prepared(whole[..keep].to_vec()).await.unwrap_err();
            assert!(reason.starts_with("it"), "{format:?} {keep}: {reason}");
        }
    }
}

#[tokio::test]
async fn what_is_no_picture_is_refused() {
    for bytes in [
        b"".as_slice(),
        b"hello",
        b"BM\0\0\0\0",
        b"<svg/>",
        b"RIFF\0\0\0\0WAVE",
        b"%PDF-1.7",
    ] {
        let reason = prepared(bytes.to_vec()).await.unwrap_err();
        assert_eq!(reason, "it is not a PNG, JPEG, GIF or WebP");
    }
}

/// A PNG that declares that size; its pixels are those of one dot.
fn png_declaring(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = encoded(&halves(1, 1), ImageFormat::Png);
    bytes[16..20].copy_from_slice(&width.to_be_bytes());
    bytes[20..24].copy_from_slice(&height.to_be_bytes());
    let sum = crc32(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&sum.to_be_bytes());
    bytes
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg());
        }
    }
    !sum
}

/// A JPEG that declares that size.
fn jpeg_declaring(width: u16, height: u16) -> Vec<u8> {
    let mut bytes = encoded(&halves(16, 16), ImageFormat::Jpeg);
    let frame = bytes
        .windows(2)
        .position(|pair| pair == [0xff, 0xc0])
        .unwrap();
    bytes[frame + 5..frame + 7].copy_from_slice(&height.to_be_bytes());
    bytes[frame + 7..frame + 9].copy_from_slice(&width.to_be_bytes());
    bytes
}

fn gif_declaring(width: u16, height: u16) -> Vec<u8> {
    let mut bytes = encoded(&halves(16, 16), ImageFormat::Gif);
    bytes[6..8].copy_from_slice(&width.to_le_bytes());
    bytes[8..10].copy_from_slice(&height.to_le_bytes());
    bytes
}

/// A lossless WebP that declares that size: 14 bits each, less one.
fn webp_declaring(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = encoded(&halves(16, 16), ImageFormat::Webp);
    let at = bytes.windows(4).position(|four| four == b"VP8L").unwrap() + 9;
    let size = (width - 1) | (height - 1) << 14;
    let rest = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) & 0xf000_0000;
    bytes[at..at + 4].copy_from_slice(&(size | rest).to_le_bytes());
    bytes
}

#[tokio::test]
async fn bombs_are_refused_by_their_headers() {
    let cases = [
        (png_declaring(20_000, 5_001), "it has 20000 x 5001 pixels"),
        (
            jpeg_declaring(65_500, 65_500),
            "it has 65500 x 65500 pixels",
        ),
        (gif_declaring(65_535, 65_535), "it has 65535 x 65535 pixels"),
        (
            webp_declaring(16_383, 16_383),
            "it has 16383 x 16383 pixels",
        ),
    ];
    for (bytes, expected) in cases {
        let reason = prepared(bytes).await.unwrap_err();
        assert!(reason.starts_with(expected), "{expected}: {reason}");
    }
    // The decoder itself gives up on what no memory could hold.
    let reason = prepared(png_declaring(u32::MAX >> 1, u32::MAX >> 1))
        .await
        .unwrap_err();
    assert!(reason.starts_with("it"), "{reason}");
}

#[tokio::test]
async fn headers_that_promise_nothing_or_too_much_are_refused() {
    let cases = [
        png_declaring(0, 5),
        png_declaring(100, 100),
        jpeg_declaring(0, 16),
        gif_declaring(0, 0),
        webp_declaring(300, 300),
    ];
    for (number, bytes) in cases.into_iter().enumerate() {
        let reason = prepared(bytes).await.unwrap_err();
        assert!(reason.starts_with("it"), "{number}: {reason}");
    }
}

#[tokio::test]
async fn damage_never_does_more_than_refuse() {
    let mut random = fastrand::Rng::with_seed(11);
    for format in FORMATS {
        let whole = encoded(&noise(24, 24, false), format);
        for _ in 0..150 {
            let mut bytes = whole.clone();
            for _ in 0..random.usize(1..6) {
                let at = random.usize(0..bytes.len());
                bytes[at] = random.u8(..);
            }
            // Either outcome is fine; `prepared` fails on any other.
            let _ = prepared(bytes).await;
        }
    }
}

#[tokio::test]
async fn the_bad_one_is_named_and_the_rest_kept_in_order() {
    let small = picture(encoded(&halves(4, 4), ImageFormat::Png));
    let bad = picture(b"\x89PNG\r\n\x1a\nnothing more".to_vec());
    let large = picture(encoded(&halves(1600, 4), ImageFormat::Png));
    let text = Part::Text("look".into());

    let parts = vec![text.clone(), Part::Image(small.clone()), Part::Image(bad)];
    match prepare(Content { parts }).await {
        Err(Refusal::BadImage { number: 2, .. }) => {}
        other => panic!("{other:?}"),
    }

    let parts = vec![Part::Image(large), text.clone(), Part::Image(small.clone())];
    let content = prepare(Content { parts }).await.unwrap();
    match &content.parts[..] {
        [Part::Image(scaled), middle, Part::Image(kept)] => {
            assert_eq!(scaled.format, ImageFormat::Jpeg);
            assert_eq!((middle, kept), (&text, &small));
        }
        parts => panic!("{parts:?}"),
    }
}

#[tokio::test]
async fn content_without_pictures_is_the_same() {
    let content = Content::text("hello");
    assert_eq!(prepare(content.clone()).await, Ok(content));
}

#[tokio::test]
async fn the_bytes_tell_the_format() {
    let bytes: Arc<[u8]> = encoded(&halves(4, 4), ImageFormat::Gif).into();
    let parts = vec![Part::Image(Image {
        format: ImageFormat::Png,
        bytes: bytes.clone(),
    })];
    let expected = vec![Part::Image(Image {
        format: ImageFormat::Gif,
        bytes,
    })];
    assert_eq!(
        prepare(Content { parts }).await,
        Ok(Content { parts: expected })
    );
}

#[tokio::test]
async fn thumbnails_do_not_pass_for_the_end_of_a_jpeg() {
    let thumbnail = encoded(&halves(8, 8), ImageFormat::Jpeg);
    let mut bytes = Vec::new();
    let mut encoder = JpegEncoder::new_with_quality(&mut bytes, 90);
    encoder.set_exif_metadata(thumbnail).unwrap();
    noise(64, 64, false).write_with_encoder(encoder).unwrap();
    assert!(prepared(bytes.clone()).await.is_ok());
    bytes.truncate(bytes.len() - 2);
    assert_eq!(prepared(bytes).await, Err("it is cut short".to_owned()));
}
