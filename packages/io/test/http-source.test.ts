import { getEventListeners } from "node:events";
import { type Answer, type Headers, ranges, webServer } from "@cfile-tools/testkit";
import { describe, expect, test } from "vitest";
import { type HttpSourceOptions, httpSource as openHttpSource } from "../src/http.js";
import { type ByteSource, readExactly } from "../src/index.js";

const bytes = Uint8Array.from({ length: 100_000 }, (_, i) => (i * 31 + (i >> 8)) & 255);
const TAIL = 16 * 1024;

/** By default, fetches only a little of the end and none of the beginning. */
function httpSource(url: string | URL, options: HttpSourceOptions = {}): ByteSource {
  return openHttpSource(url, { tailBytes: TAIL, headBytes: 0, ...options });
}

describe("a server with ranges", () => {
  test("is first asked for the end, which is then kept", async () => {
    const server = await webServer(ranges(() => ({ bytes })));
    const source = httpSource(server.url);
    expect(source.name).toBe(server.url);
    expect(server.asked).toEqual([]);
    expect(await source.size()).toBe(100_000);
    expect(await readExactly(source, 99_990, 10)).toEqual(bytes.subarray(99_990));
    expect(await readExactly(source, 100_000 - TAIL, TAIL)).toEqual(bytes.subarray(100_000 - TAIL));
    expect(await readExactly(source, 5, 0)).toEqual(new Uint8Array(0));
    expect(server.asked).toMatchObject([{ method: "GET", range: `bytes=-${TAIL}` }]);
  });

  test("gets one request for each other read, and never a HEAD", async () => {
    const server = await webServer(ranges(() => ({ bytes })));
    const source = httpSource(new URL(server.url));
    expect(await readExactly(source, 0, 1)).toEqual(bytes.subarray(0, 1));
    expect(await readExactly(source, 50_000, 40_000)).toEqual(bytes.subarray(50_000, 90_000));
    expect(await readExactly(source, 0, 100_000)).toEqual(bytes);
    expect(server.asked.map(({ method, range }) => [method, range])).toEqual([
      ["GET", `bytes=-${TAIL}`],
      ["GET", "bytes=0-0"],
      ["GET", "bytes=50000-89999"],
      ["GET", "bytes=0-99999"],
    ]);
  });

  test("gets one request for a small file with any number of concurrent readers", async () => {
    const small = bytes.subarray(0, 1000);
    const server = await webServer(ranges(() => ({ bytes: small })));
    const source = httpSource(server.url);
    const parts = await Promise.all(Array.from({ length: 10 }, (_, i) => readExactly(source, i * 100, 100)));
    expect(Buffer.concat(parts)).toEqual(Buffer.from(small));
    expect(await source.size()).toBe(1000);
    expect(server.asked.length).toBe(1);
  });

  test("is not asked for bytes beyond the end of the file", async () => {
    const server = await webServer(ranges(() => ({ bytes })));
    const source = httpSource(server.url);
    expect(await source.read(99_999, 10)).toEqual(bytes.subarray(99_999));
    await expect(readExactly(source, 10_000, 90_001)).rejects.toMatchObject({ code: "E_TRUNCATED" });
    await expect(readExactly(source, 2_000_000, 1)).rejects.toMatchObject({ code: "E_TRUNCATED" });
    await expect(source.read(0, -1)).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
    expect(server.asked.map(({ range }) => range)).toEqual([`bytes=-${TAIL}`, "bytes=10000-99999"]);
  });

  test("gets the headers with every request, and requests for plain bytes", async () => {
    const server = await webServer(ranges(() => ({ bytes })));
    const source = httpSource(server.url, { headers: { Authorization: "Bearer x" } });
    await source.read(0, 1);
    expect(server.asked).toMatchObject([
      { headers: { authorization: "Bearer x", "accept-encoding": "identity" } },
      { headers: { authorization: "Bearer x", "accept-encoding": "identity" } },
    ]);
  });

  test("can be reached by a custom fetch", async () => {
    const asked: unknown[] = [];
    const source = httpSource("http://example.invalid/x", {
      fetch: async (input, init) => {
        asked.push([input, init?.headers]);
        return new Response("abc", { status: 206, headers: { "Content-Range": "bytes 0-2/3" } });
      },
    });
    expect(await readExactly(source, 0, 3)).toEqual(new TextEncoder().encode("abc"));
    expect(asked).toEqual([["http://example.invalid/x", { Range: `bytes=-${TAIL}` }]]);
  });

  test.each<[string, Answer]>([
    ["with", ranges(() => ({ bytes: new Uint8Array(0) }))],
    ["without", (_request, response) => response.writeHead(416).end("no such range")],
  ])("may have an empty file: 416, %s a Content-Range", async (_name, empty) => {
    const server = await webServer(empty);
    const source = httpSource(server.url);
    expect(await source.size()).toBe(0);
    expect(await source.read(0, 10)).toEqual(new Uint8Array(0));
    expect(server.asked.length).toBeLessThanOrEqual(2);
  });

  test("without suffix ranges, but with the size in its 416, is read by other ranges", async () => {
    const usual = ranges(() => ({ bytes }));
    const server = await webServer((request, response, count) => {
      if (request.headers.range?.startsWith("bytes=-")) {
        response.writeHead(416, { "Content-Range": `bytes */${bytes.length}` }).end("no such range");
      } else {
        usual(request, response, count);
      }
    });
    const source = httpSource(server.url);
    expect(await source.size()).toBe(100_000);
    expect(await readExactly(source, 99_000, 1000)).toEqual(bytes.subarray(99_000));
    expect(server.asked.length).toBe(2);
  });
});

