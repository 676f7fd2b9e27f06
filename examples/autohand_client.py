#!/usr/bin/env python3
"""The Python client of Autohand's RPC page, made to run against Greenroom.

    autohand_client.py [--bin PROGRAM] [PROMPT] [-- FLAGS OF THE AGENT]

It is the page's client but for four things: the program and the prompt may be given,
questions (an extension of Greenroom) are answered, a refused prompt ends it, and it waits
for the end of the process. The program may also be a link to greenroom named `autohand`.
Everything is allowed, so point it at a folder that you can spare.
"""

import argparse
import json
import subprocess
import sys

parser = argparse.ArgumentParser(
    description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--bin", default="greenroom")
parser.add_argument("prompt", nargs="?", default="Hello!")
parser.add_argument("flags", nargs="*")
args = parser.parse_args()

proc = subprocess.Popen(
    [args.bin, "--mode", "rpc", "--ephemeral", *args.flags],
    stdin=subprocess.PIPE,
    stdout=subprocess.PIPE,
    text=True,
    encoding="utf-8",
)


def send(cmd):
    proc.stdin.write(json.dumps(cmd) + "\n")
    proc.stdin.flush()


def read_events():
    for line in proc.stdout:
        yield json.loads(line)


# Wait for ready
for event in read_events():
    if event.get("type") == "agent_start":
        break

# Send prompt
send({"type": "prompt", "message": args.prompt, "id": "1"})

# Process events
success = False
for event in read_events():
    if event.get("type") == "message_update":
        print(event["data"]["delta"], end="", flush=True)

    if event.get("type") == "permission_request":
        # Handle permission
        print(f"\n! {event['data']['message']}", file=sys.stderr, flush=True)
        send({
            "type": "permission_response",
            "requestId": event["data"]["requestId"],
            "approve": True,
        })

    if event.get("type") == "question":
        send({
            "type": "question_response",
            "requestId": event["data"]["requestId"],
            "answer": "yes",
        })

    if event.get("type") == "response" and not event["success"]:
        print(f"{event['command']}: {event['error']}", file=sys.stderr)
        break

    if event.get("type") == "turn_end":
        print()
        success = event["data"]["success"]
        break

proc.terminate()
proc.wait()
sys.exit(0 if success else 1)
