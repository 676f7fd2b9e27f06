#!/usr/bin/env node
// A small client of `greenroom agent --rpc` for Node, without packages.
//
//     node rpc_client.mjs [PROGRAM] [PROMPT] [FLAGS OF THE AGENT...]
//
// The answer streams to standard output, the rest goes to standard error. Reads and edits in
// the workspace run; everything else is refused with a note, so nothing waits for a person.
// rpc_client.py shows how to ask one.

import { spawn } from "node:child_process";
import readline from "node:readline";

const [program = "greenroom", prompt = "Hello!", ...flags] = process.argv.slice(2);
const agent = spawn(program, ["agent", "--rpc", ...flags], {
  stdio: ["pipe", "pipe", "inherit"],
  detached: true, // Ctrl-C reaches only us: we send `abort`
});
agent.stdin.on("error", () => {}); // it has ended; its exit code says why

let lastId = 0;
const waiting = new Map();

// Sends a command; the promise holds what its response returns.
function send(type, fields = {}) {
  const id = ++lastId;
  const response = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  agent.stdin.write(JSON.stringify({ id, type, ...fields }) + "\n");
  return response;
}

// Commands that need no answer here: only a refusal is told.
const tell = (type, fields) => send(type, fields).catch((error) => console.error(error.message));

const on = {
  async session_start() {
    try {
      await send("prompt", { text: prompt });
    } catch (error) {
      console.error(error.message);
      agent.stdin.end();
    }
  },
  response({ id, command, ok, error, data }) {
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    ok ? resolve?.(data) : reject?.(new Error(`${command}: ${error}`));
  },
  text_delta: ({ text }) => process.stdout.write(text),
  message_end: ({ role, text }) => role === "assistant" && text && process.stdout.write("\n"),
  tool_call: ({ tool, summary }) => console.error(`* ${tool}: ${summary}`),
  approval_needed({ call_id, summary, reason }) {
    console.error(`! refused: ${summary} (${reason})`);
    tell("approve", { call_id, allow: false, note: "nobody is there to allow it" });
  },
  question({ call_id, text }) {
    console.error(`? ${text}`);
    tell("answer", { call_id, text: "Nobody is there to answer: choose what is safe." });
  },
  error: ({ message }) => console.error(`error: ${message}`),
  turn_end({ status }) {
    console.error(`turn ended: ${status}`);
    process.exitCode = { ok: 0, aborted: 130 }[status] ?? 1;
    agent.stdin.end();
  },
};

process.exitCode = 1;
readline
  .createInterface({ input: agent.stdout, crlfDelay: Infinity })
  .on("line", (line) => {
    const event = JSON.parse(line);
    on[event.type]?.(event);
  });
agent.on("error", (error) => console.error(`${program}: ${error.message}`));
process.on("SIGINT", () => tell("abort"));
