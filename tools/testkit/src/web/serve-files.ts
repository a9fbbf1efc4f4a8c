/** A web server for files in memory, with ranges, and optionally with latency or faults. */
import type { IncomingMessage } from "node:http";
import { gzipSync } from "node:zlib";
import type { Misbehaviour } from "./misbehaviour.js";
import { parseRange } from "./range-header.js";
import { type Headers, type WebServer, webServer } from "./web-server.js";

export interface ServedFile {
  readonly body: Uint8Array | string;
  /** `Content-Type`; default `application/octet-stream`. */
  readonly type?: string;
  /** `ETag`; default `"1"`, `null` for none. */
  readonly etag?: string | null;
  readonly headers?: Headers;
  readonly misbehaviour?: Misbehaviour;
}

/** One response of the server. */
interface Served {
  readonly method: string;
  /** Without the leading slash. */
  readonly path: string;
  readonly range: string | undefined;
  readonly status: number;
  /** Size of the body. */
  readonly bytes: number;
}

export interface FileServerOptions {
  /** Milliseconds before each response; default 0. */
  readonly latency?: number;
  /** Returns the status with which to refuse a request. */
  readonly refuse?: (request: IncomingMessage) => number | undefined;
  /** Whether pages of other origins may read the files: the minimum of CORS for `httpSource`. */
  readonly crossOrigin?: boolean;
}

const CROSS_ORIGIN = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Headers": "Range",
  "Access-Control-Expose-Headers": "Content-Range",
};

export interface FileServer extends WebServer {
  /** The root, `http://127.0.0.1:PORT/`; Chromium treats it as a secure origin. */
  readonly url: string;
  /** The files by path; may change at any time. */
  readonly files: Map<string, ServedFile>;
  /** Responses, in the order of their requests; tests may clear it. */
  readonly served: Served[];
  /** Milliseconds before each response; may change. */
  latency: number;
}

interface Reply {
  readonly status: number;
  readonly headers?: Headers;
  readonly body?: Uint8Array;
  /** Number of bytes of the body to send before the connection breaks. */
  readonly breakAt?: number;
}

/** Serves `files` by path; `/` is `index.html`. */
export async function serveFiles(
  files: Readonly<Record<string, ServedFile>>,
  { latency = 0, refuse, crossOrigin = false }: FileServerOptions = {},
): Promise<FileServer> {
  const served: Served[] = [];
  const byPath = new Map(Object.entries(files));
  const allowed = crossOrigin ? CROSS_ORIGIN : {};
  const web = await webServer((request, response) => {
    const { method = "GET" } = request;
    if (crossOrigin && method === "OPTIONS") {
      response.writeHead(204, allowed).end();
      return;
    }
    const { range } = request.headers;
    const path =
      decodeURIComponent(new URL(request.url ?? "/", server.url).pathname).slice(1) || "index.html";
    const refused = refuse?.(request);
    const count = served.filter((one) => one.path === path).length;
    const {
      status,
      headers,
      body = new Uint8Array(0),
      breakAt,
    } = refused === undefined ? replyWith(byPath.get(path), method, range, count) : { status: refused };
    served.push({ method, path, range, status, bytes: breakAt ?? body.length });
    setTimeout(() => {
      response.writeHead(status, { ...allowed, ...headers, "Content-Length": String(body.length) });
      if (breakAt === undefined || method === "HEAD") {
        response.end(method === "HEAD" ? undefined : body);
      } else {
        response.write(body.subarray(0, breakAt), () => response.destroy());
      }
    }, server.latency).unref();
  }, "");
  const server = { ...web, files: byPath, served, latency };
  return server;
}

function replyWith(
  file: ServedFile | undefined,
  method: string,
  range: string | undefined,
  count: number,
): Reply {
  if (file === undefined) {
    return { status: 404 };
  }
  const fault = file.misbehaviour;
  if (method !== "GET" && (method !== "HEAD" || fault === "no-head")) {
    return { status: method === "HEAD" ? 403 : 405 };
  }
  const etag = fault === "other-etag" ? `"${count}"` : file.etag === undefined ? '"1"' : file.etag;
  const headers = {
    "Accept-Ranges": "bytes",
    "Content-Type": file.type ?? "application/octet-stream",
    ...(etag !== null && { ETag: etag }),
    ...file.headers,
  };
  if (fault === "busy" && count % 2 === 0) {
    return { status: 503, headers: { "Retry-After": "0" } };
  }
  const body = typeof file.body === "string" ? new TextEncoder().encode(file.body) : file.body;
  const requested = parseRange(fault === "ignores-range" ? undefined : range, body.length);
  if (requested === undefined || (fault === "no-suffix" && range?.startsWith("bytes=-"))) {
    return { status: 416, headers: { ...headers, "Content-Range": `bytes */${body.length}` } };
  }
  const { start, end, partial } = requested;
  if (!partial) {
    return { status: 200, headers, body };
  }
  const shift = fault === "other-part" ? 1 : 0;
  const announced = {
    ...headers,
    "Content-Range": `bytes ${start + shift}-${end - 1 + shift}/${body.length}`,
  };
  const part = body.subarray(start, end);
  switch (fault) {
    case "no-content-range":
      return { status: 206, headers, body: part };
    case "short-part":
      return { status: 206, headers: announced, body: part.subarray(0, part.length >> 1) };
    case "breaks-off":
      return { status: 206, headers: announced, body: part, breakAt: part.length >> 1 };
    case "gzip-part":
      return { status: 206, headers: { ...announced, "Content-Encoding": "gzip" }, body: gzipSync(part) };
    default:
      return { status: 206, headers: announced, body: part };
  }
}
