import type { DecodeKernels, KernelChoice } from "./decode-kernels.js";
import { chooser } from "./kernel-choice.js";
import { portableDecoders } from "./portable-kernels.js";
import { simdDecodeKernels } from "./simd-decode-kernels.js";
import { SimdDecoders } from "./simd-decoders.js";

/**
 * The kernels that reading needs, for a choice.
 *
 * @throws CFileError as `chooseKernels`
 */
export const chooseDecoders: (choice?: KernelChoice) => DecodeKernels = /* @__PURE__ */ chooser(
  () => portableDecoders,
  () => simdDecodeKernels(new SimdDecoders()),
);
