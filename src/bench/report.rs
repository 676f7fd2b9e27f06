//! What was measured, for people and for programs.

use serde_json::{Value, json};

use super::figure::{Bar, Figure};
use super::machine::Machine;
use super::trouble::Trouble;

/// What cannot be measured yet, and why.
const LEFT_OUT: &[&str] = &[
    "durable admissions of 64 clients: one process serves one client as yet; comes with the daemon",
    "200 open sessions, hibernation, 200 streams at once: come with the daemon",
];

/// All of it.
#[derive(Debug)]
pub(super) struct Report {
    pub machine: Machine,
    pub quick: bool,
    pub figures: Vec<Figure>,
    /// What failed, by the name of its measure.
    pub troubles: Vec<(&'static str, Trouble)>,
}

impl Report {
    /// An aligned table, with all that belongs to it.
    pub fn table(&self) -> String {
        let machine = &self.machine;
        let mut text = format!(
            "{} ({}), on {}: {} cores, {}, {}, journals on {}\n",
            machine.version,
            machine.profile,
            machine.name,
            machine.cores,
            machine.cpu,
            machine.kernel,
            machine.file_system,
        );
        for warning in machine.warnings() {
            text.push_str(&format!("warning: {warning}\n"));
        }
        text.push('\n');
        let rows: Vec<[String; 5]> = self.figures.iter().map(row).collect();
        let head = ["", "measured", "bar", "", "runs"].map(str::to_owned);
        let widths = widths(rows.iter().chain([&head]));
        for (row, note) in [&head].into_iter().chain(&rows).zip(
            [""].into_iter()
                .chain(self.figures.iter().map(|it| it.note.as_str())),
        ) {
            text.push_str(&line(row, widths, note));
        }
        text.push('\n');
        for what in LEFT_OUT {
            text.push_str(&format!("not measured: {what}\n"));
        }
        for (name, trouble) in &self.troubles {
            let word = match trouble {
                Trouble::Broken(_) => "BROKEN",
                Trouble::Unmeasured(_) | Trouble::Stopped => "not measured",
            };
            text.push_str(&format!("{word}: {name}: {trouble}\n"));
        }
        let bars: Vec<bool> = self.figures.iter().filter_map(Figure::met).collect();
        let met = bars.iter().filter(|met| **met).count();
        text.push_str(&format!("{met} of {} bars met\n", bars.len()));
        text
    }

    /// One JSON object and a line feed.
    pub fn json(&self) -> String {
        let machine = &self.machine;
        let figures: Vec<Value> = self.figures.iter().map(figure_json).collect();
        let troubles: Vec<Value> = self
            .troubles
            .iter()
            .map(|(measure, trouble)| {
                json!({
                    "measure": measure,
                    "kind": trouble.kind(),
                    "reason": trouble.to_string(),
                })
            })
            .collect();
        let report = json!({
            "version": machine.version,
            "quick": self.quick,
            "machine": {
                "name": machine.name,
                "cores": machine.cores,
                "cpu": machine.cpu,
                "kernel": machine.kernel,
                "profile": machine.profile,
                "file_system": machine.file_system,
                "load": machine.load,
            },
            "warnings": machine.warnings(),
            "figures": figures,
            "troubles": troubles,
            "left_out": LEFT_OUT,
        });
        format!("{report}\n")
    }
}

fn row(figure: &Figure) -> [String; 5] {
    let bar = figure.bar.map(|bar| {
        let sign = match bar {
            Bar::AtMost(_) => "≤",
            Bar::AtLeast(_) => "≥",
        };
        format!("{sign} {}", with_unit(bar.number(), figure.unit))
    });
    let met = match figure.met() {
        Some(true) => "met",
        Some(false) => "MISSED",
        None => "",
    };
    [
        figure.what.clone(),
        with_unit(figure.value, figure.unit),
        bar.unwrap_or_default(),
        met.to_owned(),
        figure.runs.to_string(),
    ]
}

/// As many digits as mean something.
fn with_unit(value: f64, unit: &str) -> String {
    let digits = match value.abs() {
        _ if value.fract() == 0.0 => 0,
        size if size >= 1000.0 => 0,
        size if size >= 100.0 => 1,
        _ => 2,
    };
    format!("{value:.digits$} {unit}")
}

fn figure_json(figure: &Figure) -> Value {
    json!({
        "name": figure.name,
        "what": figure.what,
        "value": figure.value,
        "unit": figure.unit,
        "bar": figure.bar.map(Bar::number),
        "bar_kind": figure.bar.map(Bar::kind),
        "met": figure.met(),
        "runs": figure.runs,
        "note": figure.note,
    })
}

fn widths<'r>(rows: impl Iterator<Item = &'r [String; 5]>) -> [usize; 5] {
    let mut widths = [0; 5];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    widths
}

