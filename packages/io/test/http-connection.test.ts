/** How this runtime handles connections, redirects and unusual responses. */
import { createServer as createSecureServer } from "node:https";
import { createServer, type Server, type Socket } from "node:net";
import { brotliCompressSync, deflateSync } from "node:zlib";
import { ranges, webServer } from "@cfile-tools/testkit";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { type HttpSourceOptions, httpSource } from "../src/http.js";
import { type ByteSource, readExactly } from "../src/index.js";
import { numbered } from "./paused-source.js";
import { certificate, key } from "./test-certificate.js";

const usual = ranges(() => ({ bytes: numbered }));

/** Every read is a request. */
const sourceOf = (url: string, options: HttpSourceOptions = {}): ByteSource =>
  httpSource(url, { tailBytes: 10, headBytes: 0, ...options });

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** A server that responds with raw text. */
async function rawServer(answer: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("data", () => answer(socket));
  });
  const port = await listening(server);
  onTestFinished(() => {
    for (const socket of sockets) {
      socket.destroy();
    }
  });
  return `http://127.0.0.1:${port}/c.cfile`;
}

const head = (length: number, more = ""): string =>
  `HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-9/10\r\nContent-Length: ${length}\r\n${more}\r\n`;

beforeEach(() => {
  vi.spyOn(process, "emitWarning");
});
afterEach(() => {
  expect(process.emitWarning).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});

describe("URLs", () => {
  test("with a user name or password are rejected", () => {
    for (const url of ["http://u@127.0.0.1/", "http://u:p@127.0.0.1/", "http://:p@127.0.0.1/"]) {
      expect(() => sourceOf(url)).toThrow(expect.objectContaining({ code: "E_INVALID_ARGUMENT" }));
    }
  });

  test("that are invalid are E_IO", async () => {
    await expect(sourceOf("http://[/").size()).rejects.toMatchObject({ code: "E_IO" });
  });
});

test("an invalid header is E_IO", async () => {
  const server = await webServer(usual);
  for (const headers of [{ "X-A": "a\nb" }, { "X A": "a" }]) {
    await expect(sourceOf(server.url, { headers }).size()).rejects.toMatchObject({ code: "E_IO" });
  }
  expect(server.asked).toEqual([]);
});

test("redirects to another origin drop credentials", async () => {
  const there = await webServer(usual);
  const here = await webServer((_request, response) => {
    response.writeHead(302, { Location: there.url }).end();
  });
  const headers = { Authorization: "x", Cookie: "a=1", "X-Own": "1" };
  expect(await sourceOf(here.url, { headers }).size()).toBe(100_000);
  expect(here.asked[0]?.headers).toMatchObject({ authorization: "x" });
  expect(there.asked[0]?.headers).toMatchObject({ "x-own": "1", range: "bytes=-10" });
  expect(Object.keys(there.asked[0]?.headers ?? {}).join()).not.toMatch(/authorization|cookie/);
});

