"""An MCP server over standard streams that behaves as badly as it is told to.

    mcp_server.py [--word WORD] [--start HOW] [--ignore-term] [--child]

--start: well (default), silent (never answers initialize), junk (answers what is
no JSON-RPC), crash (ends with 3), slow (answers after a file `go` is there),
pages (each page of its tools names a next one), refuse (an error), modern (it
knows no handshake, as from 2026-07-28 on).
--word is only there to be found in the list of processes.
"""

import base64
import json
import os
import signal
import subprocess
import sys
import threading
import time

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

lock = threading.Lock()
cancelled = []
answers = {}
answered = threading.Condition()
extra_tools = []
listener = []


def send(message):
    with lock:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def notify(method, params=None):
    send({"method": method, "params": params or {}})


def ask(method, params):
    """Asks the client and waits for its answer."""
    number = "s%d" % (time.monotonic_ns())
    send({"id": number, "method": method, "params": params})
    with answered:
        while number not in answers:
            answered.wait()
        return answers.pop(number)


def text(words, **more):
    return {"content": [{"type": "text", "text": words}], **more}


def tool(name, schema=None, **more):
    if schema is None:
        schema = {"type": "object", "properties": {}}
    return {"name": name, "description": "The tool " + name, "inputSchema": schema, **more}


FORM = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Name"},
        "age": {"type": "integer", "description": "in years"},
        "colour": {"type": "string", "enum": ["r", "g"], "enumNames": ["Red", "Green"]},
        "sure": {"type": "boolean"},
    },
    "required": ["name"],
}

deep = {"type": "string"}
for _ in range(60):
    deep = {"type": "object", "properties": {"x": deep}}

LIES = [
    tool("lie_list", []),
    tool("lie_text", "object"),
    tool("lie_array", {"type": "array"}),
    tool("lie_deep", deep),
    tool("lie_big", {"type": "object", "properties": {"p%d" % n: {"type": "string"} for n in range(9000)}}),
    tool("lie_circle", {"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}},
                        "$defs": {"a": {"properties": {"b": {"$ref": "#/$defs/b"}}},
                                  "b": {"items": {"$ref": "#/$defs/a"}}}}),
    tool("lie_away", {"type": "object", "properties": {"a": {"$ref": "https://example.com/s"}}}),
    tool("lie_name", {"type": "object", "properties": {"no blanks please": {}}}),
    tool("\u0000\u001b[31m"),
    {"description": "nameless"},
    "no object",
]


def tools():
    names = ["echo", "fail", "hang", "die", "flood", "big_line", "progress", "picture", "things", "structured",
             "environment", "ask", "ask_for_ever", "sample", "roots", "spam", "grow", "cancels", "where", "empty",
             "beg", "junk", "deaf", "error", "values"]
    if start == "modern":
        return [tool(name) for name in ("echo", "rounds", "sampling_rounds", "endless_rounds", "later", "grow")] + extra_tools
    return [tool(name) for name in names] + LIES + extra_tools


