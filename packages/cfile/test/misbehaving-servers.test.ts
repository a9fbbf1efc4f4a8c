/** Web servers that make the mistakes of real ones: the data must be correct, or the error typed. */

import { type CFileErrorCode, isCFileError } from "@cfile/bytes";
import { withRetry } from "@cfile/io/decorators";
import { type HttpSourceOptions, httpSource } from "@cfile/io/http";
import { type FileServer, type Misbehaviour, serveFiles } from "@cfile-tools/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import { type CellValue, createCFile, memorySink, openCFile, readUnchanged } from "../src/index.js";

const ROWS = 60_000;
const cellAt = (row: number): number => (Math.imul(row, 2_654_435_761) >>> 3) % 1_000_000;

async function fileOf(rows: number, cellOf: (row: number) => number): Promise<Uint8Array> {
  const sink = memorySink();
  const column = await createCFile(sink, { type: "INT32", encoding: "PLAIN_ENCODING", blockSize: 16_384 });
  await column.append(Int32Array.from({ length: rows }, (_, row) => cellOf(row)));
  await column.finish();
  return sink.bytes();
}

let web: FileServer;
let bytes: Uint8Array;
let other: Uint8Array;
beforeAll(async () => {
  bytes = await fileOf(ROWS, cellAt);
  other = await fileOf(ROWS, (row) => -1 - row);
  web = await serveFiles({});
});

const expected = Array.from({ length: ROWS }, (_, row) => cellAt(row));

/** Adds a separate file for each test. */
function put(body: Uint8Array, misbehaviour?: Misbehaviour): string {
  const path = `${web.files.size}.cfile`;
  web.files.set(path, { body, ...(misbehaviour && { misbehaviour }) });
  return web.url + path;
}

const asked = (url: string) => web.served.filter(({ path }) => web.url + path === url);

async function readAll(
  url: string,
  http: HttpSourceOptions = {},
): Promise<readonly CellValue[] | CFileErrorCode> {
  try {
    await using file = await openCFile(url, { http });
    expect(await file.get(ROWS - 1)).toBe(cellAt(ROWS - 1));
    return await file.toArray();
  } catch (error) {
    if (isCFileError(error)) {
      return error.code;
    }
    throw error;
  }
}

describe("a server that", () => {
  test.each<[string, Misbehaviour]>([
    ["refuses HEAD, as for signed URLs", "no-head"],
    ["ignores ranges and sends everything", "ignores-range"],
    ["does not support suffix ranges", "no-suffix"],
  ])("%s is read correctly", async (_name, misbehaviour) => {
    const url = put(bytes, misbehaviour);
    expect(await readAll(url)).toEqual(expected);
    expect(asked(url).every(({ method }) => method === "GET")).toBe(true);
  });

  test("ignores ranges and sends more than the limit causes E_LIMIT", async () => {
    expect(await readAll(put(bytes, "ignores-range"), { maxWholeBytes: 100_000 })).toBe("E_LIMIT");
  });

  test.each<[Misbehaviour, CFileErrorCode]>([
    ["short-part", "E_IO"],
    ["other-part", "E_IO"],
    ["no-content-range", "E_IO"],
    ["breaks-off", "E_IO"],
    ["gzip-part", "E_IO"],
    ["other-etag", "E_SOURCE_CHANGED"],
    ["busy", "E_IO"],
  ])("misbehaves with %s causes %s", async (misbehaviour, code) => {
    expect(await readAll(put(bytes, misbehaviour))).toBe(code);
  });

  test("is busy every other time is read correctly with retries", async () => {
    const source = withRetry(httpSource(put(bytes, "busy")), { backoff: () => 0 });
    await using file = await openCFile(source);
    expect(await file.toArray()).toEqual(expected);
  });
});

describe("a file that is replaced while it is read", () => {
  async function replacedAfter(count: number): Promise<string> {
    const url = put(bytes);
    const path = url.slice(web.url.length);
    const push = web.served.push.bind(web.served);
    let left = count;
    web.served.push = (...items) => {
      if (items.some((item) => item.path === path) && --left === 0) {
        web.files.set(path, { body: other, etag: '"2"' });
      }
      return push(...items);
    };
    return url;
  }

  test.each([1, 2, 3])("after %d requests yields one version or the other, never both", async (count) => {
    const answer = await readUnchanged(await replacedAfter(count), async (file) => [
      await file.get(ROWS - 1),
      ...(await file.toArray()),
    ]);
    const isFirst = answer[0] === cellAt(ROWS - 1);
    const cells = isFirst ? expected : expected.map((_, row) => -1 - row);
    expect(answer).toEqual([cells.at(-1), ...cells]);
  });

  test("throws E_SOURCE_CHANGED without a retry", async () => {
    const url = await replacedAfter(1);
    const file = await openCFile(url);
    await file.get(ROWS - 1);
    await expect(file.toArray()).rejects.toMatchObject({ code: "E_SOURCE_CHANGED", path: url });
  });
});

test("range requests bypass the browser's cache", async () => {
  const modes: (RequestCache | undefined)[] = [];
  const url = put(bytes);
  await readAll(url, {
    fetch: (input, init) => {
      modes.push(init?.cache);
      return fetch(input, init);
    },
  });
  expect(new Set(modes)).toEqual(new Set(["no-store"]));
});

test("every request uses the custom fetch, headers and credentials", async () => {
  const seen: unknown[] = [];
  const url = put(bytes);
  const answer = await readAll(url, {
    headers: { Authorization: "Bearer x" },
    credentials: "include",
    fetch: (input, init) => {
      seen.push([new Headers(init?.headers).get("Authorization"), init?.credentials]);
      return fetch(input, init);
    },
  });
  expect(answer).toEqual(expected);
  expect(seen.length).toBe(asked(url).length);
  expect(new Set(seen.map(String))).toEqual(new Set(["Bearer x,include"]));
});

describe("small files take few requests", () => {
  test.each([0, 1, 100])("one request for a file of %d rows", async (rows) => {
    const url = put(await fileOf(rows, cellAt));
    await using file = await openCFile(url);
    expect(await file.toArray()).toEqual(expected.slice(0, rows));
    expect(asked(url).length).toBe(1);
  });

  test.each([0, 1, 11, 12])("a typed error for %d bytes that are not a CFile", async (length) => {
    for (const misbehaviour of [undefined, "ignores-range", "no-suffix"] as const) {
      expect(await readAll(put(bytes.slice(0, length), misbehaviour))).toMatch(/^E_(TRUNCATED|CORRUPT)$/);
    }
  });
});
