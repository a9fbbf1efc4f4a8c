import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { type Answer, ranges, webServer } from "@cfile-tools/testkit";
import { describe, expect, test } from "vitest";
import { isTransient, withMetrics } from "../src/decorators.js";
import { httpSource } from "../src/http.js";
import { readExactly } from "../src/index.js";
import { nextTick, numbered } from "./paused-source.js";

const sizes = { tailBytes: 1000, headBytes: 2000 };
const usual = ranges(() => ({ bytes: numbered, headers: { ETag: '"1"' } }));

describe("both ends of a file", () => {
  test("are fetched once and kept", async () => {
    const server = await webServer(usual);
    const source = withMetrics(httpSource(server.url, sizes));
    for (const [offset, length] of [
      [0, 10],
      [1500, 500],
      [99_000, 1000],
      [99_999, 1],
      [0, 2000],
    ] as const) {
      expect(await readExactly(source, offset, length)).toEqual(numbered.subarray(offset, offset + length));
    }
    expect(server.asked.map(({ range }) => range)).toEqual(["bytes=-1000", "bytes=0-1999"]);
    expect(source.metrics).toMatchObject({ reads: 5, bytes: 3511, requests: 2, bytesFetched: 3000 });
    expect(source.metrics.milliseconds).toBeGreaterThan(0);
  });

  test("do not overlap in a file that is hardly longer than its tail", async () => {
    const server = await webServer(ranges(() => ({ bytes: numbered.subarray(0, 1010) })));
    const source = httpSource(server.url, sizes);
    expect(await source.read(0, 10)).toEqual(numbered.subarray(0, 10));
    expect(await source.read(5, 500)).toEqual(numbered.subarray(5, 505));
    expect(server.asked.map(({ range }) => range)).toEqual(["bytes=-1000", "bytes=0-9", "bytes=5-504"]);
  });

  test("are shared by concurrent reads, which one aborted read does not affect", async () => {
    let release: (() => void) | undefined;
    const server = await webServer((request, response, count) => {
      if (count === 0) {
        usual(request, response, count);
      } else {
        release = () => usual(request, response, count);
      }
    });
    const source = httpSource(server.url, sizes);
    const controller = new AbortController();
    const impatient = source.read(0, 10, { signal: controller.signal });
    const patient = source.read(10, 10);
    await expect.poll(() => release, { interval: 5 }).toBeDefined();
    controller.abort("enough");
    await expect(impatient).rejects.toBe("enough");
    release?.();
    expect(await patient).toEqual(numbered.subarray(10, 20));
    expect(server.asked.length).toBe(2);
  });

  test.each([{ tailBytes: 0 }, { headBytes: -1 }, { tailBytes: Number.NaN }])("cannot be %o", (options) => {
    expect(() => httpSource("http://example.invalid/", options)).toThrow(
      expect.objectContaining({ code: "E_INVALID_ARGUMENT" }),
    );
  });
});

describe("a server without suffix ranges", () => {
  const plain =
    (otherwise: Answer): Answer =>
    (request, response, count) =>
      (request.headers.range?.startsWith("bytes=-") ? otherwise : usual)(request, response, count);

  test.each<[string, Answer]>([
    ["says 416 without a size", (_request, response) => response.writeHead(416).end()],
    ["says 400", (_request, response) => response.writeHead(400).end()],
    ["says 501", (_request, response) => response.writeHead(501).end()],
    [
      "sends everything, which is too much",
      (_request, response) => response.writeHead(200, { "Content-Length": "100000" }).end(numbered),
    ],
  ])("%s: the first byte is requested", async (_name, otherwise) => {
    const server = await webServer(plain(otherwise));
    const source = httpSource(server.url, { ...sizes, maxWholeBytes: 50_000 });
    expect(await readExactly(source, 99_000, 1000)).toEqual(numbered.subarray(99_000));
    expect(await source.size()).toBe(100_000);
    expect(server.asked.map(({ range }) => range)).toEqual(["bytes=-1000", "bytes=0-0", "bytes=99000-99999"]);
  });

  test("that sends a large file whole although it has ranges is asked again", async () => {
    const large = new Uint8Array(2_000_000).fill(7);
    const server = await webServer((request, response, count) => {
      if (request.headers.range?.startsWith("bytes=-")) {
        response
          .writeHead(200, { "Content-Length": String(large.length), "Accept-Ranges": "bytes" })
          .end(large);
      } else {
        ranges(() => ({ bytes: large }))(request, response, count);
      }
    });
    const source = httpSource(server.url, sizes);
    expect(await readExactly(source, 1_999_999, 1)).toEqual(Uint8Array.of(7));
    expect(source.traffic?.requests).toBe(3);
    expect(source.traffic?.bytes).toBe(1);
  });

  test.each<[string, Answer, object]>([
    [
      "another byte",
      (_q, r) => r.writeHead(206, { "Content-Range": "bytes 1-1/9" }).end("x"),
      { code: "E_IO" },
    ],
    ["no size", (_q, r) => r.writeHead(206, { "Content-Range": "bytes 0-0/*" }).end("x"), { code: "E_IO" }],
    [
      "too large a file",
      (_q, r) => r.writeHead(200, { "Content-Length": "99999" }).end(),
      { code: "E_LIMIT" },
    ],
    ["nothing", (_q, r) => r.writeHead(403).end(), { code: "E_IO", field: "status", actual: 403 }],
  ])("that then sends %s is a typed error", async (_name, then, error) => {
    const server = await webServer((request, response, count) =>
      count === 0 ? response.writeHead(416).end() : then(request, response, count),
    );
    await expect(httpSource(server.url, { maxWholeBytes: 1000 }).size()).rejects.toMatchObject(error);
  });
});