describe("a server without ranges", () => {
  const whole =
    (headers: Headers = {}): Answer =>
    (_request, response) => {
      response.writeHead(200, headers).end(bytes);
    };

  test("sends the whole file once", async () => {
    const server = await webServer(whole());
    const source = httpSource(server.url, { maxWholeBytes: 100_000 });
    expect(await readExactly(source, 0, 10)).toEqual(bytes.subarray(0, 10));
    expect(await readExactly(source, 50_000, 50_000)).toEqual(bytes.subarray(50_000));
    expect(await source.size()).toBe(100_000);
    expect(server.asked.length).toBe(1);
  });

  test.each([
    ["that tells its length", { "Content-Length": "100000" }],
    ["that does not tell its length", {}],
  ])("is rejected above maxWholeBytes: a file %s", async (_name, headers) => {
    const server = await webServer(whole(headers));
    const source = httpSource(server.url, { maxWholeBytes: 99_999 });
    await expect(source.read(0, 10)).rejects.toMatchObject({
      code: "E_LIMIT",
      path: server.url,
      field: "maxWholeBytes",
      expected: 99_999,
    });
  });

  test("is rejected by its Content-Length above maxWholeBytes", async () => {
    const server = await webServer((_request, response) => {
      response.writeHead(200, { "Content-Length": "50001" }).flushHeaders();
    });
    const source = httpSource(server.url, { maxWholeBytes: 50_000 });
    await expect(source.size()).rejects.toMatchObject({ code: "E_LIMIT" });
    await expect.poll(server.cutOff).toBe(1);
  });

  test("is cut off above maxWholeBytes", async () => {
    const server = await webServer((_request, response) => {
      const send = (): boolean => response.write(bytes, (error) => error ?? setImmediate(send));
      send();
    });
    const source = httpSource(server.url, { maxWholeBytes: 500_000 });
    await expect(source.size()).rejects.toMatchObject({ code: "E_LIMIT" });
    await expect.poll(server.cutOff).toBe(1);
  });

  test.each([Number.NaN, -1])("a maxWholeBytes of %d is E_INVALID_ARGUMENT", (maxWholeBytes) => {
    expect(() => httpSource("http://example.invalid/x", { maxWholeBytes })).toThrow(
      expect.objectContaining({ code: "E_INVALID_ARGUMENT", field: "maxWholeBytes" }),
    );
  });

  test("may have an empty file", async () => {
    const server = await webServer((_request, response) => response.writeHead(200).end());
    expect(await httpSource(server.url).size()).toBe(0);
  });
});

/** A server's response and its effect. */
type WrongAnswer = [name: string, answer: Answer, error: object];

const answer =
  (status: number, contentRange: string | undefined, body: Uint8Array): Answer =>
  (_request, response) => {
    response.writeHead(status, contentRange === undefined ? {} : { "Content-Range": contentRange });
    // Two pieces, so that the response lacks a Content-Length.
    response.write(body.subarray(0, 1));
    response.end(body.subarray(1));
  };

/** Announces all bytes, sends some and closes the connection. */
const brokenOff =
  (contentRange: string): Answer =>
  (_request, response) => {
    response.writeHead(206, { "Content-Range": contentRange, "Content-Length": "1000" });
    response.write(bytes.subarray(0, 500), () => response.destroy());
  };

