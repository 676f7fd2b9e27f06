#!/usr/bin/env python3
"""A complete client of `greenroom agent --rpc`: one prompt, answered in the terminal.

    rpc_client.py [--bin greenroom] [--yes] PROMPT [-- FLAGS OF THE AGENT]

The answer streams to standard output; what the agent does goes to standard error.
You are asked before a call that needs approval: y (yes), n (no), s (yes, and calls like
it for the rest of the session); anything else is a no that the model reads as your note.
--yes allows everything and takes the first option of a question, so nobody need be there.
Ctrl-C aborts the turn, a second one ends the agent.
Exit codes: 0 the turn completed, 1 it did not, 130 it was aborted.
"""

import argparse, json, signal, subprocess, sys


class Client:
    def __init__(self, program, yes):
        # In a session of its own, so that Ctrl-C reaches only us: we send `abort`.
        self.agent = subprocess.Popen(
            program, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, encoding="utf-8", start_new_session=True)
        self.yes, self.asking, self.aborted, self.last_id = yes, False, False, 0
        signal.signal(signal.SIGINT, self.interrupt)

    def send(self, command, **fields):
        """Sends a command. Its response carries the same id."""
        self.last_id += 1
        line = json.dumps({"id": self.last_id, "type": command, **fields})
        try:
            self.agent.stdin.write(line + "\n")
            self.agent.stdin.flush()
        except (BrokenPipeError, ValueError):
            pass  # It has ended; its last lines and its exit code say why.

    def interrupt(self, *_):
        if self.aborted:
            self.agent.terminate()
        self.aborted = True
        self.send("abort")
        if self.asking:
            raise KeyboardInterrupt  # out of input(): the abort settles what was asked

    def ask(self, text):
        """What the person types, or None when nobody answers any more."""
        try:
            self.asking = True
            print(text, end=" ", flush=True, file=sys.stderr)
            return input()
        except KeyboardInterrupt:
            return None
        except EOFError:
            return ""
        finally:
            self.asking = False

    def approve(self, event):
        for edit in event.get("edits", []):
            note(f"  {edit['kind']} {edit['path']}")
        reply = "y" if self.yes else self.ask("allow? [y]es, [n]o, for the [s]ession, or a note:")
        if reply is None:
            return
        word = reply.strip().lower()
        decision = {"allow": word in ("y", "yes", "s")}
        if word == "s":
            decision["for_session"] = True
        elif word not in ("y", "yes", "n", "no"):
            decision["note"] = reply.strip() or "nobody was there to allow it"
        self.send("approve", call_id=event["call_id"], **decision)

    def answer(self, event):
        answers = []
        for question in event.get("questions") or [{"id": "", **event}]:
            options = question.get("options", [])
            note("? " + question["text"] + "".join(f"\n  - {option}" for option in options))
            reply = (options or ["yes"])[0] if self.yes else self.ask(">")
            if reply is None:
                return
            answers.append({"question": question["id"], "text": reply})
        if "questions" in event:
            self.send("answer", call_id=event["call_id"], answers=answers)
        else:
            self.send("answer", call_id=event["call_id"], text=answers[0]["text"])

    def run(self, prompt):
        """Plays one turn and ends the agent; returns the exit code."""
        code = 1
        for line in self.agent.stdout:
            event = json.loads(line)
            match event["type"]:
                case "session_start":
                    self.send("prompt", text=prompt)
                case "response" if not event["ok"]:
                    note(f"{event['command']}: {event['error']}")
                    if event["command"] == "prompt":
                        self.agent.stdin.close()  # no turn, so no turn_end
                case "text_delta":
                    print(event["text"], end="", flush=True)
                case "message_end" if event["role"] == "assistant" and event["text"]:
                    print(flush=True)
                case "tool_call":
                    note(f"* {event['tool']}: {event['summary']}")
                case "tool_result" if event["is_error"]:
                    note(f"  {event['tool']} failed: {event['text']}")
                case "plan":
                    for item in event["items"]:
                        note(f"  [{'x' if item['status'] == 'completed' else ' '}] {item['text']}")
                case "approval_needed":
                    note(f"! {event['tool']}: {event['summary']} ({event['reason']})")
                    self.approve(event)
                case "question":
                    self.answer(event)
                case "error":
                    note(f"error: {event['message']}")
                case "turn_end":
                    code = {"ok": 0, "aborted": 130}.get(event["status"], 1)
                    note(f"turn ended: {event['status']}")
                    self.agent.stdin.close()
        return self.agent.wait() or code


def note(text):
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="greenroom", help="the program to start")
    parser.add_argument("--yes", action="store_true", help="ask nobody")
    parser.add_argument("prompt")
    parser.add_argument("flags", nargs="*", help="for the agent, after --")
    args = parser.parse_args()
    sys.exit(Client([args.bin, "agent", "--rpc", *args.flags], args.yes).run(args.prompt))