def rounds(name, params):
    """A call that needs more to go on."""
    if name == "endless_rounds":
        return {"resultType": "input_required", "requestState": "again", "inputRequests": {}}
    if "requestState" in params:
        return text(json.dumps({"state": params["requestState"], "answers": params.get("inputResponses")}))
    if name == "later":
        return {"resultType": "input_required", "requestState": "later"}
    requests = {"who": {"method": "elicitation/create", "params": {"message": "Who?", "requestedSchema": FORM}},
                "where": {"method": "roots/list"}}
    if name == "sampling_rounds":
        requests = {"x": {"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 5}}}
    return {"resultType": "input_required", "requestState": "opaque", "inputRequests": requests}


def call(number, name, arguments, token):
    if name == "echo":
        return text(arguments.get("text", ""))
    if name == "fail":
        return text("it is broken", isError=True)
    if name == "error":
        raise ValueError("no such thing, " + os.environ.get("SERVER_TOKEN", ""))
    if name == "hang":
        time.sleep(3600)
    if name == "die":
        sys.stderr.write("I die now\n")
        sys.stderr.flush()
        os._exit(7)
    if name == "flood":
        return text("<" + "x" * arguments["bytes"] + ">")
    if name == "big_line":
        return text("x" * (17 << 20))
    if name == "values":
        return {"content": [], "structuredContent": [[]] * 600000}
    if name == "progress":
        for step in (1, 2):
            notify("notifications/progress",
                   {"progressToken": token, "progress": step, "total": 2, "message": "step"})
            time.sleep(0.1)
        return text("done")
    if name == "picture":
        return {"content": [
            {"type": "image", "data": base64.b64encode(PNG).decode(), "mimeType": "image/jpeg"},
            {"type": "image", "data": base64.b64encode(b"no picture").decode(), "mimeType": "image/png"},
            {"type": "image", "data": "!!!", "mimeType": "image/png"},
        ]}
    if name == "things":
        return {"content": [
            {"type": "text", "text": "see"},
            {"type": "resource", "resource": {"uri": "x://t", "text": "inside"}},
            {"type": "resource", "resource": {"uri": "x://b", "blob": "AAEC", "mimeType": "a/b"}},
            {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
            {"type": "resource_link", "uri": "x://l", "name": "link", "description": "more"},
        ]}
    if name == "structured":
        return {"content": [], "structuredContent": {"n": 1}}
    if name == "environment":
        return text(json.dumps(dict(os.environ)))
    if name == "where":
        return text(os.getcwd())
    if name == "empty":
        return {"content": []}
    if name == "ask":
        return text(json.dumps(ask("elicitation/create", {"message": "Who?", "requestedSchema": FORM})))
    if name == "ask_for_ever":
        ask("elicitation/create", {"message": "Well?", "requestedSchema": {"type": "object", "properties": {}}})
        return text("answered")
    if name == "sample":
        return text(json.dumps(ask("sampling/createMessage", {
            "messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}], "maxTokens": 5})))
    if name == "roots":
        return text(json.dumps(ask("roots/list", {})))
    if name == "spam":
        for n in range(arguments["count"]):
            notify("notifications/message", {"level": "info", "data": "spam %d" % n})
        return text("spammed")
    if name == "beg":
        for n in range(6000):
            send({"id": "b%d" % n, "method": "elicitation/create",
                  "params": {"message": "?", "requestedSchema": FORM}})
        return text("begged")
    if name == "junk":
        with lock:
            sys.stdout.write("no json\n{\"jsonrpc\": \"2.0\", \"id\": 99999, \"result\": 5}\n[1]\n{}\n\n\0\n")
        return text("after junk")
    if name == "deaf":
        # From here on it neither reads nor answers.
        os.kill(os.getpid(), signal.SIGSTOP)
    if name == "grow":
        extra_tools.append(tool("grown%d" % len(extra_tools)))
        notify("notifications/tools/list_changed",
               {"_meta": {"io.modelcontextprotocol/subscriptionId": listener[0]}} if listener else None)
        return text("grown")
    if name == "cancels":
        return text(json.dumps(cancelled))
    raise ValueError("no such tool")


def handle(message):
    number, method = message.get("id"), message.get("method")
    params = message.get("params") or {}
    try:
        if start == "modern" and method == "server/discover":
            result = {"supportedVersions": ["2026-07-28"], "ttlMs": 0, "cacheScope": "private",
                      "capabilities": {"tools": {"listChanged": True}},
                      "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "modern", "version": "1"}}}
        elif start == "modern" and "io.modelcontextprotocol/protocolVersion" not in (params.get("_meta") or {}):
            raise ValueError("which version?")
        elif start == "modern" and method == "subscriptions/listen":
            listener[:] = [number]
            notify("notifications/subscriptions/acknowledged", {
                "notifications": {"toolsListChanged": True},
                "_meta": {"io.modelcontextprotocol/subscriptionId": number}})
            return
        elif start == "modern" and method == "tools/call" and params["name"] not in ("echo", "grow"):
            result = rounds(params["name"], params)
        elif method == "ping":
            result = {}
        elif method == "tools/list":
            result = {"tools": tools()}
            if start == "pages":
                page = int(params.get("cursor") or 0)
                result = {"tools": [tool("t%d_%d" % (page, n)) for n in range(5)], "nextCursor": str(page + 1)}
        elif method == "tools/call":
            token = (params.get("_meta") or {}).get("progressToken")
            result = call(number, params["name"], params.get("arguments") or {}, token)
        elif method == "resources/list":
            result = {"resources": [{"uri": "x://one", "name": "one", "mimeType": "text/plain"}, {"name": "no uri"}]}
        elif method == "resources/read":
            result = {"contents": [{"uri": params["uri"], "text": "what it says"}]}
        elif method == "prompts/list":
            result = {"prompts": [{"name": "greet", "arguments": [{"name": "who", "required": True}]}]}
        elif method == "prompts/get":
            who = (params.get("arguments") or {}).get("who")
            result = {"messages": [{"role": "user", "content": {"type": "text", "text": "Greet %s" % who}}]}
        else:
            send({"id": number, "error": {"code": -32601, "message": "unknown: " + str(method)}})
            return
        if start == "modern":
            result.setdefault("resultType", "complete")
        send({"id": number, "result": result})
    except Exception as fault:  # noqa: BLE001
        send({"id": number, "error": {"code": -32000, "message": str(fault)}})


def main():
    if start == "crash":
        sys.stderr.write("no token: " + os.environ.get("SERVER_TOKEN", "") + "\n")
        sys.exit(3)
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("method") == "initialize":
            if start == "silent":
                continue
            if start == "modern":
                send({"id": message["id"], "error": {"code": -32601, "message": "no handshake here"}})
                continue
            if start == "refuse":
                send({"id": message["id"], "error": {"code": -1, "message": "not you"}})
                continue
            if start == "junk":
                print("<html>502 Bad Gateway</html>\n[]\n" + json.dumps({"jsonrpc": "2.0", "id": message["id"],
                                                                        "result": {"junk": True}}), flush=True)
                continue
            while start == "slow" and not os.path.exists("go"):
                time.sleep(0.01)
            send({"id": message["id"], "result": {
                "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": {"tools": {"listChanged": True}, "resources": {}, "prompts": {}},
                "serverInfo": {"name": "hostile", "version": "1"}}})
        elif message.get("method") == "notifications/cancelled":
            cancelled.append(message["params"].get("requestId"))
        elif "method" in message:
            if "id" in message:
                threading.Thread(target=handle, args=(message,), daemon=True).start()
        else:
            with answered:
                answers[message.get("id")] = message.get("result", message.get("error"))
                answered.notify_all()
    if "--ignore-term" in sys.argv:
        time.sleep(3600)


start = sys.argv[sys.argv.index("--start") + 1] if "--start" in sys.argv else "well"
if "--ignore-term" in sys.argv:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if "--child" in sys.argv:
    # One that leaves the group, the session and the environment, and hears nothing.
    program = "import signal, time; [signal.signal(s, signal.SIG_IGN) for s in (1, 2, 15)]; time.sleep(3600)"
    word = sys.argv[sys.argv.index("--word") + 1]
    subprocess.Popen([sys.executable, "-c", program, word], env={}, start_new_session=True,
                     stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
main()
