import { CFileError } from "@cfile/bytes";
import type { DecodeKernels, KernelChoice } from "./kernels.js";
import { SimdDecoders } from "./simd-decoders.js";

/** `null` where they cannot be had; made at the first use. */
let simd: DecodeKernels | null | undefined;

function simdDecoders(): DecodeKernels | undefined {
  if (simd === undefined) {
    simd = unlessForbidden(() => new SimdDecoders()) ?? null;
  }
  return simd ?? undefined;
}

/** `undefined` where WebAssembly, or its SIMD instructions, are missing or forbidden (by a content security policy, say). */
export function unlessForbidden<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/**
 * The kernels that reading needs, for a choice: `undefined` stands for the portable versions.
 *
 * @throws CFileError as `chooseKernels`
 */
export function chooseDecoders(choice: KernelChoice = "auto"): DecodeKernels | undefined {
  return kernelsFor(choice, simdDecoders);
}

export function kernelsFor<T>(choice: KernelChoice, simdOnes: () => T | undefined): T | undefined {
  switch (choice) {
    case "auto":
      return simdOnes();
    case "portable":
      return undefined;
    case "simd": {
      const kernels = simdOnes();
      if (kernels === undefined) {
        throw new CFileError("E_UNSUPPORTED", "there is no WebAssembly SIMD here", { field: "kernels" });
      }
      return kernels;
    }
    default:
      throw new CFileError("E_INVALID_ARGUMENT", `there are no kernels "${String(choice)}"`, {
        field: "kernels",
      });
  }
}
