/**
 * Checksums with processor instructions that WebAssembly lacks: from the package `@node-rs/crc32`, if it is installed; otherwise
 * CRC-32 from `node:zlib`.
 */
import { builtinModule } from "@cfile/bytes";
import type { DecodeKernels } from "./decode-kernels.js";
import type { PageKernels } from "./page-kernels.js";

/** A checksum of all bytes, continued from that of the preceding bytes. */
type NativeChecksum = (bytes: Uint8Array, previous?: number) => number;

/** The functions of the package. */
interface NativeChecksums {
  readonly crc32: NativeChecksum;
  readonly crc32c: NativeChecksum;
}

interface NodeModules {
  "node:module": { createRequire(from: string): (name: string) => NativeChecksums };
  /** Lacks the function before Node 20.15. */
  "node:zlib": { readonly crc32?: NativeChecksum };
}

/** For shorter input, the call takes longer than the checksum (`npm run bench -- --only checksums`). */
const MIN_LENGTH = 1024;

/**
 * The kernels with the native checksum for long input, if there is one.
 *
 * @param load called once, at the first long input. Default: {@link nativeChecksums}
 */
export function withNativeChecksum<T extends Pick<DecodeKernels, "crc32c">>(
  kernels: T,
  load: () => Pick<NativeChecksums, "crc32c"> | false = nativeChecksums,
): T {
  let native: Pick<NativeChecksums, "crc32c"> | false | undefined;
  const crc32c = (bytes: Uint8Array, start: number, end: number): number => {
    if (end - start >= MIN_LENGTH) {
      native ??= load();
      if (native) {
        return native.crc32c(bytes.subarray(start, end));
      }
    }
    return kernels.crc32c(bytes, start, end);
  };
  return { ...kernels, crc32c };
}

/** The functions of the package; `false` where it is not installed, or not for this machine. */
export function nativeChecksums(): NativeChecksums | false {
  try {
    // Deno would ask its user for permission.
    const node = "Deno" in globalThis ? undefined : builtinModule<NodeModules, "node:module">("node:module");
    return node?.createRequire(import.meta.url)("@node-rs/crc32") ?? false;
  } catch {
    return false;
  }
}

/**
 * The kernels with the native CRC-32 for long input, if there is one.
 *
 * @param load called once, at the first long input. Default: {@link nativeChecksums}
 */
export function withNativeCrc32<T extends PageKernels>(
  kernels: T,
  load: () => Pick<NativeChecksums, "crc32"> | false = nativeChecksums,
): T {
  let native: NativeChecksum | undefined;
  const crc32 = (bytes: Uint8Array, previous = 0): number => {
    if (bytes.length < MIN_LENGTH) {
      return kernels.crc32(bytes, previous);
    }
    native ??= (load() || builtinModule<NodeModules, "node:zlib">("node:zlib"))?.crc32 ?? kernels.crc32;
    return native(bytes, previous);
  };
  return { ...kernels, crc32 };
}
