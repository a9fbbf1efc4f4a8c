/** @module @cfile/kernels/decode: chooses the kernels that read. */
import type { DecodeKernels, KernelChoice } from "./decode-kernels.js";
import { chooser } from "./kernel-choice.js";
import { portableDecoders } from "./portable-kernels.js";
import { SimdDecoders } from "./simd/simd-decoders.js";

/**
 * The kernels for reading.
 *
 * @param choice default: `auto`
 * @throws {CFileError} `E_UNSUPPORTED` for `simd` where it is not available, `E_INVALID_ARGUMENT` for any other choice
 */
export const chooseDecoders: (choice?: KernelChoice) => DecodeKernels = /* @__PURE__ */ chooser(
  () => portableDecoders,
  () => new SimdDecoders(),
);