describe("connections", () => {
  test("are reused, also by another source", async () => {
    const sockets = new Set<unknown>();
    const { url } = await webServer((request, response, count) => {
      sockets.add(request.socket);
      usual(request, response, count);
    });
    for (const source of [sourceOf(url), sourceOf(url)]) {
      await source.read(0, 10);
      await source.read(50, 10);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    // A second connection is opened if the response on the first has not completely ended.
    expect(sockets.size).toBeLessThanOrEqual(2);
  });

  test("that the server closes while they are idle are replaced", async () => {
    const server = await webServer((request, response, count) =>
      count === 1 ? response.destroy() : usual(request, response, count),
    );
    const source = sourceOf(server.url);
    await source.size();
    expect(await source.read(0, 100)).toEqual(numbered.subarray(0, 100));
    expect(server.asked.length).toBe(3);
  });

  test("of a replaced fetch are its own", async () => {
    const { url } = await webServer(usual);
    const native = globalThis.fetch;
    const replaced = vi.fn(native);
    vi.stubGlobal("fetch", replaced);
    onTestFinished(() => void vi.unstubAllGlobals());
    expect(await sourceOf(url).size()).toBe(100_000);
    expect(replaced).toHaveBeenCalledOnce();
  });

  test("can share one signal without a warning of a leak", async () => {
    const { url } = await webServer(usual);
    const { signal } = new AbortController();
    const source = sourceOf(url);
    const parts = await Promise.all(Array.from({ length: 40 }, (_, i) => source.read(i, 100, { signal })));
    expect(parts).toEqual(parts.map((_, i) => numbered.subarray(i, i + 100)));
  });
});

describe("responses", () => {
  const chunked = head(10).replace("Content-Length: 10", "Transfer-Encoding: chunked");
  test.each<[string, string, object | undefined]>([
    [
      "with others before them",
      `HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${head(10)}0123456789`,
      undefined,
    ],
    ["in chunks", `${chunked}a\r\n0123456789\r\n0\r\n\r\n`, undefined],
    ["that end before their length", `${head(10)}012345`, { cause: expect.any(Error) }],
    ["that end within a chunk", `${chunked}a\r\n01234`, { cause: expect.any(Error) }],
    ["that end before their last chunk", `${chunked}a\r\n0123456789\r\n`, { cause: expect.any(Error) }],
    ["shorter than the range", `${head(9)}012345678`, { field: "body" }],
    ["longer than the range", `${head(11)}0123456789a`, { field: "body" }],
    ["with two lengths", `${head(10, "Content-Length: 11\r\n")}0123456789`, { cause: expect.any(Error) }],
    ["with huge headers", head(10, `X-A: ${"a".repeat(20_000)}\r\n`), { cause: expect.any(Error) }],
    ["that are not HTTP", "SSH-2.0\r\n", { cause: expect.any(Error) }],
  ])("%s", async (_name, text, error) => {
    const url = await rawServer((socket) => void socket.end(text));
    const read = readExactly(sourceOf(url), 0, 10);
    await (error === undefined
      ? expect(read).resolves.toEqual(new TextEncoder().encode("0123456789"))
      : expect(read).rejects.toMatchObject({ code: "E_IO", path: url, ...error }));
  });

  test("become plain bytes that later responses do not change", async () => {
    const server = await webServer(usual);
    const source = sourceOf(server.url);
    const bytes = await source.read(0, 100);
    await source.read(200, 100);
    expect(bytes.constructor).toBe(Uint8Array);
    expect(bytes).toEqual(numbered.subarray(0, 100));
  });

  test.each([
    ["deflate", deflateSync(numbered)],
    ["br", brotliCompressSync(numbered)],
  ])("with a whole file in %s are decoded", async (coding, body) => {
    const server = await webServer((_request, response) => {
      response.writeHead(200, { "Content-Encoding": coding }).end(body);
    });
    expect(await readExactly(sourceOf(server.url), 500, 10)).toEqual(numbered.subarray(500, 510));
  });

  test("with a whole file in the wrong coding are E_IO", async () => {
    const server = await webServer((_request, response) => {
      response.writeHead(200, { "Content-Encoding": "gzip" }).end(numbered);
    });
    await expect(sourceOf(server.url).size()).rejects.toMatchObject({ code: "E_IO" });
  });

  test("longer than the range are cut off", async () => {
    let sent = 0;
    const server = await webServer((request, response, count) => {
      if (count === 0) {
        usual(request, response, count);
        return;
      }
      response.writeHead(206, { "Content-Range": "bytes 0-99/100000" });
      const piece = new Uint8Array(1 << 16);
      const send = (): void => {
        sent += piece.length;
        response.write(piece, (error) => error ?? setImmediate(send));
      };
      send();
    });
    const source = sourceOf(server.url);
    await expect(source.read(0, 100)).rejects.toMatchObject({ code: "E_IO", field: "body" });
    await expect.poll(server.cutOff).toBe(1);
    expect(sent).toBeLessThan(16 << 20);
    expect(source.traffic?.bytes).toBeLessThan(1 << 20);
  });
});

test.each([
  ["before the answer", false],
  ["after a redirect", true],
])("an abort %s fails with the reason and ends the connection", async (_name, isRedirected) => {
  const reason = { why: "enough" };
  const controller = new AbortController();
  const server = await webServer((request, response, count) => {
    if (count === 0) {
      usual(request, response, count);
    } else if (isRedirected && count === 1) {
      response.writeHead(302, { Location: "?" }).end();
    } else {
      setTimeout(() => controller.abort(reason), 10);
    }
  });
  const source = sourceOf(server.url);
  await source.size();
  await expect(source.read(0, 100, { signal: controller.signal })).rejects.toBe(reason);
  await expect.poll(server.cutOff).toBe(1);
});

test("an untrusted certificate is E_IO and names the reason", async () => {
  const server = createSecureServer({ key, cert: certificate }, (request, response) =>
    usual(request, response, 0),
  );
  const url = `https://127.0.0.1:${await listening(server)}/c.cfile`;
  await expect(sourceOf(url).size()).rejects.toMatchObject({
    code: "E_IO",
    reason: expect.stringContaining("self-signed certificate"),
  });
});
