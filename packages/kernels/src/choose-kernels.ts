import { kernelsFor, unlessForbidden } from "./choose-decoders.js";
import type { KernelChoice, Kernels } from "./kernels.js";
import { SimdKernels } from "./simd-kernels.js";

/** `null` where they cannot be had; made at the first use. */
let simd: Kernels | null | undefined;

/**
 * The SIMD kernels, one set for all; `undefined` where WebAssembly, or its SIMD instructions, are missing or forbidden
 * (by a content security policy, say).
 */
export function simdKernels(): Kernels | undefined {
  if (simd === undefined) {
    simd = unlessForbidden(() => new SimdKernels()) ?? null;
  }
  return simd ?? undefined;
}

/**
 * The kernels for a choice: `undefined` stands for the portable versions.
 *
 * @throws CFileError `E_UNSUPPORTED` when `simd` is asked for and cannot be had, `E_INVALID_ARGUMENT` for another word
 */
export function chooseKernels(choice: KernelChoice = "auto"): Kernels | undefined {
  return kernelsFor(choice, simdKernels);
}
