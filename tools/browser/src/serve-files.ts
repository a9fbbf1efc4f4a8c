/** A web server on this machine for the tests' files: with ranges, a latency if asked for, and faults if asked for. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { readRange } from "./asked-range.js";
import type { Misbehaviour } from "./misbehaviour.js";

export interface ServedFile {
  readonly body: Uint8Array | string;
  /** Its `Content-Type`; `application/octet-stream` by default. */
  readonly type?: string;
  /** Its `ETag`; `"1"` by default, `null` for none. */
  readonly etag?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly misbehaviour?: Misbehaviour;
}

/** One answer of the server. */
export interface Served {
  readonly method: string;
  /** Without the slash at its beginning. */
  readonly path: string;
  readonly range: string | undefined;
  readonly status: number;
  /** Bytes of the body. */
  readonly bytes: number;
}

export interface ServerOptions {
  /** Milliseconds before an answer begins; 0 by default. */
  readonly latency?: number;
  /** Headers of every answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Asked first: the status with which a request is refused. */
  readonly refuse?: (request: IncomingMessage) => number | undefined;
}

export interface WebServer {
  /** `http://127.0.0.1:PORT/`; Chromium takes it for a secure origin. */
  readonly url: string;
  /** The files, by path; may be changed at any time. */
  readonly files: Map<string, ServedFile>;
  /** What was answered, in that order; to be emptied at will. */
  readonly served: Served[];
  /** Milliseconds before an answer begins; may be changed. */
  latency: number;
  close(): Promise<void>;
}

/** Starts a server; `close()` ends it and cuts the connections off. */
export async function serveFiles(
  files: Readonly<Record<string, ServedFile>>,
  { latency = 0, ...options }: ServerOptions = {},
): Promise<WebServer> {
  const server = createServer((request, response) => {
    setTimeout(() => answer(web, options, request, response), web.latency).unref();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const web: WebServer = {
    url: `http://127.0.0.1:${port}/`,
    files: new Map(Object.entries(files)),
    served: [],
    latency,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return web;
}

function answer(
  web: WebServer,
  { headers: common = {}, refuse }: ServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { method = "GET" } = request;
  const { range } = request.headers;
  const path = decodeURIComponent(new URL(request.url ?? "/", web.url).pathname).slice(1) || "index.html";
  const file = web.files.get(path);
  const send = (status: number, headers: Record<string, string>, body: Uint8Array, sent = body): void => {
    web.served.push({ method, path, range, status, bytes: sent.length });
    response.writeHead(status, { ...common, ...headers, "Content-Length": String(body.length) });
    if (method === "HEAD") {
      response.end();
    } else if (sent === body) {
      response.end(body);
    } else {
      response.write(sent, () => response.destroy());
    }
  };
  const nothing = new Uint8Array(0);
  const refused = refuse?.(request);
  if (refused !== undefined) {
    send(refused, {}, nothing);
    return;
  }
  if (file === undefined) {
    send(404, {}, nothing);
    return;
  }
  const fault = file.misbehaviour;
  if (method !== "GET" && (method !== "HEAD" || fault === "no-head")) {
    send(method === "HEAD" ? 403 : 405, {}, nothing);
    return;
  }
  const count = web.served.filter((one) => one.path === path).length;
  const etag = fault === "other-etag" ? `"${count}"` : file.etag === undefined ? '"1"' : file.etag;
  const headers = {
    "Accept-Ranges": "bytes",
    "Content-Type": file.type ?? "application/octet-stream",
    ...(etag !== null && { ETag: etag }),
    ...file.headers,
  };
  if (fault === "busy" && count % 2 === 0) {
    send(503, { "Retry-After": "0" }, nothing);
    return;
  }
  const body = typeof file.body === "string" ? new TextEncoder().encode(file.body) : file.body;
  const asked = readRange(fault === "ignores-range" ? undefined : range, body.length);
  if (asked === undefined || (fault === "no-suffix" && range?.startsWith("bytes=-"))) {
    send(416, { ...headers, "Content-Range": `bytes */${body.length}` }, nothing);
    return;
  }
  const { start, end, partial } = asked;
  if (!partial) {
    send(200, headers, body);
    return;
  }
  const shift = fault === "other-part" ? 1 : 0;
  const told = { "Content-Range": `bytes ${start + shift}-${end - 1 + shift}/${body.length}` };
  const part = body.subarray(start, end);
  const half = part.subarray(0, part.length >> 1);
  switch (fault) {
    case "no-content-range":
      send(206, headers, part);
      break;
    case "short-part":
      send(206, { ...headers, ...told }, half);
      break;
    case "breaks-off":
      send(206, { ...headers, ...told }, part, half);
      break;
    case "gzip-part":
      send(206, { ...headers, ...told, "Content-Encoding": "gzip" }, gzipSync(part));
      break;
    default:
      send(206, { ...headers, ...told }, part);
  }
}
