//! Each section of the file with its defaults filled in.

use std::time::Duration;

use super::raw::{
    RawAgents, RawCompaction, RawDeadlines, RawInput, RawInstructions, RawJournal, RawLimits,
    RawLog, RawOutput, RawRetries, RawTools,
};
use super::{
    AgentSettings, CompactionSettings, Deadlines, InputSettings, InstructionSettings,
    JournalSettings, Limits, LogSettings, OutputSettings, Retries, ToolOptions,
};
use crate::tool::steers_start;

pub(super) fn limits(raw: RawLimits) -> Limits {
    let usual = Limits::default();
    Limits {
        max_steps: raw.max_steps.map_or(usual.max_steps, |n| n.0 as u32),
        turn_tokens: raw.turn_tokens.map(|n| n.0),
        turn_cost: raw.turn_cost_usd.map(|dollars| dollars.0),
        session_tokens: raw.session_tokens.map(|n| n.0),
        session_cost: raw.session_cost_usd.map(|dollars| dollars.0),
        when_met: raw.when_met.map_or(usual.when_met, |when| when.0),
        turn_time: raw.turn_seconds.map(|n| Duration::from_secs(n.0)),
        answer_tokens: raw.answer_tokens.map(|n| n.0 as u32),
    }
}

pub(super) fn deadlines(raw: RawDeadlines) -> Deadlines {
    let usual = Deadlines::default();
    Deadlines {
        connect: raw.connect.map_or(usual.connect, |span| span.0),
        first_piece: raw.first_piece.map_or(usual.first_piece, |span| span.0),
        stall: raw.stall.map_or(usual.stall, |span| span.0),
        approval: raw.approval.and_then(|span| span.0),
        question: raw.question.and_then(|span| span.0),
    }
}

pub(super) fn retries(raw: RawRetries) -> Result<Retries, String> {
    let usual = Retries::default();
    let base = raw.base.map_or(usual.base, |span| span.0);
    let cap = match raw.cap {
        Some(span) if span.0 < base => {
            return Err("retries.cap must be at least retries.base".to_owned());
        }
        Some(span) => span.0,
        None => usual.cap.max(base),
    };
    Ok(Retries {
        attempts: raw.attempts.map_or(usual.attempts, |n| n.0 as u32),
        base,
        cap,
    })
}

pub(super) fn tools(raw: RawTools) -> Result<ToolOptions, String> {
    let usual = ToolOptions::default();
    let env = raw.env.unwrap_or_default();
    for name in &env {
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err("tools.env takes names of environment variables, no values".to_owned());
        }
        if steers_start(name) {
            return Err(format!(
                "tools.env: {name} makes shells or the loader run something else than the command \
                 that was judged, so commands never get it; set what you need in the command itself"
            ));
        }
    }
    let shell_timeout = raw.shell_timeout.map_or(usual.shell_timeout, |span| span.0);
    let shell_timeout_max = match raw.shell_timeout_max {
        Some(span) if span.0 < shell_timeout => {
            return Err("tools.shell_timeout_max must be at least tools.shell_timeout".to_owned());
        }
        Some(span) => span.0,
        None => usual.shell_timeout_max.max(shell_timeout),
    };
    Ok(ToolOptions {
        shell_timeout,
        shell_timeout_max,
        output_cap_kb: raw
            .output_cap_kb
            .map_or(usual.output_cap_kb, |n| n.0 as u32),
        whole_output_mb: raw
            .whole_output_mb
            .map_or(usual.whole_output_mb, |n| n.0 as u32),
        kept_outputs_mb: raw
            .kept_outputs_mb
            .map_or(usual.kept_outputs_mb, |n| n.0 as u32),
        jobs: raw.jobs.map_or(usual.jobs, |n| n.0 as u32),
        job_output_kb: raw
            .job_output_kb
            .map_or(usual.job_output_kb, |n| n.0 as u32),
        env,
    })
}

pub(super) fn input(raw: RawInput) -> InputSettings {
    let usual = InputSettings::default();
    InputSettings {
        max_line_bytes: raw
            .max_line_bytes
            .map_or(usual.max_line_bytes, |n| n.0 as usize),
    }
}

pub(super) fn output(raw: RawOutput) -> Result<OutputSettings, String> {
    let usual = OutputSettings::default();
    let soft_bytes = raw.soft_bytes.map_or(usual.soft_bytes, |n| n.0 as usize);
    let hard_bytes = match raw.hard_bytes {
        Some(n) if (n.0 as usize) < soft_bytes => {
            return Err("output.hard_bytes must be at least output.soft_bytes".to_owned());
        }
        Some(n) => n.0 as usize,
        None => usual.hard_bytes.max(soft_bytes),
    };
    Ok(OutputSettings {
        soft_bytes,
        hard_bytes,
    })
}

pub(super) fn log(raw: RawLog) -> LogSettings {
    LogSettings {
        level: raw.level.unwrap_or_default(),
        format: raw.format.map(|format| format.0).unwrap_or_default(),
    }
}

pub(super) fn journal(raw: RawJournal) -> JournalSettings {
    let usual = JournalSettings::default();
    JournalSettings {
        cache_mb: raw.cache_mb.map_or(usual.cache_mb, |n| n.0 as u32),
    }
}

pub(super) fn instructions(raw: RawInstructions) -> Result<InstructionSettings, String> {
    let usual = InstructionSettings::default();
    let files = raw.files.unwrap_or(usual.files);
    for name in &files {
        if name.is_empty() || name.contains(['/', '\0']) || name == "." || name == ".." {
            return Err(format!(
                "instructions.files: {name:?} is no name of a file: leave folders out"
            ));
        }
    }
    Ok(InstructionSettings {
        files,
        max_bytes: raw.max_kb.map_or(usual.max_bytes, |n| n.0 as usize * 1024),
    })
}

pub(super) fn compaction(raw: RawCompaction) -> CompactionSettings {
    let usual = CompactionSettings::default();
    CompactionSettings {
        keep_messages: raw
            .keep_messages
            .map_or(usual.keep_messages, |n| n.0 as usize),
        at_percent: match raw.at_percent {
            Some(percent) => u8::try_from(percent.0).ok().filter(|percent| *percent > 0),
            None => usual.at_percent,
        },
    }
}

pub(super) fn agents(raw: RawAgents) -> AgentSettings {
    let usual = AgentSettings::default();
    AgentSettings {
        at_once: raw.at_once.map_or(usual.at_once, |n| n.0 as usize),
        depth: raw.depth.map_or(usual.depth, |n| n.0 as u32),
        wake: raw.wake.unwrap_or(usual.wake),
    }
}
