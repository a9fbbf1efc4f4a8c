/** @module @cfile/kernels/rows: kernels for keys, Bloom filters, delta entries and digests of rows. */
import type { KernelChoice } from "./decode-kernels.js";
import type { DigestKernels } from "./digest-kernels.js";
import { chooser } from "./kernel-choice.js";
import { portableDigestKernels, portableRowKernels } from "./portable-kernels.js";
import type { RowKernels } from "./row-kernels.js";
import { SimdDigestKernels } from "./simd/simd-digest-kernels.js";
import { SimdRowKernels } from "./simd/simd-row-kernels.js";

export type { CellWords, DigestKernels, HashedCells, HashStrings, SumCells } from "./digest-kernels.js";
export type {
  BloomProbe,
  CountOnes,
  DecodedDeltas,
  DeltaEntries,
  FirstDescent,
  IntegerDescent,
  IntegerKeys,
  Integers,
  KeyColumn,
  KeyRange,
  ProbedFilter,
  RowKernels,
} from "./row-kernels.js";

/**
 * The kernels for row sets.
 *
 * @param choice default: `auto`
 * @throws {CFileError} `E_UNSUPPORTED` for `simd` where it is not available, `E_INVALID_ARGUMENT` for any other choice
 */
export const chooseRowKernels: (choice?: KernelChoice) => RowKernels = /* @__PURE__ */ chooser(
  () => portableRowKernels,
  () => new SimdRowKernels(),
);

/**
 * The kernels for digests of rows.
 *
 * @param choice default: `auto`
 * @throws {CFileError} `E_UNSUPPORTED` for `simd` where it is not available, `E_INVALID_ARGUMENT` for any other choice
 */
export const chooseDigestKernels: (choice?: KernelChoice) => DigestKernels = /* @__PURE__ */ chooser(
  () => portableDigestKernels,
  () => new SimdDigestKernels(),
);
