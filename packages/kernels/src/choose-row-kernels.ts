import { kernelsFor, unlessForbidden } from "./choose-decoders.js";
import type { KernelChoice } from "./kernels.js";
import type { RowKernels } from "./row-kernels.js";
import { SimdRowKernels } from "./simd-row-kernels.js";

/** `null` where they cannot be had; made at the first use. */
let simd: RowKernels | null | undefined;

function simdRowKernels(): RowKernels | undefined {
  if (simd === undefined) {
    simd = unlessForbidden(() => new SimdRowKernels()) ?? null;
  }
  return simd ?? undefined;
}

/**
 * The kernels that row sets need, for a choice: `undefined` stands for the portable versions.
 *
 * @throws CFileError as `chooseKernels`
 */
export function chooseRowKernels(choice: KernelChoice = "auto"): RowKernels | undefined {
  return kernelsFor(choice, simdRowKernels);
}