describe("a signed URL", () => {
  test("that refuses HEAD is read", async () => {
    const server = await webServer((request, response, count) => {
      if (request.method === "GET") {
        usual(request, response, count);
      } else {
        response.writeHead(403).end();
      }
    });
    expect(await httpSource(`${server.url}?signature=a%2Bb`, sizes).read(5, 5)).toEqual(
      numbered.subarray(5, 10),
    );
    expect(server.asked.every(({ method }) => method === "GET")).toBe(true);
  });

  test("that has expired is E_IO with its status and is not retried", async () => {
    const server = await webServer((request, response, count) =>
      count === 0 ? usual(request, response, count) : response.writeHead(403).end(),
    );
    const error: unknown = await httpSource(server.url, sizes)
      .read(0, 1)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "E_IO", field: "status", actual: 403 });
    expect(isTransient(error)).toBe(false);
  });
});

test.each([301, 302, 303, 307, 308])("a redirect (%d) is followed with the range", async (status) => {
  const target = await webServer(usual);
  const server = await webServer((_request, response) =>
    response.writeHead(status, { Location: target.url }).end(),
  );
  const source = httpSource(server.url, sizes);
  expect(await source.read(5000, 5)).toEqual(numbered.subarray(5000, 5005));
  expect(target.asked.map(({ range }) => range)).toEqual(["bytes=-1000", "bytes=5000-5004"]);
  expect(source.name).toBe(server.url);
});

test("a redirect loop ends", async () => {
  const server = await webServer((_request, response) => response.writeHead(302, { Location: "/" }).end());
  await expect(httpSource(server.url).size()).rejects.toMatchObject({ code: "E_IO" });
});

describe("a gzip body", () => {
  test("of the whole file is decoded", async () => {
    const server = await webServer((_request, response) => {
      const body = gzipSync(numbered);
      response
        .writeHead(200, { "Content-Encoding": "gzip", "Content-Length": String(body.length) })
        .end(body);
    });
    const source = httpSource(server.url);
    expect(await source.size()).toBe(100_000);
    expect(await source.read(500, 500)).toEqual(numbered.subarray(500, 1000));
  });

  test.each(["first", "second"])("of a range is an error: the %s response", async (which) => {
    const server = await webServer((request, response, count) => {
      if ((count === 0) !== (which === "first")) {
        usual(request, response, count);
        return;
      }
      const [from, to] = which === "first" ? [99_000, 99_999] : [0, 1999];
      response
        .writeHead(206, { "Content-Encoding": "gzip", "Content-Range": `bytes ${from}-${to}/100000` })
        .end(gzipSync(numbered.subarray(from, to + 1)));
    });
    await expect(httpSource(server.url, sizes).read(0, 1)).rejects.toMatchObject({
      code: "E_IO",
      field: "Content-Encoding",
      actual: "gzip",
    });
  });
});

describe("the version", () => {
  test.each([
    [{ ETag: '"x"', "Last-Modified": "Mon" }, '"x" 100000'],
    [{ "Last-Modified": "Mon" }, "Mon 100000"],
    [{}, undefined],
  ])("of %o is %s", async (headers, version) => {
    const server = await webServer(ranges(() => ({ bytes: numbered, headers })));
    expect(await httpSource(server.url).version?.()).toBe(version);
  });

  test("prevents mixing a replaced file with the previous one", async () => {
    const files = [numbered, numbered.map((byte) => byte ^ 255)];
    let current = 0;
    const server = await webServer(
      ranges(() => ({
        bytes: files[current] ?? numbered,
        headers: { ETag: `"${createHash("sha1").update(`${current}`).digest("hex")}"` },
      })),
    );
    const source = httpSource(server.url, sizes);
    expect(await source.read(5000, 10)).toEqual(numbered.subarray(5000, 5010));
    current = 1;
    await expect(source.read(5000, 10)).rejects.toMatchObject({ code: "E_SOURCE_CHANGED" });
    await expect(source.read(0, 10)).rejects.toMatchObject({ code: "E_SOURCE_CHANGED" });
    // Bytes read before the change still belong to the old file.
    expect(await source.read(99_000, 10)).toEqual(numbered.subarray(99_000, 99_010));
    expect(await httpSource(server.url).read(5000, 10)).toEqual(files[1]?.subarray(5000, 5010));
    await nextTick();
  });
});

test("passes options to fetch", async () => {
  const asked: unknown[] = [];
  const source = httpSource("http://example.invalid/x", {
    credentials: "include",
    fetch: async (_input, init) => {
      asked.push(init);
      return new Response("abc", { status: 206, headers: { "Content-Range": "bytes 0-2/3" } });
    },
  });
  await source.size();
  expect(asked).toMatchObject([{ cache: "no-store", credentials: "include" }]);
});
