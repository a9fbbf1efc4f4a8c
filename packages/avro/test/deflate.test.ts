import { inflateRawSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { deflate, deflateByStream } from "../src/deflate.js";

/** Bytes, some of them repeated. */
function bytesOf(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => Math.imul(i % 7001, 2654435761) >>> (i % 3 === 0 ? 24 : 29));
}

describe("deflate", () => {
  it.each([0, 1, 3000, 65_536, 1_000_000])(
    "of %i bytes is the same with Node's zlib and by a stream",
    async (length) => {
      const bytes = bytesOf(length);
      const native = await deflate(bytes);
      expect(Buffer.from(await deflateByStream(bytes)).equals(native)).toBe(true);
      expect(inflateRawSync(native).equals(bytes)).toBe(true);
    },
  );

  it("does not need Node", async () => {
    vi.stubGlobal("process", undefined);
    const compressed = await deflate(bytesOf(3000)).finally(() => vi.unstubAllGlobals());
    expect(inflateRawSync(compressed).equals(bytesOf(3000))).toBe(true);
  });
});
