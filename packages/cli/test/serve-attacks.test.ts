/** `cfile serve` under attack: by programs on this machine and by web pages of other hosts. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { truncate, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { pathToGolden, temporaryFolder } from "@cfile-tools/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ExplorerServer, startExplorerServer } from "../src/serve/explorer-server.js";
import { run } from "./run.js";

const served = pathToGolden("enc_int32_plain_n1000.cfile");
const bytes = readFileSync(served);
/** Number of connections; ten thousand in `pnpm reliability`. */
const CONNECTIONS = Number(process.env["CFILE_CONNECTIONS"] ?? 1000);
/** Maximum number of connections that the server keeps. */
const MAX_CONNECTIONS = 256;
const stop = new AbortController();
let command: ReturnType<typeof run>;
let url: URL;

beforeAll(async () => {
  const stdout = new PassThrough();
  const printed = once(stdout, "data");
  command = run(["serve", served], { signal: stop.signal, stdout });
  url = new URL(String((await printed)[0]).trim());
});
afterAll(async () => {
  stop.abort();
  expect((await command).code).toBe(0);
});

/** Sends these bytes, and returns the answer up to the closing of the connection. */
async function answerTo(request: string): Promise<string> {
  const socket = connect(Number(url.port), url.hostname);
  socket.write(request, "latin1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk)).on("error", () => {});
  await once(socket, "close");
  return Buffer.concat(chunks).toString("latin1");
}

function get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const lines = Object.entries({ Host: url.host, Connection: "close", ...headers });
  return answerTo(
    `GET ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`,
  );
}

async function expectItStillServes(): Promise<void> {
  const answer = await fetch(new URL("files/0", url));
  expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
}

test.each([
  ["another host's name (DNS rebinding)", { Host: "evil.example:80" }],
  ["an address that only begins like ours", { Host: "127.0.0.1.evil.example:80" }],
  ["a name with a user", { Host: "127.0.0.1:80@evil.example" }],
  ["no name", { Host: "" }],
])("a request with %s gets nothing", async (_, headers) => {
  expect(await get(url.pathname, headers)).toMatch(/^HTTP\/1\.1 404 /);
});

test("pages of other origins may not read answers, not even if they know the address", async () => {
  const answer = await get(`${url.pathname}files/0`, { Origin: "https://evil.example" });
  expect(answer.toLowerCase()).not.toContain("access-control-allow");
  expect(answer).toContain("Cross-Origin-Resource-Policy: same-origin");
  expect(answer).toContain("frame-ancestors 'none'");
});

test.each([
  "../package.json",
  "..\\package.json",
  "%2e%2e/package.json",
  "..%2fpackage.json",
  "%252e%252e%252fpackage.json",
  "chunks/../../package.json",
  "chunks/%2e%2e/%2e%2e/package.json",
  "/etc/passwd",
  "//etc/passwd",
  "files/../../../etc/passwd",
  "files/-1",
  "files/1",
  "files/0x0",
  "files/1e1",
  "files/999999999999",
  "files/0/",
  "index.html\0.js",
  "constructor",
  "__proto__",
])("the path %j gets no file", async (path) => {
  expect(await get(url.pathname + path)).toMatch(/^HTTP\/1\.1 40[04] /);
});

test("a path without the token, with a part of it or with another token gets no file", async () => {
  const token = url.pathname.slice(1, -1);
  const wrong = [...token].reverse().join("");
  for (const path of [
    "/files/0",
    `/${token.slice(0, 31)}/files/0`,
    `/${wrong}/files/0`,
    `//${token}/files/0`,
  ]) {
    expect(await get(path)).toMatch(/^HTTP\/1\.1 404 /);
  }
});

test.each([
  ["bytes=0-99999999999999999999999", 206, bytes.length],
  ["bytes=99999999999999999999999-", 416, 0],
  ["bytes=-99999999999999999999999", 206, bytes.length],
  ["bytes=5-4", 416, 0],
  [`bytes=${"0-0,".repeat(1000)}0-0`, 200, bytes.length],
])("the range %.40s is answered with at most the file", async (range, status, length) => {
  const [head = "", body = ""] = (await get(`${url.pathname}files/0`, { Range: range })).split("\r\n\r\n", 2);
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(head).toContain(`Content-Length: ${length}`);
  expect(body.length).toBeLessThanOrEqual(bytes.length);
});