const statuses: WrongAnswer[] = [
  ["404", answer(404, undefined, bytes), { code: "E_NOT_FOUND" }],
  ["410", answer(410, undefined, bytes), { code: "E_NOT_FOUND" }],
  ["403", answer(403, undefined, bytes), { code: "E_IO" }],
  ["500", answer(500, undefined, bytes), { code: "E_IO" }],
  ["204", (_request, response) => response.writeHead(204).end(), { code: "E_IO" }],
];
const noAnswer: WrongAnswer = [
  "no answer",
  (_request, response) => response.destroy(),
  { code: "E_IO", cause: expect.any(Error) },
];

describe("a wrong first response", () => {
  test.each<WrongAnswer>([
    ...statuses,
    noAnswer,
    [
      "no Content-Range",
      answer(206, undefined, bytes.subarray(0, TAIL)),
      { reason: /Access-Control-Expose/ },
    ],
    ["an unknown size", answer(206, "bytes 90000-99999/*", bytes.subarray(90_000)), { reason: /size/ }],
    ["not the end", answer(206, "bytes 0-9/100", bytes.subarray(0, 10)), { reason: /bytes 0-9 of 100/ }],
    [
      "more than asked for",
      answer(206, "bytes 0-99999/100000", bytes),
      { reason: /bytes 0-99999 of 100000/ },
    ],
    ["a malformed 416", answer(416, "bytes */-1", bytes), { reason: /\*\/-1/ }],
    ["another unit", answer(206, "rows 0-9/10", bytes.subarray(0, 10)), { reason: /rows 0-9\/10/ }],
    ["the end before the start", answer(206, "bytes 9-0/10", bytes.subarray(0, 10)), { reason: /9-0/ }],
    ["more than the size", answer(206, "bytes 0-10/10", bytes.subarray(0, 11)), { reason: /0-10\/10/ }],
    ["a huge size", answer(206, `bytes 0-9/${"9".repeat(30)}`, bytes.subarray(0, 10)), { reason: /999/ }],
    [
      "a short body",
      answer(206, "bytes 0-9/10", bytes.subarray(0, 9)),
      { reason: /9 bytes \(expected 10\)/ },
    ],
    ["an empty body", answer(206, "bytes 0-9/10", new Uint8Array(0)), { reason: /0 bytes \(expected 10\)/ }],
    ["a long body", answer(206, "bytes 0-9/10", bytes.subarray(0, 11)), { reason: /more than 10/ }],
    ["a broken body", brokenOff("bytes 0-999/1000"), { cause: expect.any(Error) }],
  ])("%s", async (_name, wrong, { reason, ...error }: { reason?: RegExp }) => {
    const server = await webServer(wrong);
    const failed = { code: "E_IO", path: server.url, ...error };
    await expect(httpSource(server.url).size()).rejects.toMatchObject(failed);
    await expect(httpSource(server.url).read(0, 1)).rejects.toThrow(reason);
  });

  test.each(["bytes 0-999999999999999/1000000000000000", "bytes 0-9/*"])(
    "an endless body of %s is not read",
    async (range) => {
      const server = await webServer((_request, response) => {
        response.writeHead(206, { "Content-Range": range });
        const send = (): boolean => response.write(bytes, (error) => error ?? setImmediate(send));
        send();
      });
      await expect(httpSource(server.url).size()).rejects.toMatchObject({ code: "E_IO" });
      await expect.poll(server.cutOff).toBe(1);
    },
  );

  test("is not kept: the next read sends a new request", async () => {
    const usual = ranges(() => ({ bytes }));
    const server = await webServer((request, response, count) => {
      if (count === 0) {
        response.writeHead(503).end();
      } else {
        usual(request, response, count);
      }
    });
    const source = httpSource(server.url);
    const failed = await Promise.allSettled([source.size(), source.read(0, 1)]);
    expect(failed).toMatchObject([
      { status: "rejected", reason: { code: "E_IO" } },
      { status: "rejected", reason: { code: "E_IO" } },
    ]);
    expect(await source.size()).toBe(100_000);
    expect(server.asked.length).toBe(2);
  });

  test("no server is listening", async () => {
    await expect(httpSource("http://127.0.0.1:1/x").size()).rejects.toMatchObject({
      code: "E_IO",
      path: "http://127.0.0.1:1/x",
      cause: expect.any(Error),
    });
  });
});

