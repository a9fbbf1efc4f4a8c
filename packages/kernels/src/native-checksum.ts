/**
 * CRC-32C with the instruction of the processor, which WebAssembly lacks: by the package `@node-rs/crc32`, where it is installed.
 */
import { builtinModule } from "@cfile/bytes";
import type { DecodeKernels } from "./decode-kernels.js";

interface NodeModules {
  "node:module": { createRequire(from: string): (name: string) => unknown };
}

/** CRC-32C of all bytes. */
type NativeChecksum = (bytes: Uint8Array) => number;

/** For shorter input, the call takes longer than the checksum (`npm run bench -- --only checksums`). */
const MIN_LENGTH = 1024;

/**
 * The kernels with the native checksum for long input, if there is one.
 *
 * @param load called once, at the first long input. Default: {@link nativeChecksum}
 */
export function withNativeChecksum<T extends Pick<DecodeKernels, "crc32c">>(
  kernels: T,
  load: () => NativeChecksum | undefined = nativeChecksum,
): T {
  let native: NativeChecksum | null | undefined;
  const crc32c = (bytes: Uint8Array, start: number, end: number): number => {
    if (end - start >= MIN_LENGTH) {
      native = native === undefined ? (load() ?? null) : native;
      if (native !== null) {
        return native(bytes.subarray(start, end));
      }
    }
    return kernels.crc32c(bytes, start, end);
  };
  return { ...kernels, crc32c };
}

/** The function of the package; `undefined` where it is not installed, or not for this machine. */
export function nativeChecksum(): NativeChecksum | undefined {
  // Deno would ask its user for permission.
  if ("Deno" in globalThis) {
    return undefined;
  }
  try {
    const load = builtinModule<NodeModules, "node:module">("node:module")?.createRequire(import.meta.url);
    return (load?.("@node-rs/crc32") as { readonly crc32c: NativeChecksum } | undefined)?.crc32c;
  } catch {
    return undefined;
  }
}
