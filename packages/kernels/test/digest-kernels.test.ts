/** Cases that the digest kernels leave to the portable loops. Their results are compared in `@cfile/compare`. */
import { expect, test, vi } from "vitest";
import type { HashedCells } from "../src/rows.js";
import { SimdDigestKernels } from "../src/simd/simd-digest-kernels.js";

const kernels = new SimdDigestKernels();

test.each([
  ["out of order", [0, 3, 2]],
  ["beyond the data", [0, 3, 5]],
  ["below 0", [-1, 3, 4]],
])("strings with offsets %s", (_name, offsets) => {
  const portable = vi.fn();
  new SimdDigestKernels().hashStrings(portable)(
    { offsets: Int32Array.from(offsets), data: new Uint8Array(4) },
    2,
    new Int32Array(4),
  );
  expect(portable).toHaveBeenCalledOnce();
});

test.each<[string, Partial<HashedCells>]>([
  ["fewer words than rows", { words: new Int32Array(3) }],
  ["fewer words than pairs", { form: "pairs", words: new Int32Array(7) }],
  ["a short bitmap", { words: new Int32Array(9), validity: new Uint8Array(0) }],
])("cells with %s", (_name, given) => {
  const portable = vi.fn();
  const cells = {
    words: new Int32Array(8),
    form: "signed",
    validity: undefined,
    seed: [1, 2],
    isKey: false,
  } as const;
  new SimdDigestKernels().sumCells(portable)([{ ...cells, ...given }], 4, new Int32Array(4));
  expect(portable).toHaveBeenCalledOnce();
});

test("cells of too many rows", () => {
  const portable = vi.fn();
  kernels.sumCells(portable)([], 1 << 23, new Int32Array(2));
  expect(portable).toHaveBeenCalledOnce();
});

test("cells that two callers leave to different portable loops", () => {
  const [one, other] = [vi.fn(), vi.fn()];
  for (const portable of [one, other, one]) {
    kernels.sumCells(portable)([], 1 << 23, new Int32Array(2));
  }
  expect(one).toHaveBeenCalledTimes(2);
  expect(other).toHaveBeenCalledOnce();
});

test("callers with the same portable loop share the kernel", () => {
  const portable = vi.fn();
  expect(kernels.sumCells(portable)).toBe(kernels.sumCells(portable));
});
