import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { withRetry } from "../src/decorators.js";
import { httpSource } from "../src/http.js";

const NOW = Date.UTC(2026, 10, 21, 12, 0, 0);

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A server that is busy once and says for how long; records the times of requests. */
function busyOnce(retryAfter: string | undefined, status: number) {
  const asked: number[] = [];
  const source = httpSource("http://example.invalid/x", {
    fetch: async () => {
      asked.push(Date.now() - NOW);
      return asked.length === 1
        ? new Response(null, {
            status,
            headers: retryAfter === undefined ? {} : { "Retry-After": retryAfter },
          })
        : new Response("abc", { status: 206, headers: { "Content-Range": "bytes 0-2/3" } });
    },
  });
  return { asked, source: withRetry(source, { backoff: () => 10 }) };
}

describe("Retry-After", () => {
  test.each([
    ["2", 429, 2000],
    ["30", 503, 30_000],
    ["0", 503, 10],
    [new Date(NOW + 5000).toUTCString(), 503, 5000],
    ["Saturday, 21-Nov-26 12:00:05 GMT", 429, 5000],
    [new Date(NOW - 5000).toUTCString(), 503, 10],
    ["soon", 503, 10],
    ["-5", 503, 10],
    ["1.5", 503, 10],
    [undefined, 503, 10],
  ])("of %s (status %d) delays the next attempt by %d ms", async (retryAfter, status, expected) => {
    const { asked, source } = busyOnce(retryAfter, status);
    const size = source.size();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await size).toBe(3);
    expect(asked).toEqual([0, expected]);
  });

  test.each(["31", "999999999", new Date(NOW + 3_600_000).toUTCString()])(
    "of %s is too long: the read fails at once",
    async (retryAfter) => {
      const { asked, source } = busyOnce(retryAfter, 503);
      await expect(source.size()).rejects.toMatchObject({ code: "E_IO", field: "status", actual: 503 });
      expect(asked).toEqual([0]);
    },
  );

  test("does not delay the abort of a read", async () => {
    const { asked, source } = busyOnce("20", 503);
    const controller = new AbortController();
    const size = source.size({ signal: controller.signal });
    const ends = expect(size).rejects.toBe("enough");
    await vi.advanceTimersByTimeAsync(1000);
    controller.abort("enough");
    await ends;
    expect(asked).toEqual([0]);
  });
});
