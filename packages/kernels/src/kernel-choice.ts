import { CFileError, invalidOption } from "@cfile/bytes";
import type { KernelChoice } from "./decode-kernels.js";

/** Chooses between two kernel sets; the SIMD set is created at the first use and shared. */
export function chooser<T>(portable: () => T, makeSimd: () => T): (choice?: KernelChoice) => T {
  /** `null` where WebAssembly SIMD is missing or forbidden, for example by a content security policy. */
  let simd: T | null | undefined;
  return (choice = "auto") => {
    if (choice === "portable") {
      return portable();
    }
    if (choice !== "auto" && choice !== "simd") {
      throw invalidOption("kernels", choice, "auto, portable or simd");
    }
    if (simd === undefined) {
      simd = unlessForbidden(makeSimd) ?? null;
    }
    if (simd === null && choice === "simd") {
      throw new CFileError("E_UNSUPPORTED", "WebAssembly SIMD is not available", { field: "kernels" });
    }
    return simd ?? portable();
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

/**
 * Creates an implementation from a portable one, and keeps it while callers pass the same portable one, so that they share its compiled
 * code.
 */
export function once<T>(make: (portable: T) => T): (portable: T) => T {
  let last: T | undefined;
  let made: T;
  return (portable) => {
    if (portable !== last) {
      last = portable;
      made = make(portable);
    }
    return made;
  };
}
