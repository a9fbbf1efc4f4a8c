/**
 * The server of `cfile serve`, on this machine only. Every path starts with a random token:
 *
 * | path | answer |
 * | --- | --- |
 * | `/TOKEN/` and the page's own files | the explorer |
 * | `/TOKEN/served.json` | the list of files |
 * | `/TOKEN/files/N` | file N, whole or a range |
 */
import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readFile, stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { CFileError } from "@cfile/bytes";
import { explorerFolder } from "@cfile/explorer";
import type { ServedFile } from "./served-files.js";

export interface ExplorerServer {
  readonly url: string;
  close(): Promise<void>;
}

const HOST = "127.0.0.1";
const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  json: "application/json",
  webmanifest: "application/manifest+json",
};
/** The policy of the page itself: no other hosts. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "manifest-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
const COMMON = {
  "Content-Security-Policy": POLICY,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-store",
};
/** Connections at the same time; the server closes others at once. */
const MAX_CONNECTIONS = 256;
/** Time limits for clients. */
export interface ServerTimes {
  /** Until a request has arrived, in milliseconds. */
  readonly request: number;
  /** Without any progress of a response, in milliseconds. */
  readonly idle: number;
}

const TIMES: ServerTimes = { request: 10_000, idle: 60_000 };
/** Node closes late connections only when it checks them, by default every 30 s. */
const CHECKS_PER_REQUEST_TIME = 10;
/** Maximum number of pending requests per connection; browsers send one at a time. */
const MAX_PENDING = 4;
/** Names of the page's files: at most one directory deep, never outside. */
const PAGE_FILE = /^(?:chunks\/)?[\w.-]+$/;

/** @throws {CFileError} `E_NOT_FOUND` if the explorer is not built, `E_IO` when the port is not available */
export async function startExplorerServer(
  files: readonly ServedFile[],
  port: number,
  { request: requestTimeout, idle }: ServerTimes = TIMES,
): Promise<ExplorerServer> {
  const token = randomBytes(16).toString("hex");
  const page = await indexPage();
  const timeouts = {
    headersTimeout: requestTimeout,
    requestTimeout,
    connectionsCheckingInterval: requestTimeout / CHECKS_PER_REQUEST_TIME,
  };
  const pending = new WeakMap<Socket, number>();
  const server = createServer(timeouts, (request, response) => {
    const { socket } = request;
    const waiting = (pending.get(socket) ?? 0) + 1;
    if (waiting > MAX_PENDING) {
      // Every request would open a file, whether its answer is read or not.
      socket.destroy();
      return;
    }
    pending.set(socket, waiting);
    response.once("close", () => pending.set(socket, (pending.get(socket) ?? 1) - 1));
    answer({ token, page, files }, request, response).catch(() => response.destroy());
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = idle;
  await listen(server, port);
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${HOST}:${taken}/${token}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const reason = cause.code === "EADDRINUSE" ? "already in use" : cause.message;
      reject(new CFileError("E_IO", `cannot listen on port ${port}: ${reason}`, { field: "port", cause }));
    });
    server.listen(port, HOST, resolve);
  });
}

/** The page, marked as served by this command. */
async function indexPage(): Promise<string> {
  const html = await readFile(new URL("index.html", explorerFolder), "utf8").catch((cause: unknown) => {
    const path = explorerFolder.href;
    throw new CFileError("E_NOT_FOUND", "the explorer is not built (run its build first)", { path, cause });
  });
  return html.replace("<head>", '<head><meta name="cfile-served" content="served.json" />');
}

interface Site {
  readonly token: string;
  readonly page: string;
  readonly files: readonly ServedFile[];
}

async function answer(
  { token, page, files }: Site,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method, url = "/", headers } = request;
  // Protects against DNS rebinding: a page of another host sends its own name.
  const isOurs = /^(?:127\.0\.0\.1|localhost):\d+$/.test(headers.host ?? "");
  const path = url.split("?", 1)[0] ?? "";
  const start = `/${token}/`;
  if (!isOurs || !path.startsWith(start)) {
    return send(response, 404);
  }
  if (method !== "GET" && method !== "HEAD") {
    return send(response, 405, { Allow: "GET, HEAD" });
  }
  const name = path.slice(start.length) || "index.html";
  const [, number] = /^files\/(\d{1,9})$/.exec(name) ?? [];
  if (number !== undefined) {
    const file = files[Number(number)];
    return file === undefined ? send(response, 404) : sendFile(file.location, request, response);
  }
  const body =
    name === "index.html"
      ? page
      : name === "served.json"
        ? JSON.stringify(files.map((file, i) => ({ path: file.path, url: `files/${i}` })))
        : await pageFile(name);
  const type = TYPES[name.split(".").at(-1) ?? ""] ?? "application/octet-stream";
  return body === undefined ? send(response, 404) : send(response, 200, { "Content-Type": type }, body);
}

async function pageFile(name: string): Promise<Uint8Array | undefined> {
  return PAGE_FILE.test(name) ? readFile(new URL(name, explorerFolder)).catch(() => undefined) : undefined;
}

function send(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>> = {},
  body: string | Uint8Array = "",
): void {
  const length = String(Buffer.byteLength(body));
  response.writeHead(status, { ...COMMON, "Content-Length": length, ...headers });
  response.end(body);
}

async function sendFile(location: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const found = await stat(location).catch(() => undefined);
  if (found === undefined) {
    return send(response, 404);
  }
  const { size, mtimeMs } = found;
  const etag = `"${mtimeMs.toString(36)}-${size.toString(36)}"`;
  const headers = { "Accept-Ranges": "bytes", "Content-Type": "application/octet-stream", ETag: etag };
  const range = requestedRange(request.headers.range, size);
  if (range === undefined) {
    return send(response, 416, { ...headers, "Content-Range": `bytes */${size}` });
  }
  const { from, to, isPart } = range;
  response.writeHead(isPart ? 206 : 200, {
    ...COMMON,
    ...headers,
    "Content-Length": String(to - from),
    ...(isPart && { "Content-Range": `bytes ${from}-${to - 1}/${size}` }),
  });
  if (request.method === "HEAD" || from === to) {
    response.end();
    return;
  }
  const handle = await open(location);
  await pipeline(createReadStream("", { fd: handle, start: from, end: to - 1 }), response);
}

interface RequestedRange {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly isPart: boolean;
}

/** `bytes=first-last`, `bytes=first-` or `bytes=-length`; `undefined` for a range outside the file. */
function requestedRange(header: string | undefined, size: number): RequestedRange | undefined {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") {
    return { from: 0, to: size, isPart: false };
  }
  const from = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const to = first !== "" && last !== "" ? Math.min(Number(last) + 1, size) : size;
  return from < to ? { from, to, isPart: true } : undefined;
}
