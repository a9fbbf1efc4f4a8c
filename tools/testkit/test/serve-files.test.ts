import { beforeAll, describe, expect, test } from "vitest";
import { type FileServer, parseRange, serveFiles } from "../src/index.js";

describe("a Range header", () => {
  test.each([
    [undefined, { start: 0, end: 10, partial: false }],
    ["bytes=2-5", { start: 2, end: 6, partial: true }],
    ["bytes=2-", { start: 2, end: 10, partial: true }],
    ["bytes=-3", { start: 7, end: 10, partial: true }],
    ["bytes=-30", { start: 0, end: 10, partial: true }],
    ["bytes=10-", undefined],
    ["bytes=-0", undefined],
  ])("%s", (header, expected) => {
    expect(parseRange(header, 10)).toEqual(expected);
  });
});

describe("the server", () => {
  let web: FileServer;
  beforeAll(async () => {
    web = await serveFiles({ "a/b": { body: "0123456789" } });
  });

  test("answers and records range requests", async () => {
    web.served.length = 0;
    const response = await fetch(`${web.url}a/b`, { headers: { Range: "bytes=2-5" } });
    expect([response.status, await response.text(), response.headers.get("content-range")]).toEqual([
      206,
      "2345",
      "bytes 2-5/10",
    ]);
    expect((await fetch(`${web.url}none`)).status).toBe(404);
    expect(web.served).toEqual([
      { method: "GET", path: "a/b", range: "bytes=2-5", status: 206, bytes: 4 },
      { method: "GET", path: "none", range: undefined, status: 404, bytes: 0 },
    ]);
  });

  test.each([
    ["ignores-range", 200, "0123456789"],
    ["no-suffix", 206, "2345"],
    ["short-part", 206, "23"],
    ["no-content-range", 206, "2345"],
    ["other-part", 206, "2345"],
  ] as const)("with the fault %s answers %d", async (misbehaviour, status, text) => {
    web.files.set("bad", { body: "0123456789", misbehaviour });
    const response = await fetch(`${web.url}bad`, { headers: { Range: "bytes=2-5" } });
    expect([response.status, await response.text()]).toEqual([status, text]);
  });
});
