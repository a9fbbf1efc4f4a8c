/** Inflates long streams with Node's built-in zlib, where there is one: about five times as fast as pako. */
import { builtinModule, CFileError, corrupt } from "@cfile/bytes";

/** The part of `node:zlib` used here. */
interface NativeZlib {
  inflateSync(
    input: Uint8Array,
    options: { readonly info: true; readonly maxOutputLength: number; readonly chunkSize: number },
  ): { readonly buffer: Uint8Array<ArrayBuffer>; readonly engine: { readonly bytesWritten: number } };
}

interface NodeModules {
  readonly "node:zlib": NativeZlib;
}

/** Shorter output is not worth creating an engine. */
const MIN_LENGTH = 16 * 1024;

/**
 * Inflates a zlib stream to new memory of exactly `length` bytes; `undefined` for short output, and without Node's zlib.
 *
 * @throws {CFileError} like `inflateExactly`, without an offset
 */
export function inflateNatively(input: Uint8Array, length: number, field: string): Uint8Array | undefined {
  const zlib = length < MIN_LENGTH ? undefined : builtinModule<NodeModules, "node:zlib">("node:zlib");
  const details = { field, expected: length };
  let inflated: ReturnType<NativeZlib["inflateSync"]> | undefined;
  try {
    // One byte more than expected: longer output is detected before more memory is allocated.
    inflated = zlib?.inflateSync(input, { info: true, maxOutputLength: length, chunkSize: length + 1 });
  } catch (cause) {
    const { code, message }: { code?: unknown; message?: unknown } = Object(cause);
    if (code === "ERR_BUFFER_TOO_LARGE") {
      throw corrupt(`${field} expands to more than ${length} bytes`, details);
    }
    if (code === "Z_BUF_ERROR") {
      throw new CFileError("E_TRUNCATED", `${field} ends early`, details);
    }
    if (code === "Z_DATA_ERROR" || code === "Z_NEED_DICT") {
      throw corrupt(`malformed ${field}: ${message}`, details);
    }
  }
  if (inflated === undefined) {
    return undefined;
  }
  const { buffer, engine } = inflated;
  if (buffer.length !== length || engine.bytesWritten !== input.length) {
    const found = `${engine.bytesWritten} bytes that expand to ${buffer.length}`;
    const reason = `${field} size mismatch (expected ${input.length} and ${length} bytes, found ${found})`;
    throw corrupt(reason, { ...details, actual: buffer.length });
  }
  return new Uint8Array(buffer.buffer, buffer.byteOffset, length);
}
