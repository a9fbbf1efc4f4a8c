import { type Answer, ranges, webServer } from "@cfile-tools/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { httpSource } from "../src/http.js";
import type { ByteSource } from "../src/index.js";
import { numbered } from "./paused-source.js";

const usual = ranges(() => ({ bytes: numbered, headers: { ETag: '"1"' } }));
const options = { tailBytes: 1000, headBytes: 0, prefetchBytes: 50_000 };

let opened: ByteSource[];
beforeEach(() => {
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((source) => source.close?.()));
});

async function open(answer: Answer, changes: object = {}) {
  const server = await webServer(answer);
  const source = httpSource(server.url, { ...options, ...changes });
  opened.push(source);
  return { server, source };
}

describe("a prefetch of the file's beginning", () => {
  test("is requested together with the end and serves reads inside it", async () => {
    const { server, source } = await open(usual);
    for (const offset of [0, 20_000, 10_000, 49_990]) {
      expect(await source.read(offset, 10)).toEqual(numbered.subarray(offset, offset + 10));
    }
    expect(await source.read(49_990, 20)).toEqual(numbered.subarray(49_990, 50_010));
    expect(server.asked.map(({ range }) => range).sort()).toEqual([
      "bytes=-1000",
      "bytes=0-49999",
      "bytes=49990-50009",
    ]);
  });

  test("longer than the file fetches all of it", async () => {
    const { server, source } = await open(usual, { prefetchBytes: 1_000_000 });
    expect(await source.read(0, 99_000)).toEqual(numbered.subarray(0, 99_000));
    expect(server.asked.length).toBe(2);
  });

  test("serves bytes that have arrived while the rest is loading", async () => {
    let finish: (() => void) | undefined;
    const { source } = await open((request, response, count) => {
      if (request.headers.range !== "bytes=0-49999") {
        usual(request, response, count);
        return;
      }
      response.writeHead(206, { ETag: '"1"', "Content-Range": "bytes 0-49999/100000" });
      response.write(numbered.subarray(0, 20_000));
      finish = () => response.end(numbered.subarray(20_000, 50_000));
    });
    expect(await source.read(10_000, 10_000)).toEqual(numbered.subarray(10_000, 20_000));
    const rest = source.read(15_000, 10_000);
    const controller = new AbortController();
    const impatient = source.read(30_000, 10, { signal: controller.signal });
    controller.abort("enough");
    await expect(impatient).rejects.toBe("enough");
    finish?.();
    expect(await rest).toEqual(numbered.subarray(15_000, 25_000));
  });

  test.each<[string, Answer]>([
    ["is refused", (_request, response) => response.writeHead(503).end()],
    [
      "breaks off",
      (_request, response) => {
        response.writeHead(206, { ETag: '"1"', "Content-Range": "bytes 0-49999/100000" });
        response.write(numbered.subarray(0, 100), () => response.destroy());
      },
    ],
    ["is answered with the whole file", (_request, response) => response.writeHead(200).end(numbered)],
    [
      "is answered with another part",
      (_request, response) =>
        response
          .writeHead(206, { "Content-Range": "bytes 1-50000/100000" })
          .end(numbered.subarray(1, 50_001)),
    ],
    [
      "is answered with too little",
      (_request, response) =>
        response.writeHead(206, { "Content-Range": "bytes 0-49999/100000" }).end(numbered.subarray(0, 100)),
    ],
    [
      "comes in a content coding",
      (_request, response) =>
        response
          .writeHead(206, { "Content-Encoding": "br", "Content-Range": "bytes 0-49999/100000" })
          .end("x"),
    ],
  ])("that %s has no effect", async (_name, answer) => {
    const { source } = await open((request, response, count) =>
      (request.headers.range === "bytes=0-49999" ? answer : usual)(request, response, count),
    );
    expect(await source.read(200, 10_000)).toEqual(numbered.subarray(200, 10_200));
  });

  test.each([
    { ETag: '"2"', size: 100_000 },
    { ETag: '"1"', size: 100_001 },
  ])("of another file (%o) is not mixed with this one", async ({ ETag, size }) => {
    const { source } = await open((request, response, count) => {
      if (request.headers.range === "bytes=0-49999") {
        response
          .writeHead(206, { ETag, "Content-Range": `bytes 0-49999/${size}` })
          .end(numbered.subarray(0, 50_000));
      } else {
        usual(request, response, count);
      }
    });
    await expect(source.read(0, 10)).rejects.toMatchObject({ code: "E_SOURCE_CHANGED" });
  });

  test("ends when the source is closed", async () => {
    const { server, source } = await open((request, response, count) => {
      if (request.headers.range === "bytes=0-49999") {
        response.writeHead(206, { ETag: '"1"', "Content-Range": "bytes 0-49999/100000" });
        response.write(numbered.subarray(0, 100));
      } else {
        usual(request, response, count);
      }
    });
    const waiting = source.read(0, 100);
    expect(await waiting).toEqual(numbered.subarray(0, 100));
    await source.close?.();
    await expect.poll(server.cutOff, { interval: 5 }).toBe(1);
  });

  test("that is closed lets the reads that wait for it send their own requests", async () => {
    const { source } = await open((request, response, count) => {
      if (request.headers.range === "bytes=0-49999") {
        response.writeHead(206, { ETag: '"1"', "Content-Range": "bytes 0-49999/100000" });
        response.write(numbered.subarray(0, 100));
      } else {
        usual(request, response, count);
      }
    });
    expect(await source.read(0, 100)).toEqual(numbered.subarray(0, 100));
    const waiting = [30_000, 10_000].map((offset) => source.read(offset, 10));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await source.close?.();
    expect(await Promise.all(waiting)).toEqual([
      numbered.subarray(30_000, 30_010),
      numbered.subarray(10_000, 10_010),
    ]);
  });

  test("pauses when it is too far ahead of the reads", async () => {
    const large = new Uint8Array(64 << 20);
    const { source } = await open(
      ranges(() => ({ bytes: large })),
      { prefetchBytes: 1 << 30 },
    );
    await source.read(0, 10);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(source.traffic?.bytes).toBeLessThan(20 << 20);
    await source.read(40 << 20, 10);
    expect((await source.read(20 << 20, 1 << 20)).length).toBe(1 << 20);
    expect(source.traffic?.requests).toBe(3);
  });
});
