/** @module @cfile/kernels/pages: kernels for Parquet pages. */
import type { KernelChoice } from "./decode-kernels.js";
import { chooser } from "./kernel-choice.js";
import type { PageKernels } from "./page-kernels.js";
import { portablePageKernels } from "./portable-kernels.js";
import { SimdPageKernels } from "./simd/simd-page-kernels.js";

export type { BloomHashes, FixedValues, HashedValues, HashStore } from "./bloom-hashes.js";
export type {
  AppendStrings,
  IntegerBounds,
  IsAscii,
  MinAndMax,
  PageKernels,
  StringBounds,
} from "./page-kernels.js";

/**
 * The kernels for Parquet pages.
 *
 * @param choice default: `auto`
 * @throws {CFileError} `E_UNSUPPORTED` for `simd` where it is not available, `E_INVALID_ARGUMENT` for any other choice
 */
export const choosePageKernels: (choice?: KernelChoice) => PageKernels = /* @__PURE__ */ chooser(
  () => portablePageKernels,
  () => new SimdPageKernels(),
);
