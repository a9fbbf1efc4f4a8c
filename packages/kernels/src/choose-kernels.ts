import type { KernelChoice } from "./decode-kernels.js";
import type { Kernels } from "./encode-kernels.js";
import { chooser } from "./kernel-choice.js";
import { portableKernels } from "./portable-kernels.js";
import { simdEncodeKernels } from "./simd-encode-kernels.js";
import { SimdKernels } from "./simd-kernels.js";

/**
 * All kernels, for a choice.
 *
 * @throws CFileError `E_UNSUPPORTED` when `simd` is asked for and cannot be had, `E_INVALID_ARGUMENT` for another word
 */
export const chooseKernels: (choice?: KernelChoice) => Kernels = /* @__PURE__ */ chooser(
  () => portableKernels,
  () => simdEncodeKernels(new SimdKernels()),
);
