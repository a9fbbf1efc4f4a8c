/** The portable Bloom filters are those of the kernels. */
import { MemoryArena } from "@cfile/bytes";
import { type BloomHashes, choosePageKernels, type HashedValues } from "@cfile/kernels/pages";
import { describe, expect, it } from "vitest";
import { HeldHashes } from "../src/write/held-hashes.js";

const COUNT = 5000;
const DATA = Uint8Array.from({ length: 16 * COUNT }, (_, i) => Math.imul(i + 1, 2654435761) >>> 13);
const VALUES: readonly (readonly [string, HashedValues])[] = [
  ["integers of 4 bytes", { data: DATA, width: 4 }],
  ["integers of 8 bytes", { data: DATA, width: 8 }],
  ["decimals", { data: DATA, width: 16 }],
  ["equal values", { data: new Uint8Array(8 * COUNT), width: 8 }],
  [
    "strings",
    {
      data: DATA,
      offsets: Int32Array.from({ length: COUNT + 1 }, (_, i) => ((i * i) % 7) + 16 * i - 6 * Number(i > 0)),
    },
  ],
];

function filterOf(hashes: BloomHashes, values: HashedValues, limit: number): Uint8Array {
  let filter = new Uint8Array(0);
  hashes.add(values, 100);
  hashes.add(values, COUNT);
  expect(hashes.count).toBe(COUNT + 100);
  hashes.finish(1 << 13, limit, (made) => {
    filter = made.slice();
  });
  expect(hashes.count).toBe(0);
  return filter;
}

describe("Bloom filters without kernels", () => {
  it.each(VALUES)("of %s are those of the kernels", (_name, values) => {
    for (const limit of [0, 0.01, 0.5]) {
      const portable = filterOf(new HeldHashes(new MemoryArena()), values, limit);
      const chosen = choosePageKernels().bloomHashes(new HeldHashes(new MemoryArena()));
      expect(portable).toEqual(filterOf(chosen, values, limit));
    }
  });

  it("hold their memory while they are used, and then release it", () => {
    const arena = new MemoryArena();
    const hashes = new HeldHashes(arena);
    const used = Array.from({ length: 9 }, () => {
      const buffers: unknown[] = [];
      hashes.add({ data: DATA, width: 8 }, COUNT);
      hashes.finish(1 << 20, 0, ({ buffer }) => {
        const other = arena.take(1 << 20);
        buffers.push(buffer, other);
        arena.release(other);
      });
      expect(new Set(buffers).size).toBe(2);
      return buffers;
    });
    expect(new Set(used.flat()).size).toBeLessThan(4);
  });
});