test.each([
  ["headers of a megabyte", () => get(url.pathname, { "X-Long": "x".repeat(1 << 20) })],
  ["a path of a megabyte", () => get(`${url.pathname}${"x".repeat(1 << 20)}`)],
  ["bytes that are not HTTP", () => answerTo("\0\x16\x03\x01".repeat(1000))],
  [
    "two lengths",
    () => answerTo(`GET / HTTP/1.1\r\nHost: ${url.host}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n`),
  ],
])("a request with %s is refused", async (_, send) => {
  expect(await send()).toMatch(/^HTTP\/1\.1 4\d\d /);
  await expectItStillServes();
});

test(`of ${CONNECTIONS} connections at once few stay open; they take bounded memory, and later requests are answered`, async () => {
  const before = process.memoryUsage().rss;
  const sockets: Socket[] = [];
  let closed = 0;
  while (sockets.length < CONNECTIONS) {
    const some = Array.from({ length: 500 }, () => {
      const socket = connect(Number(url.port), url.hostname);
      socket.resume().once("close", () => closed++);
      return socket.on("error", () => {});
    });
    await Promise.all(some.map((socket) => Promise.race([once(socket, "connect"), once(socket, "close")])));
    sockets.push(...some);
  }
  await expect.poll(() => CONNECTIONS - closed).toBeLessThanOrEqual(MAX_CONNECTIONS);
  // Both ends of all connections are in this process.
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  for (const socket of sockets) {
    socket.destroy();
  }
  await expect
    .poll(() =>
      fetch(url).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200);
  await expectItStillServes();
});

describe("clients that take their time", () => {
  const times = { request: 300, idle: 600 };
  const size = 1 << 28;
  let server: ExplorerServer;
  let base: URL;

  beforeAll(async () => {
    const location = join(temporaryFolder(), "large");
    await writeFile(location, "");
    await truncate(location, size);
    server = await startExplorerServer([{ path: "large", location }], 0, times);
    base = new URL(server.url);
  });
  afterAll(() => server.close());

  const dial = (text: string): Socket => {
    const socket = connect(Number(base.port), base.hostname).on("error", () => {});
    socket.write(text);
    return socket;
  };
  const request = (path: string, more = ""): string =>
    `GET ${base.pathname}${path} HTTP/1.1\r\nHost: ${base.host}\r\n${more}\r\n`;

  test.each([
    ["nothing", ""],
    ["half a request line", "GET / HT"],
    ["headers without an end", "GET / HTTP/1.1\r\nHost: a\r\n"],
    ["less of a body than announced", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx"],
  ])("that send %s are disconnected", async (_, text) => {
    const socket = dial(text);
    const dripping = setInterval(() => socket.write(text === "" ? "" : "a"), 50);
    const start = performance.now();
    socket.resume();
    await once(socket, "close");
    clearInterval(dripping);
    expect(performance.now() - start).toBeLessThan(3000);
  });

  test("that stop reading a large file take bounded memory, and are disconnected", async () => {
    const before = process.memoryUsage().rss;
    const sockets = Array.from({ length: 20 }, () => dial(request("files/0")).pause());
    await delay(300);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
    // Allows for a busy machine, which detects idle connections late.
    await delay(6 * times.idle);
    for (const socket of sockets) {
      socket.resume();
    }
    // Buffered bytes still arrive, but not the rest of the file.
    await delay(1000);
    const received = Math.max(...sockets.map(({ bytesRead }) => bytesRead));
    for (const socket of sockets) {
      socket.destroy();
    }
    expect(received).toBeGreaterThan(0);
    expect(received).toBeLessThan(size / 8);
  });

  test("that send thousands of requests at once are disconnected, and take bounded memory", async () => {
    const before = process.memoryUsage().rss;
    const socket = dial(request("files/0", "Range: bytes=0-999999\r\n").repeat(5000)).pause();
    await delay(500);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
    await new Promise((resolve) => socket.resume().once("close", resolve));
    const answer = await fetch(new URL("files/0", base), { headers: { Range: "bytes=5-9" } });
    expect((await answer.arrayBuffer()).byteLength).toBe(5);
  });
});

test("requests that arrive byte by byte do not hold up others", async () => {
  const slow = Array.from({ length: 100 }, () => {
    const socket = connect(Number(url.port), url.hostname);
    socket.on("error", () => {}).write("GET / HT");
    return socket;
  });
  await expectItStillServes();
  for (const socket of slow) {
    socket.destroy();
  }
});
