import { CFileError, invalidArgument } from "@cfile/bytes";
import type { KernelChoice } from "./decode-kernels.js";

/**
 * Chooses between two kernel sets; the SIMD set is created at the first use and shared.
 *
 * @param improved adds the features of `auto` to the chosen set
 */
export function chooser<T>(
  portable: () => T,
  makeSimd: () => T,
  improved?: (kernels: T) => T,
): (choice?: KernelChoice) => T {
  /** `null` where WebAssembly SIMD is missing or forbidden, for example by a content security policy. */
  let simd: T | null | undefined;
  let best: T | undefined;
  return (choice = "auto") => {
    if (choice === "portable") {
      return portable();
    }
    const field = "kernels";
    if (choice !== "auto" && choice !== "simd") {
      throw invalidArgument(`unknown kernels: "${choice}" (must be auto, portable or simd)`, { field });
    }
    if (simd === undefined) {
      simd = unlessForbidden(makeSimd) ?? null;
    }
    if (simd === null && choice === "simd") {
      throw new CFileError("E_UNSUPPORTED", "WebAssembly SIMD is not available", { field });
    }
    const kernels = simd ?? portable();
    if (choice === "simd" || improved === undefined) {
      return kernels;
    }
    best ??= improved(kernels);
    return best;
  };
}

/** The result of `make`, or `undefined` when it throws. */
export function unlessForbidden<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/** Creates an implementation from a portable one only once, so that all callers share its compiled code. */
export function once<T>(make: (portable: T) => T): (portable: T) => T {
  let made: T | undefined;
  return (portable) => {
    made ??= make(portable);
    return made;
  };
}
