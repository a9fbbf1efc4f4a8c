/** @module @cfile/kernels/encode: chooses all kernels, for reading and writing. */
import type { KernelChoice } from "./decode-kernels.js";
import type { Kernels } from "./encode-kernels.js";
import { chooser } from "./kernel-choice.js";
import { portableKernels } from "./portable-kernels.js";
import { SimdKernels } from "./simd/simd-kernels.js";

/**
 * All kernels, for reading and writing.
 *
 * @param choice default: `auto`
 * @throws {CFileError} `E_UNSUPPORTED` for `simd` where it is not available, `E_INVALID_ARGUMENT` for any other choice
 */
export const chooseKernels: (choice?: KernelChoice) => Kernels = /* @__PURE__ */ chooser(
  () => portableKernels,
  () => new SimdKernels(),
);
