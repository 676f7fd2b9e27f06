//! Pictures over the wire: too large ones are scaled before anybody keeps them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use greenroom_protocol::session::{Image, Message, Part};
use image::{ImageFormat, RgbImage};
use serde_json::json;

use crate::crashes::journal::Journal;
use crate::support::Stage;

/// A picture that does not compress to nothing.
fn picture(width: u32, height: u32, format: ImageFormat) -> String {
    let pixel = |x: u32, y: u32| image::Rgb([x as u8, y as u8, (x * y) as u8]);
    let mut bytes = std::io::Cursor::new(Vec::new());
    let picture = RgbImage::from_fn(width, height, pixel);
    picture.write_to(&mut bytes, format).unwrap();
    STANDARD.encode(bytes.into_inner())
}

/// The header of a PNG that claims to be of this size.
fn claim(width: u32, height: u32) -> String {
    let mut bytes = STANDARD.decode(picture(1, 1, ImageFormat::Png)).unwrap();
    bytes[16..20].copy_from_slice(&width.to_be_bytes());
    bytes[20..24].copy_from_slice(&height.to_be_bytes());
    let crc = crc32fast::hash(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&crc.to_be_bytes());
    STANDARD.encode(bytes)
}

fn size(image: &Image) -> (u32, u32) {
    let decoded = image::load_from_memory(&image.bytes).unwrap();
    (decoded.width(), decoded.height())
}

#[test]
fn large_ones_are_scaled_and_the_session_keeps_what_the_model_saw() {
    let stage = Stage::playing(r#"otherwise: [{say: "I see."}]"#);
    let mut host = stage.start();
    let pictures = [
        picture(1568, 40, ImageFormat::Png),
        picture(3136, 100, ImageFormat::Jpeg),
        picture(30, 2000, ImageFormat::Png),
    ];
    let images: Vec<_> = pictures.iter().map(|data| json!({"data": data})).collect();
    let answer = host.ask(json!({"id": 1, "type": "prompt", "images": images}));
    assert_eq!(answer["ok"], true, "{answer}");
    host.wait_type("turn_end");
    let session = host.session();
    host.finish();
    let journal = Journal::read(&stage.state(), &session);
    let Some(Message::User { content, .. }) = journal.conversation.first() else {
        panic!("{:?}", journal.conversation);
    };
    let sizes: Vec<(u32, u32)> = content
        .parts
        .iter()
        .map(|part| match part {
            Part::Image(image) => size(image),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(sizes, [(1568, 40), (1568, 50), (24, 1568)]);
}

#[test]
fn a_bomb_is_refused_by_its_header() {
    let stage = Stage::playing(r#"otherwise: [{say: "I see."}]"#);
    let mut host = stage.start();
    for (number, (width, height)) in (0..).zip([(50_000, 50_000), (0, 10), (u32::MAX, u32::MAX)]) {
        let image = json!({"data": claim(width, height)});
        let answer = host.ask(json!({"id": number, "type": "prompt", "images": [image]}));
        assert_eq!(answer["ok"], false, "{width} by {height}");
        let error = answer["error"].as_str().unwrap();
        assert!(error.starts_with("image 1"), "{error}");
    }
    let resident = crate::support::processes::resident_bytes(host.pid());
    assert!(resident < 100 << 20, "{resident} bytes in memory");
    host.finish();
}
