#!/usr/bin/env node
// The Node client of Autohand's RPC page, made to run against Greenroom.
//
//     node autohand_client.mjs [PROGRAM] [PROMPT] [FLAGS OF THE AGENT...]
//
// It is the page's client but for this: the program and the prompt may be given, the prompt
// is sent when the agent is ready (the page waits a second), questions (an extension of
// Greenroom) are answered, and it ends with the turn. The program may also be a link to
// greenroom named `autohand`. Everything is allowed: point it at a folder you can spare.

import { spawn } from "node:child_process";
import readline from "node:readline";

const [program = "greenroom", prompt = "List files in current directory", ...flags] =
  process.argv.slice(2);

const agent = spawn(program, ["--mode", "rpc", "--ephemeral", ...flags], {
  stdio: ["pipe", "pipe", "inherit"],
});
agent.stdin.on("error", () => {}); // it has ended; its exit code says why
const rl = readline.createInterface({ input: agent.stdout, crlfDelay: Infinity });
const send = (command) => agent.stdin.write(JSON.stringify(command) + "\n");

let success = false;

rl.on("line", (line) => {
  const event = JSON.parse(line);

  // Send prompt after ready
  if (event.type === "agent_start") {
    send({ type: "prompt", message: prompt, id: "1" });
  }

  if (event.type === "message_update") {
    process.stdout.write(event.data.delta);
  }

  if (event.type === "permission_request") {
    console.error(`\n! ${event.data.message}`);
    send({ type: "permission_response", requestId: event.data.requestId, approve: true });
  }

  if (event.type === "question") {
    send({ type: "question_response", requestId: event.data.requestId, answer: "yes" });
  }

  if (event.type === "response" && !event.success) {
    console.error(`${event.command}: ${event.error}`);
    agent.stdin.end();
  }

  if (event.type === "turn_end") {
    console.log("\n--- Done ---");
    success = event.data.success;
    agent.stdin.end();
  }
});

agent.on("error", (error) => {
  console.error(`${program}: ${error.message}`);
  process.exitCode = 1;
});
agent.on("close", () => {
  process.exitCode = success ? 0 : 1;
});

process.on("SIGINT", () => {
  send({ type: "abort" });
  agent.kill();
});
