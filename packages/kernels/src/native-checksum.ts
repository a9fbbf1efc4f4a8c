/**
 * Checksums with instructions of the processor that WebAssembly lacks: CRC-32C by the package `@node-rs/crc32`, where it is installed;
 * CRC-32 by `node:zlib`.
 */
import { builtinModule } from "@cfile/bytes";
import type { DecodeKernels } from "./decode-kernels.js";
import type { PageKernels } from "./page-kernels.js";

/** A checksum of all bytes. */
type NativeChecksum = (bytes: Uint8Array) => number;

interface NodeModules {
  "node:module": { createRequire(from: string): (name: string) => { readonly crc32c: NativeChecksum } };
  /** Without the function before Node 20.15. */
  "node:zlib": { readonly crc32?: NativeChecksum };
}

/** For shorter input, the call takes longer than the checksum (`npm run bench -- --only checksums`). */
const MIN_LENGTH = 1024;

/**
 * The kernels with the native checksum for long input, if there is one.
 *
 * @param load called once, at the first long input. Default: {@link nativeChecksum}
 */
export function withNativeChecksum<T extends Pick<DecodeKernels, "crc32c">>(
  kernels: T,
  load: () => NativeChecksum | false = nativeChecksum,
): T {
  let native: NativeChecksum | false | undefined;
  const crc32c = (bytes: Uint8Array, start: number, end: number): number => {
    if (end - start >= MIN_LENGTH) {
      native ??= load();
      if (native) {
        return native(bytes.subarray(start, end));
      }
    }
    return kernels.crc32c(bytes, start, end);
  };
  return { ...kernels, crc32c };
}

/** The function of the package; `false` where it is not installed, or not for this machine. */
export function nativeChecksum(): NativeChecksum | false {
  try {
    const node = builtinModule<NodeModules, "node:module">("node:module");
    // Deno would ask its user for permission.
    return !("Deno" in globalThis) && node !== undefined
      ? node.createRequire(import.meta.url)("@node-rs/crc32").crc32c
      : false;
  } catch {
    return false;
  }
}

/** The kernels with the CRC-32 of `node:zlib` for long input, in Node. */
export function withNativeCrc32<T extends PageKernels>(kernels: T): T {
  const native = builtinModule<NodeModules, "node:zlib">("node:zlib")?.crc32;
  const crc32 = (bytes: Uint8Array): number =>
    native !== undefined && bytes.length >= MIN_LENGTH ? native(bytes) : kernels.crc32(bytes);
  return { ...kernels, crc32 };
}