describe("a wrong later response", () => {
  const part = bytes.subarray(100, 200);
  test.each<WrongAnswer>([
    ...statuses,
    ["412", answer(412, undefined, part), { code: "E_SOURCE_CHANGED" }],
    ["416", answer(416, "bytes */50", part), { code: "E_SOURCE_CHANGED" }],
    ["the whole file", answer(200, undefined, bytes), { code: "E_IO" }],
    [
      "another size",
      answer(206, "bytes 100-199/100001", part),
      { code: "E_SOURCE_CHANGED", actual: 100_001 },
    ],
    ["another range", answer(206, "bytes 101-200/100000", part), { code: "E_IO" }],
    ["a longer range", answer(206, "bytes 100-200/100000", part), { code: "E_IO" }],
    ["a shorter range", answer(206, "bytes 100-198/100000", part.subarray(1)), { code: "E_IO" }],
    ["no Content-Range", answer(206, undefined, part), { code: "E_IO" }],
    ["a malformed Content-Range", answer(206, "bytes=100-199", part), { code: "E_IO" }],
    ["a short body", answer(206, "bytes 100-199/100000", part.subarray(1)), { code: "E_IO", actual: "99" }],
    ["a long body", answer(206, "bytes 100-199/100000", bytes), { code: "E_IO", actual: "more than 100" }],
    ["a broken body", brokenOff("bytes 100-199/100000"), { code: "E_IO" }],
    noAnswer,
  ])("%s", async (_name, wrong, error) => {
    const usual = ranges(() => ({ bytes }));
    let isUsual = true;
    const server = await webServer((request, response, count) =>
      (isUsual ? usual : wrong)(request, response, count),
    );
    const source = httpSource(server.url);
    await source.size();
    isUsual = false;
    await expect(source.read(100, 100)).rejects.toMatchObject({ path: server.url, ...error });
    isUsual = true;
    expect(await readExactly(source, 100, 100)).toEqual(part);
  });

  test("may leave the size unknown", async () => {
    const usual = ranges(() => ({ bytes }));
    const server = await webServer((request, response, count) =>
      (count === 1 ? answer(206, "bytes 100-199/*", part) : usual)(request, response, count),
    );
    expect(await httpSource(server.url).read(100, 100)).toEqual(part);
  });

  test.each(["another range", "another ETag"])(
    "%s: the connection is closed without reading the body",
    async (wrong) => {
      const usual = ranges(() => ({ bytes, headers: { ETag: '"1"' } }));
      const server = await webServer((request, response, count) => {
        if (count === 0) {
          usual(request, response, count);
          return;
        }
        const range = wrong === "another range" ? "bytes 7-99999/100000" : "bytes 0-99/100000";
        response.writeHead(206, { ETag: wrong === "another ETag" ? '"2"' : '"1"', "Content-Range": range });
        response.write(bytes);
      });
      await expect(httpSource(server.url).read(0, 100)).rejects.toMatchObject({ name: "CFileError" });
      await expect.poll(server.cutOff).toBe(1);
    },
  );
});

describe("a file that was changed", () => {
  async function readTwice(first: Headers, second: Headers): Promise<Uint8Array> {
    const server = await webServer(ranges((count) => ({ bytes, headers: count === 0 ? first : second })));
    return httpSource(server.url).read(0, 10);
  }
  const [monday, tuesday] = ["Mon, 01 Jan 2024 00:00:00 GMT", "Tue, 02 Jan 2024 00:00:00 GMT"];

  test.each<[string, Headers, Headers, object]>([
    ["ETag", { ETag: '"a"' }, { ETag: '"b"' }, { field: "ETag", expected: '"a"', actual: '"b"' }],
    [
      "ETag",
      { ETag: '"a"', "Last-Modified": monday },
      { ETag: '"b"', "Last-Modified": monday },
      { field: "ETag" },
    ],
    ["Last-Modified", { "Last-Modified": monday }, { "Last-Modified": tuesday }, { field: "Last-Modified" }],
  ])("is detected by another %s", async (_name, first, second, error) => {
    await expect(readTwice(first, second)).rejects.toMatchObject({ code: "E_SOURCE_CHANGED", ...error });
  });

  test.each<[string, Headers, Headers]>([
    ["the same ETag", { ETag: '"a"', "Last-Modified": monday }, { ETag: '"a"', "Last-Modified": monday }],
    [
      "the same ETag from a server with another clock",
      { ETag: '"a"', "Last-Modified": monday },
      { ETag: '"a"', "Last-Modified": tuesday },
    ],
    ["no ETag any more", { ETag: '"a"', "Last-Modified": monday }, { "Last-Modified": monday }],
    ["neither", { ETag: '"a"' }, {}],
    ["an ETag all at once", {}, { ETag: '"a"' }],
  ])("is not assumed with %s", async (_name, first, second) => {
    expect(await readTwice(first, second)).toEqual(bytes.subarray(0, 10));
  });

  test("is detected by another size", async () => {
    const server = await webServer(ranges((count) => ({ bytes: bytes.subarray(count) })));
    await expect(httpSource(server.url).read(0, 10)).rejects.toMatchObject({
      code: "E_SOURCE_CHANGED",
      expected: 100_000,
      actual: 99_999,
    });
  });
});

