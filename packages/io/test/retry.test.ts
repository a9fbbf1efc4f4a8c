import { CFileError } from "@cfile/bytes";
import { ranges, webServer } from "@cfile-tools/testkit";
import { describe, expect, test } from "vitest";
import { withRetry } from "../src/decorators.js";
import { httpSource } from "../src/http.js";
import { type ByteSource, memorySource } from "../src/index.js";
import { numbered } from "./paused-source.js";

/** Fails this many times before it succeeds. */
function failing(times: number, error: unknown): ByteSource & { readonly calls: () => number } {
  let calls = 0;
  const turn = async <T>(value: T): Promise<T> => {
    if (++calls <= times) {
      throw error;
    }
    return value;
  };
  return {
    ...memorySource(numbered),
    size: () => turn(numbered.length),
    read: (offset, length) => turn(numbered.subarray(offset, offset + length)),
    calls: () => calls,
  };
}

const backoff = () => 0;
const status = (actual: number) => new CFileError("E_IO", "status", { field: "status", actual });
const broken = new CFileError("E_IO", "broken", { cause: new TypeError("reset") });

describe("a read", () => {
  test.each([
    ["a broken connection", broken],
    ["a short body", new CFileError("E_IO", "short", { field: "body" })],
    ...[408, 425, 429, 500, 502, 503, 504].map((code): [string, CFileError] => [
      `status ${code}`,
      status(code),
    ]),
  ])("is repeated after %s", async (_name, error) => {
    const inner = failing(3, error);
    expect(await withRetry(inner, { backoff }).read(5, 5)).toEqual(numbered.subarray(5, 10));
    expect(inner.calls()).toBe(4);
  });

  test.each([
    ["E_NOT_FOUND", new CFileError("E_NOT_FOUND", "x")],
    ["E_SOURCE_CHANGED", new CFileError("E_SOURCE_CHANGED", "x")],
    ["E_LIMIT", new CFileError("E_LIMIT", "x")],
    ["a wrong range", new CFileError("E_IO", "x")],
    ["an exception of the program", new TypeError("x")],
    ...[400, 401, 403, 501].map((code): [string, CFileError] => [`status ${code}`, status(code)]),
  ])("is not repeated after %s", async (_name, error) => {
    const inner = failing(1, error);
    await expect(withRetry(inner, { backoff }).read(0, 1)).rejects.toBe(error);
    expect(inner.calls()).toBe(1);
  });

  test("fails with the last error after all attempts", async () => {
    const inner = failing(100, broken);
    await expect(withRetry(inner, { backoff, attempts: 3 }).size()).rejects.toBe(broken);
    expect(inner.calls()).toBe(3);
  });

  test("waits longer each time and passes the error to backoff", async () => {
    const waits: unknown[] = [];
    const source = withRetry(failing(3, broken), {
      backoff: (attempt, error) => {
        waits.push([attempt, error]);
        return 0;
      },
    });
    await source.readMany?.([{ offset: 0, length: 1 }]);
    expect(waits).toEqual([2, 3, 4].map((attempt) => [attempt, broken]));
  });

  test.each(["of the read", "of all"])(
    "ends at once when the signal %s is aborted while it waits",
    async (whose) => {
      const controller = new AbortController();
      const { signal } = controller;
      const inner = failing(9, broken);
      const source = withRetry(inner, { backoff: () => 60_000, ...(whose === "of all" && { signal }) });
      const reading = source.read(0, 1, whose === "of all" ? {} : { signal });
      setTimeout(() => controller.abort("enough"), 5);
      await expect(reading).rejects.toBe("enough");
      expect(inner.calls()).toBe(1);
    },
  );

  test.each([0, 1.5, Number.NaN])("rejects %d attempts", (attempts) => {
    expect(() => withRetry(memorySource(numbered), { attempts })).toThrow(
      expect.objectContaining({ code: "E_INVALID_ARGUMENT", field: "attempts" }),
    );
  });
});

test("reads from a server that is overloaded, resets connections and truncates bodies", async () => {
  const usual = ranges(() => ({ bytes: numbered }));
  const server = await webServer((request, response, count) => {
    switch (count % 4) {
      case 0:
        response.writeHead(503).end();
        break;
      case 1:
        request.socket.destroy();
        break;
      case 2:
        response.writeHead(206, {
          "Content-Range": count < 4 ? "bytes 99000-99999/100000" : "bytes 0-9/100000",
          "Content-Length": count < 4 ? "1000" : "10",
        });
        response.write(numbered.subarray(0, 5), () => response.destroy());
        break;
      default:
        usual(request, response, count);
    }
  });
  const source = withRetry(httpSource(server.url, { tailBytes: 1000, headBytes: 0 }), { backoff });
  expect(await source.size()).toBe(100_000);
  expect(await source.read(0, 10)).toEqual(numbered.subarray(0, 10));
  expect(server.asked.length).toBe(8);
  expect(source.traffic?.requests).toBe(8);
});
