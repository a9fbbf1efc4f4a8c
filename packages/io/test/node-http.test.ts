/** The client over `node:http` that `httpSource` has in Node, against servers on this machine. */
import { createServer as createSecureServer } from "node:https";
import { createServer, type Server, type Socket } from "node:net";
import { brotliCompressSync, deflateSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { nodeHttpFor } from "../src/http/node-http.js";
import { type HttpSourceOptions, httpSource } from "../src/http.js";
import { type ByteSource, readExactly } from "../src/index.js";
import { numbered } from "./paused-source.js";
import { certificate, key } from "./test-certificate.js";
import { ranges, webServer } from "./web-server.js";

const usual = ranges(() => ({ bytes: numbered }));

/** Every read is a request. */
const sourceOf = (url: string, options: HttpSourceOptions = {}): ByteSource =>
  httpSource(url, { tailBytes: 10, headBytes: 0, ...options });

async function listening(server: Server, host = "127.0.0.1"): Promise<number> {
  await new Promise<void>((resolve, reject) => server.on("error", reject).listen(0, host, resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** A server that answers with text as it is. */
async function rawServer(answer: (socket: Socket, count: number) => void): Promise<string> {
  let count = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("data", () => answer(socket, count++));
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
  vi.unstubAllGlobals();
});

describe("is used", () => {
  const { getBuiltinModule, versions } = process;
  const otherHost = (name: string): object => ({
    getBuiltinModule: (id: string) =>
      id === "node:process" ? { versions: { ...versions, [name]: "1.2.3" } } : getBuiltinModule(id),
  });

  test("for http: and https: in Node, whatever the case", () => {
    for (const url of ["http://a/", "https://a/", "HTTP://a/"]) {
      expect(nodeHttpFor(url)).toBeTypeOf("function");
    }
    for (const url of ["data:,ab", "s3://a/b", "blob:http://a/", "/a"]) {
      expect(nodeHttpFor(url)).toBeUndefined();
    }
  });

  test.each<[string, object | undefined]>([
    ["a browser", undefined],
    ["a browser with a stand-in", { env: {}, versions: {} }],
    ["no built-in modules", { versions }],
    ["unknown modules", { versions, getBuiltinModule: () => undefined }],
    ["Bun", otherHost("bun")],
    ["Deno", otherHost("deno")],
    ["Electron", otherHost("electron")],
  ])("not in %s", (_name, host) => {
    vi.stubGlobal("process", host);
    const client = nodeHttpFor("http://a/");
    vi.unstubAllGlobals();
    expect(client).toBeUndefined();
  });

  test("not when fetch is replaced: that one is asked then, and an own one goes before it", async () => {
    const server = await webServer(usual);
    const native = globalThis.fetch;
    const asked: string[] = [];
    vi.stubGlobal("fetch", (url: string, init: RequestInit) => {
      asked.push("global");
      return native(url, init);
    });
    await sourceOf(server.url).size();
    await sourceOf(server.url, {
      fetch: (url, init) => {
        asked.push("own");
        return native(url, init);
      },
    }).size();
    expect(asked).toEqual(["global", "own"]);
  });

  test.each<[string, object, boolean]>([
    ["its own", new (class Agent {})(), true],
    ["a proxy", new (class ProxyAgent {})(), false],
    [
      "one with certificates",
      Object.assign(new (class Agent {})(), { [Symbol("options")]: { connect: {} } }),
      false,
    ],
  ])("where fetch goes by %s", (_name, dispatcher, isUsed) => {
    const name = Symbol.for("undici.globalDispatcher.1");
    const before: unknown = Reflect.get(globalThis, name);
    Reflect.set(globalThis, name, dispatcher);
    const client = nodeHttpFor("http://a/");
    Reflect.set(globalThis, name, before);
    expect(client !== undefined).toBe(isUsed);
  });

  test("with what fetch sends, and headers of one's own in any case", async () => {
    const server = await webServer(usual);
    await sourceOf(server.url, { headers: { "ACCEPT-encoding": "br", range: "x", "X-Own": "1" } }).size();
    await sourceOf(server.url, { cache: "default" }).size();
    await sourceOf(server.url, { cache: "no-cache" }).size();
    expect(server.asked.map(({ headers }) => headers)).toMatchObject([
      {
        accept: "*/*",
        "accept-encoding": "br",
        range: "bytes=-10",
        "x-own": "1",
        "user-agent": "node",
        "cache-control": "no-cache",
        pragma: "no-cache",
      },
      { "accept-encoding": "identity" },
      { "cache-control": "max-age=0" },
    ]);
    expect(server.asked[1]?.headers["cache-control"]).toBeUndefined();
  });

  test("a header that HTTP does not know is E_IO", async () => {
    const server = await webServer(usual);
    for (const headers of [{ "X-A": "a\nb" }, { "X A": "a" }]) {
      await expect(sourceOf(server.url, { headers }).size()).rejects.toMatchObject({ code: "E_IO" });
    }
    expect(server.asked).toEqual([]);
  });
});

describe("URLs", () => {
  test("with a name or a password are refused", async () => {
    for (const url of ["http://u@127.0.0.1/", "http://u:p@127.0.0.1/", "http://:p@127.0.0.1/"]) {
      await expect(sourceOf(url).size()).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
    }
  });

  test("that are none are E_IO", async () => {
    await expect(sourceOf("http://[/").size()).rejects.toMatchObject({ code: "E_IO" });
  });

  test("with an IPv6 host", async ({ skip }) => {
    const server = createServer((socket) => socket.once("data", () => socket.end(`${head(10)}0123456789`)));
    const port = await listening(server, "::1").catch(() => skip("no IPv6 here"));
    expect(await sourceOf(`http://[::1]:${port}/`).size()).toBe(10);
  });
});

describe("redirects", () => {
  test.each([301, 302, 303, 307, 308])("%d is followed, with the range", async (status) => {
    const server = await webServer((request, response, count) => {
      if (request.url === "/d/e?f") {
        usual(request, response, count);
      } else {
        response.writeHead(status, { Location: "d/e?f" }).end("moved");
      }
    });
    const source = sourceOf(server.url, { headers: { Authorization: "x", Cookie: "a=1" } });
    expect(await readExactly(source, 5, 10)).toEqual(numbered.subarray(5, 15));
    expect(server.asked.map(({ range }) => range)).toEqual([
      "bytes=-10",
      "bytes=-10",
      "bytes=5-14",
      "bytes=5-14",
    ]);
    expect(server.asked[3]?.headers).toMatchObject({ authorization: "x", cookie: "a=1" });
  });

  test("to another origin take no secrets along, and do not find them again on the way back", async () => {
    const there = await webServer((_request, response) => {
      response.writeHead(302, { Location: `${here.url}?back` }).end();
    });
    const here = await webServer((request, response, count) => {
      if (request.url?.endsWith("?back")) {
        usual(request, response, count);
      } else {
        response.writeHead(302, { Location: there.url }).end();
      }
    });
    const headers = { Authorization: "x", Cookie: "a=1", "Proxy-Authorization": "y", "X-Own": "1" };
    expect(await sourceOf(here.url, { headers }).size()).toBe(100_000);
    expect(here.asked[0]?.headers).toMatchObject({ authorization: "x" });
    for (const asked of [there.asked[0], here.asked[1]]) {
      expect(asked?.headers).toMatchObject({ "x-own": "1", range: "bytes=-10" });
      expect(Object.keys(asked?.headers ?? {}).join()).not.toMatch(/authorization|cookie/);
    }
  });

  test.each([20, 21])("%d of them", async (most) => {
    const server = await webServer((request, response, count) => {
      if (count === most) {
        usual(request, response, count);
      } else {
        response.writeHead(302, { Location: `?${count}` }).end();
      }
    });
    const size = sourceOf(server.url).size();
    await (most === 20 ? expect(size).resolves.toBe(100_000) : expect(size).rejects.toThrow(/more than 20/));
  });

  test.each(["file:///etc/passwd", "data:,ab", "http://u:p@127.0.0.1/", "http://[/"])(
    "to %s are E_IO",
    async (location) => {
      const server = await webServer((_request, response) => {
        response.writeHead(302, { Location: location }).end();
      });
      await expect(sourceOf(server.url).size()).rejects.toMatchObject({ code: "E_IO", field: "Location" });
    },
  );

  test("without a place are answers like others", async () => {
    const server = await webServer((_request, response) => response.writeHead(302).end());
    await expect(sourceOf(server.url).size()).rejects.toMatchObject({ field: "status", actual: 302 });
  });

  test("with an endless body are followed, and it is not read", async () => {
    const server = await webServer((request, response, count) => {
      if (count > 0) {
        usual(request, response, count);
        return;
      }
      response.writeHead(302, { Location: "?" });
      const send = (): boolean => response.write(numbered, (error) => error ?? setImmediate(send));
      send();
    });
    expect(await sourceOf(server.url).size()).toBe(100_000);
    await expect.poll(server.cutOff).toBe(1);
  });

  test("to places outside ASCII are taken as UTF-8", async () => {
    const url = await rawServer((socket, count) => {
      socket.write(
        count === 0
          ? "HTTP/1.1 302 Found\r\nLocation: /\u00e4\r\nContent-Length: 0\r\n\r\n"
          : `${head(10)}0123456789`,
      );
    });
    expect(await sourceOf(url).size()).toBe(10);
  });
});

describe("connections", () => {
  const activeSockets = (): number =>
    process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
  const counted = async (): Promise<{ url: string; sockets: Set<unknown> }> => {
    const sockets = new Set<unknown>();
    const { url } = await webServer((request, response, count) => {
      sockets.add(request.socket);
      usual(request, response, count);
    });
    return { url, sockets };
  };

  test("are used again, also by another source", async () => {
    const { url, sockets } = await counted();
    for (const source of [sourceOf(url), sourceOf(url)]) {
      await source.read(0, 10);
      await source.read(50, 10);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(sockets.size).toBe(1);
  });

  test("keep no process alive when they are unused", async () => {
    const { url, sockets } = await counted();
    const source = sourceOf(url);
    const others = activeSockets();
    await source.size();
    await Promise.all([0, 100, 200, 300].map((at) => source.read(at, 10)));
    // What remains are the server's ends, which are in this process too.
    await expect.poll(() => activeSockets() - others).toBeLessThanOrEqual(sockets.size);
  });

  test("that were closed meanwhile: the request is made once more, on a new one", async () => {
    const asked: Socket[] = [];
    const url = await rawServer((socket) => {
      if (asked.includes(socket)) {
        socket.resetAndDestroy();
      } else {
        socket.write(`${head(10)}0123456789`);
      }
      asked.push(socket);
    });
    expect(await sourceOf(url).size()).toBe(10);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await sourceOf(url).size()).toBe(10);
    expect(new Set(asked).size).toBe(2);
    expect(asked.length).toBe(3);
  });

  test("that are closed at once are not tried again", async () => {
    let tried = 0;
    const url = await rawServer((socket) => {
      tried++;
      socket.destroy();
    });
    await expect(sourceOf(url).size()).rejects.toMatchObject({ code: "E_IO", cause: expect.any(Error) });
    expect(tried).toBe(1);
  });

  test("share a signal, however many there are, and leave nothing on it", async () => {
    const { url } = await counted();
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, "addEventListener");
    const remove = vi.spyOn(signal, "removeEventListener");
    const source = sourceOf(url);
    await source.size();
    await Promise.all(Array.from({ length: 40 }, (_, i) => source.read(i, 100, { signal })));
    await expect.poll(() => remove.mock.calls.length).toBeGreaterThanOrEqual(40);
    for (const [type, listener] of add.mock.calls) {
      expect(remove.mock.calls).toContainEqual([type, listener]);
    }
  });
});

describe("answers", () => {
  test.each<[string, string, object | undefined]>([
    [
      "with others before them",
      `HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${head(10)}0123456789`,
      undefined,
    ],
    [
      "in chunks",
      `${head(10).replace("Content-Length: 10", "Transfer-Encoding: chunked")}a\r\n0123456789\r\n0\r\n\r\n`,
      undefined,
    ],
    ["that end before their length", `${head(10)}012345`, { cause: expect.any(Error) }],
    [
      "that end within a chunk",
      `${head(10).replace("Content-Length: 10", "Transfer-Encoding: chunked")}a\r\n01234`,
      { cause: expect.any(Error) },
    ],
    [
      "that end before their last chunk",
      `${head(10).replace("Content-Length: 10", "Transfer-Encoding: chunked")}a\r\n0123456789\r\n`,
      { cause: expect.any(Error) },
    ],
    ["shorter than the range", `${head(9)}012345678`, { field: "body" }],
    ["longer than the range", `${head(11)}0123456789a`, { field: "body" }],
    ["with more than their length", `${head(10)}0123456789abc`, undefined],
    ["with two lengths", `${head(10, "Content-Length: 11\r\n")}0123456789`, { cause: expect.any(Error) }],
    ["with huge headers", head(10, `X-A: ${"a".repeat(20_000)}\r\n`), { cause: expect.any(Error) }],
    [
      "that change the protocol",
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
      {},
    ],
    ["that are none", "SSH-2.0\r\n", { cause: expect.any(Error) }],
  ])("%s", async (_name, text, error) => {
    const url = await rawServer((socket) => void socket.end(text));
    const read = readExactly(sourceOf(url), 0, 10);
    await (error === undefined
      ? expect(read).resolves.toEqual(new TextEncoder().encode("0123456789"))
      : expect(read).rejects.toMatchObject({ code: "E_IO", path: url, ...error }));
  });

  test("are plain bytes, which no later answer changes", async () => {
    const server = await webServer(usual);
    const source = sourceOf(server.url);
    const bytes = await source.read(0, 100);
    await source.read(200, 100);
    expect(bytes.constructor).toBe(Uint8Array);
    expect(bytes).toEqual(numbered.subarray(0, 100));
  });

  test.each([
    ["deflate", deflateSync(numbered)],
    [" BR", brotliCompressSync(numbered)],
  ])("of a whole file in %s are decoded", async (coding, body) => {
    const server = await webServer((_request, response) => {
      response.writeHead(200, { "Content-Encoding": coding }).end(body);
    });
    expect(await readExactly(sourceOf(server.url), 500, 10)).toEqual(numbered.subarray(500, 510));
  });

  test.each<[string, string, Uint8Array]>([
    ["cut", "br", brotliCompressSync(numbered).subarray(0, 50)],
    ["wrong", "gzip", numbered],
    ["unknown", "compress", numbered],
  ])("of a whole file in a %s coding are E_IO", async (_name, coding, body) => {
    const server = await webServer((_request, response) => {
      response.writeHead(200, { "Content-Encoding": coding }).end(body);
    });
    await expect(sourceOf(server.url).size()).rejects.toMatchObject({ code: "E_IO" });
  });

  test("that nobody reads wait at the server, and are read when somebody does", async () => {
    const total = 64 << 20;
    let sent = 0;
    const server = await webServer((_request, response) => {
      response.writeHead(206, { "Content-Range": `bytes 0-${total - 1}/${total}`, "Content-Length": total });
      const piece = new Uint8Array(1 << 16).fill(7);
      const send = (): void => {
        while (sent < total && response.write(piece)) {
          sent += piece.length;
        }
        if (sent < total) {
          sent += piece.length;
          response.once("drain", send);
        } else {
          response.end();
        }
      };
      send();
    });
    const answer = await nodeHttpFor(server.url)?.(server.url, { headers: {} });
    const reader = answer?.body?.getReader();
    await reader?.read();
    for (let before = -1; before !== sent; ) {
      before = sent;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(sent).toBeLessThan(total / 2);
    let length = 0;
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
      length += part.value.length;
    }
    expect(length).toBeGreaterThan(total - (2 << 20));
    expect(await reader?.read()).toEqual({ done: true });
    expect(server.cutOff()).toBe(0);
  }, 20_000);

  test("that are not wanted any more end the connection", async () => {
    const server = await webServer((_request, response) => {
      response.writeHead(206, { "Content-Length": "1000" }).write("a");
    });
    const answer = await nodeHttpFor(server.url)?.(server.url, { headers: {} });
    expect(await answer?.body?.getReader().read()).toEqual({ done: false, value: Uint8Array.of(97) });
    await answer?.body?.cancel();
    await expect.poll(server.cutOff).toBe(1);
    await expect(answer?.body?.getReader().read()).rejects.toBeInstanceOf(Error);
  });
});

describe("abort", () => {
  const reason = { why: "enough" };

  test.each([
    ["before the request", 0],
    ["before the answer", 1],
    ["in its body", 2],
    ["after a redirect", 3],
  ])("%s fails with the reason", async (_name, when) => {
    const controller = new AbortController();
    const server = await webServer((request, response, count) => {
      if (count === 0) {
        usual(request, response, count);
        return;
      }
      if (when === 3 && count === 1) {
        response.writeHead(302, { Location: "?" }).end();
        return;
      }
      if (when === 2) {
        response.writeHead(206, { "Content-Range": "bytes 0-99/100000", "Content-Length": "100" }).write("a");
      }
      setTimeout(() => controller.abort(reason), 10);
    });
    const source = sourceOf(server.url);
    await source.size();
    if (when === 0) {
      controller.abort(reason);
    }
    await expect(source.read(0, 100, { signal: controller.signal })).rejects.toBe(reason);
    await expect.poll(server.cutOff).toBe(when === 0 ? 0 : 1);
    expect(server.asked.length).toBe([1, 2, 2, 3][when]);
  });
});

describe("https:", () => {
  const secure = async (): Promise<string> => {
    const server = createSecureServer({ key, cert: certificate }, (request, response) =>
      usual(request, response, 0),
    );
    return `https://127.0.0.1:${await listening(server)}/c.cfile`;
  };

  test("a certificate that nobody trusts is E_IO", async () => {
    await expect(sourceOf(await secure()).size()).rejects.toMatchObject({
      code: "E_IO",
      cause: { code: "DEPTH_ZERO_SELF_SIGNED_CERT" },
    });
  });

  test("is read like others, also behind a redirect", async () => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.mocked(process.emitWarning).mockImplementation(() => undefined);
    const url = await secure();
    const server = await webServer((_request, response) => {
      response.writeHead(307, { Location: url }).end();
    });
    for (const from of [url, server.url]) {
      expect(await readExactly(sourceOf(from), 7, 10)).toEqual(numbered.subarray(7, 17));
    }
    vi.mocked(process.emitWarning).mockClear();
  });
});