describe("an aborted read", () => {
  const reason = { why: "enough" };
  /** Responds to the first `answered` requests; sends only headers to the others. */
  const stalling =
    (answered: number): Answer =>
    (request, response, count) => {
      if (count < answered) {
        ranges(() => ({ bytes }))(request, response, count);
      } else {
        const range = count === 0 ? "bytes 0-99/100" : "bytes 0-99/100000";
        response.writeHead(206, { "Content-Range": range }).write(bytes.subarray(0, 50));
      }
    };

  /** Waits for the first request. */
  async function asked(requests: () => number): Promise<void> {
    await expect.poll(requests, { interval: 5 }).toBe(1);
  }

  test("sends no request when aborted before it starts", async () => {
    const server = await webServer(ranges(() => ({ bytes })));
    const source = httpSource(server.url);
    const signal = AbortSignal.abort(reason);
    await expect(source.size({ signal })).rejects.toBe(reason);
    await expect(source.read(0, 1, { signal })).rejects.toBe(reason);
    expect(server.asked).toEqual([]);
    await source.size();
    await expect(source.read(99_999, 1, { signal })).rejects.toBe(reason);
    await expect(source.size({ signal })).rejects.toBe(reason);
  });

  test.each([0, 1])("ends while the body of request %d is read", async (stalled) => {
    const server = await webServer(stalling(stalled));
    const source = httpSource(server.url);
    const controller = new AbortController();
    const read = source.read(0, 100, { signal: controller.signal });
    await expect.poll(() => server.asked.length, { interval: 5 }).toBe(stalled + 1);
    setTimeout(() => controller.abort(reason), 20);
    await expect(read).rejects.toBe(reason);
    await expect.poll(server.cutOff).toBe(1);
  });

  test("ends while there is no response", async () => {
    const server = await webServer(() => undefined);
    const source = httpSource(server.url);
    await expect(source.size({ signal: AbortSignal.timeout(30) })).rejects.toMatchObject({
      name: "TimeoutError",
    });
    await expect.poll(server.cutOff).toBe(1);
  });

  test("does not affect others that share its first request", async () => {
    const answers: (() => void)[] = [];
    const server = await webServer((request, response, count) => {
      answers.push(() => ranges(() => ({ bytes }))(request, response, count));
    });
    const source = httpSource(server.url);
    const [one, two, three] = [new AbortController(), new AbortController(), new AbortController()];
    const reads = [
      source.read(99_999, 1, { signal: one.signal }),
      source.size({ signal: two.signal }),
      source.size(),
      source.size({ signal: three.signal }),
    ] as const;
    const settled = Promise.allSettled(reads);
    await asked(() => answers.length);
    one.abort(reason);
    await expect(reads[0]).rejects.toBe(reason);
    two.abort("also enough");
    await expect(reads[1]).rejects.toBe("also enough");
    answers[0]?.();
    expect(await reads[2]).toBe(100_000);
    expect((await settled).map(({ status }) => status)).toEqual([
      "rejected",
      "rejected",
      "fulfilled",
      "fulfilled",
    ]);
    expect(getEventListeners(three.signal, "abort")).toEqual([]);
    expect(server.asked.length).toBe(1);
  });

  test("ends the first request when all who share it have aborted; the next read sends a new one", async () => {
    const usual = ranges(() => ({ bytes }));
    const server = await webServer((request, response, count) => {
      if (count > 0) {
        usual(request, response, count);
      }
    });
    const source = httpSource(server.url);
    const [one, two] = [new AbortController(), new AbortController()];
    const settled = Promise.allSettled([
      source.size({ signal: one.signal }),
      source.read(0, 1, { signal: two.signal }),
    ]);
    await asked(() => server.asked.length);
    one.abort(1);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(server.cutOff()).toBe(0);
    two.abort(2);
    expect(await source.size()).toBe(100_000);
    expect(await source.size()).toBe(100_000);
    expect(await settled).toEqual([
      { status: "rejected", reason: 1 },
      { status: "rejected", reason: 2 },
    ]);
    await expect.poll(server.cutOff).toBe(1);
    expect(server.asked.length).toBe(2);
  });
});
