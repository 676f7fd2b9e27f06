//! The text of a transcript: what is set up, what is sent, what must come.

/// A transcript.
#[derive(Debug)]
pub struct File {
    /// The script: YAML, or the name of an example.
    pub script: String,
    /// The configuration: YAML.
    pub config: String,
    pub flags: Vec<String>,
    /// Paths and contents.
    pub files: Vec<(String, String)>,
    /// Names and shell scripts.
    pub programs: Vec<(String, String)>,
    pub steps: Vec<Step>,
    /// All lines but those that must come, each with the step that it belongs
    /// to: for writing the file anew.
    kept: Vec<(usize, String)>,
}

/// One exchange.
#[derive(Debug, Default)]
pub struct Step {
    /// Sent in one write.
    pub sent: Vec<String>,
    /// `eof`, `SIGINT`, `SIGTERM`, `touch path`
    pub act: Option<String>,
    /// What is waited for, one after the other, when it isn't the answer.
    pub until: Vec<String>,
    /// Calls run side by side: only the order of each one's own lines holds, so
    /// they are shown call by call.
    pub by_call: bool,
}

/// What came: of each step its lines, then the exit code.
pub struct Played {
    pub lines: Vec<Vec<String>>,
    pub exit_code: String,
}

impl File {
    /// Reads a transcript.
    pub fn read(text: &str) -> Result<File, String> {
        let mut file = File {
            script: String::new(),
            config: String::new(),
            flags: Vec::new(),
            files: Vec::new(),
            programs: Vec::new(),
            // The lines that come before anything is sent.
            steps: vec![Step::default()],
            kept: Vec::new(),
        };
        let mut answered = true;
        for line in text.lines() {
            let (mark, rest) = line.split_once(' ').unwrap_or((line, ""));
            let acts = [">", "!"].contains(&mark);
            if acts && answered {
                file.steps.push(Step::default());
            }
            answered = match mark {
                "<" | "~" => true,
                ">" | "!" => false,
                _ => answered,
            };
            file.take(mark, rest)
                .map_err(|error| format!("{error}: {line}"))?;
            // A comment behind an exchange is about the next one.
            let is_ahead = mark == "#" && answered && file.steps.len() > 1;
            if !["<", "="].contains(&mark) {
                let step = file.steps.len() - usize::from(!is_ahead);
                file.kept.push((step, line.to_owned()));
            }
        }
        Ok(file)
    }

    fn take(&mut self, mark: &str, rest: &str) -> Result<(), String> {
        let pair = || rest.split_once(' ').ok_or("two things are needed");
        let step = self.steps.last_mut().ok_or("no step")?;
        match mark {
            "" | "#" | "<" | "=" => (),
            "@" => {
                self.script.push_str(rest);
                self.script.push('\n');
            }
            "&" => {
                self.config.push_str(rest);
                self.config.push('\n');
            }
            "$" => self
                .flags
                .extend(rest.split_whitespace().map(str::to_owned)),
            "+" => {
                let (path, content) = pair()?;
                let content = serde_json::from_str(content).map_err(|it| it.to_string())?;
                self.files.push((path.to_owned(), content));
            }
            "%" => {
                let (name, script) = pair()?;
                self.programs.push((name.to_owned(), script.to_owned()));
            }
            ">" => step.sent.push(rest.to_owned()),
            "!" => step.act = Some(rest.to_owned()),
            "~" if rest == "by call" => step.by_call = true,
            "~" => step.until.push(rest.to_owned()),
            _ => return Err("no such mark".to_owned()),
        }
        Ok(())
    }

    /// The transcript's text with what came.
    pub fn with(&self, played: &Played) -> String {
        let mut text = String::new();
        let mut kept = self.kept.iter().peekable();
        for (step, lines) in played.lines.iter().enumerate() {
            while let Some((_, line)) = kept.next_if(|(of, _)| *of <= step) {
                text.push_str(line);
                text.push('\n');
            }
            for line in lines {
                text.push_str("< ");
                text.push_str(line);
                text.push('\n');
            }
        }
        text.push_str(&format!("= {}\n", played.exit_code));
        text
    }
}
