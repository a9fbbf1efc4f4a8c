import { kernelsFor, unlessForbidden } from "./choose-decoders.js";
import type { KernelChoice } from "./kernels.js";
import type { PageKernels } from "./page-kernels.js";
import { SimdPageKernels } from "./simd-page-kernels.js";

/** `null` where they cannot be had; made at the first use. */
let simd: PageKernels | null | undefined;

function simdPageKernels(): PageKernels | undefined {
  if (simd === undefined) {
    simd = unlessForbidden(() => new SimdPageKernels()) ?? null;
  }
  return simd ?? undefined;
}

/**
 * The kernels that writing pages of Parquet needs, for a choice: `undefined` stands for the portable versions.
 *
 * @throws CFileError as `chooseKernels`
 */
export function choosePageKernels(choice: KernelChoice = "auto"): PageKernels | undefined {
  return kernelsFor(choice, simdPageKernels);
}
