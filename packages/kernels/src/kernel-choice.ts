import { CFileError } from "@cfile/bytes";
import type { KernelChoice } from "./decode-kernels.js";

/** Chooses between two versions of kernels; that in SIMD is made at the first use, one for all. */
export function chooser<T>(portable: () => T, makeSimd: () => T): (choice?: KernelChoice) => T {
  /** `null` where WebAssembly, or its SIMD instructions, are missing or forbidden (by a content security policy, say). */
  let simd: T | null | undefined;
  return (choice = "auto") => {
    if (choice === "portable") {
      return portable();
    }
    if (choice !== "auto" && choice !== "simd") {
      throw new CFileError("E_INVALID_ARGUMENT", `there are no kernels "${String(choice)}"`, {
        field: "kernels",
      });
    }
    simd ??= simd === null ? null : (unlessForbidden(makeSimd) ?? null);
    if (simd === null && choice === "simd") {
      throw new CFileError("E_UNSUPPORTED", "there is no WebAssembly SIMD here", { field: "kernels" });
    }
    return simd ?? portable();
  };
}

/** `undefined` where it cannot be made. */
export function unlessForbidden<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
