//! What the disk takes by itself: no durable answer can be quicker.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};

use tokio::time::Instant;

use super::figure::Figure;
use super::samples::Samples;
use super::site::Site;
use super::trouble::Trouble;

/// A page, as the journal writes several for each commit.
const PAGE: [u8; 4096] = [b'x'; 4096];

/// Writes a page and waits until it is on the disk.
pub(super) fn measure(site: &Site, figures: &mut Vec<Figure>) -> Result<(), Trouble> {
    let runs = site.pick(30, 200);
    let mut samples = Samples::default();
    let path = site.folder().join("page");
    let mut file = File::create(&path).map_err(Trouble::unmeasured)?;
    for _ in 0..runs {
        site.check()?;
        let began = Instant::now();
        file.seek(SeekFrom::Start(0))
            .and_then(|_| file.write_all(&PAGE))
            .and_then(|()| file.sync_data())
            .map_err(Trouble::unmeasured)?;
        samples.add(began.elapsed());
    }
    std::fs::remove_file(path).map_err(Trouble::unmeasured)?;
    let what = "a bare write and sync of 4 KiB here";
    let p50 = Figure::new("disk.p50", format!("{what}, p50"), samples.p50(), "ms");
    figures.push(p50.runs(runs));
    let p99 = Figure::new("disk.p99", format!("{what}, p99"), samples.p99(), "ms");
    figures.push(p99.runs(runs));
    Ok(())
}