fn line(row: &[String; 5], widths: [usize; 5], note: &str) -> String {
    let [what, value, bar, met, runs] = row;
    let [w0, w1, w2, w3, w4] = widths;
    let line = format!("{what:w0$}  {value:>w1$}  {bar:>w2$}  {met:w3$}  {runs:>w4$}  {note}");
    format!("{}\n", line.trim_end())
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn report() -> Report {
        Report {
            machine: Machine {
                version: "greenroom 1.0",
                name: "box".into(),
                cores: 2,
                cpu: "a processor".into(),
                kernel: "linux 6.1".into(),
                profile: "debug",
                file_system: "tmpfs".into(),
                load: Some(4.5),
            },
            quick: true,
            figures: vec![
                Figure::new("a.p50", "a start", 12.345, "ms")
                    .at_most(15.0)
                    .runs(20),
                Figure::new("b", "deltas of a burst", 123_456.7, "/s")
                    .at_least(200_000.0)
                    .note("merged"),
                Figure::new("c", "memory", 9.0, "MB"),
            ],
            troubles: vec![("requests", Trouble::broken("an answer is missing"))],
        }
    }

    #[test]
    fn the_table_is_aligned() {
        expect![[r#"
            greenroom 1.0 (debug), on box: 2 cores, a processor, linux 6.1, journals on tmpfs
            warning: this is a debug build: use `cargo run --release -- bench` for figures that count
            warning: the journals lie on tmpfs, in memory: durable figures would be worse on a disk
            warning: the machine is busy (load 4.5 on 2 cores): times are worse than they could be

                                measured          bar          runs
            a start             12.35 ms      ≤ 15 ms  met       20
            deltas of a burst  123457 /s  ≥ 200000 /s  MISSED     1  merged
            memory                  9 MB                          1

            not measured: durable admissions of 64 clients: one process serves one client as yet; comes with the daemon
            not measured: 200 open sessions, hibernation, 200 streams at once: come with the daemon
            BROKEN: requests: an answer is missing
            1 of 2 bars met
        "#]].assert_eq(&report().table());
    }

    #[test]
    fn programs_get_one_object() {
        expect![[r#"
            {"version":"greenroom 1.0","quick":true,"machine":{"name":"box","cores":2,"cpu":"a processor","kernel":"linux 6.1","profile":"debug","file_system":"tmpfs","load":4.5},"warnings":["this is a debug build: use `cargo run --release -- bench` for figures that count","the journals lie on tmpfs, in memory: durable figures would be worse on a disk","the machine is busy (load 4.5 on 2 cores): times are worse than they could be"],"figures":[{"name":"a.p50","what":"a start","value":12.345,"unit":"ms","bar":15.0,"bar_kind":"at_most","met":true,"runs":20,"note":""},{"name":"b","what":"deltas of a burst","value":123456.7,"unit":"/s","bar":200000.0,"bar_kind":"at_least","met":false,"runs":1,"note":"merged"},{"name":"c","what":"memory","value":9.0,"unit":"MB","bar":null,"bar_kind":null,"met":null,"runs":1,"note":""}],"troubles":[{"measure":"requests","kind":"broken","reason":"an answer is missing"}],"left_out":["durable admissions of 64 clients: one process serves one client as yet; comes with the daemon","200 open sessions, hibernation, 200 streams at once: come with the daemon"]}
        "#]].assert_eq(&report().json());
    }
}
