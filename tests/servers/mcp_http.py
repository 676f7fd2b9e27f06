"""An MCP server over HTTP. Prints its port; its paths behave differently:

/mcp well; /denied refuses (401, and repeats the header that it got); /away leads
to another port; /here leads to /mcp; /huge answers with too much; /hang never
answers. /sse and /message are the transport of old; /sse-away names an endpoint
of another server, /sse-none names none, /sse-denied refuses.
"""

import json
import sys
import threading
import time
from queue import Queue
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

seen = []
streams = {}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, code, body=b"", **headers):
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except BrokenPipeError:
            pass

    def do_GET(self):
        path = self.path.split("?")[0]
        if path == "/sse-denied":
            return self.reply(401)
        if not path.startswith("/sse"):
            return self.reply(405)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        if path == "/sse-none":
            return self.wfile.write(b"data: hello\n\n")
        port = other.server_port if path == "/sse-away" else server.server_port
        queue = streams.setdefault(port, Queue())
        self.wfile.write(b": hello\n\nevent: endpoint\ndata: http://127.0.0.1:%d/message\n\n" % port)
        while True:
            answer = queue.get()
            if answer is None:
                return
            self.wfile.write(b"event: message\ndata: " + answer + b"\n\n")

    def do_DELETE(self):
        self.reply(200)

    def do_POST(self):
        self.path = self.path.split("?")[0]
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        key = self.headers.get("X-Key", "none")
        if self.path == "/denied":
            return self.reply(401, ("no entry for " + key).encode(), WWW_Authenticate="Bearer realm=x")
        if self.path == "/away":
            return self.reply(307, Location="http://127.0.0.1:%d/mcp" % other.server_port)
        if self.path == "/here":
            return self.reply(307, Location="/mcp")
        if self.path == "/hang":
            time.sleep(3600)
        message = json.loads(body)
        method = message.get("method")
        if self.server is other:
            seen.append(key)
        if "id" not in message:
            return self.reply(202)
        if method == "initialize":
            result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
                      "serverInfo": {"name": "http", "version": "1"}}
        elif method == "tools/list":
            result = {"tools": [{"name": "key", "inputSchema": {"type": "object"}},
                                {"name": "seen", "inputSchema": {"type": "object"}}]}
            if self.path == "/huge":
                result["padding"] = "x" * (17 << 20)
        elif method == "tools/call":
            said = key if message["params"]["name"] == "key" else json.dumps(seen)
            if message["params"]["name"] == "break":
                said = "breaks"
            result = {"content": [{"type": "text", "text": "it got " + said}]}
        else:
            result = {}
        answer = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
        if self.path == "/message":
            self.reply(202)
            queue = streams[self.server.server_port]
            # It breaks off in the middle of a call.
            return queue.put(None if "breaks" in str(result) else answer)
        self.reply(200, answer, Content_Type="application/json")


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
other = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
for it in (server, other):
    it.daemon_threads = True
    threading.Thread(target=it.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
# It ends with whoever started it.
sys.stdin.read()
