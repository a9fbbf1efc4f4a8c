/**
 * The zlib codec (docs/spec/cfile.md#6-compression-wrapper): RFC 1950 streams, decompressed by pako, a port of zlib. Node's
 * built-in zlib, about five times as fast, decompresses long streams. The compressor is in a separate module (`deflate.ts`).
 *
 * | bytes | meaning |
 * | --- | --- |
 * | 2 | zlib header, `78 9c` |
 * | n | deflate stream |
 * | 4 | Adler-32 of the content, big-endian |
 */
import { builtinModule, CFileError, corrupt } from "@cfile/bytes";
import { inflateExactly, WINDOW_BITS } from "./inflate.js";

const STREAM = "zlib stream";
/** Shorter output is not worth creating an engine. */
const MIN_LENGTH = 16 * 1024;

/** The part of `node:zlib` used here. */
interface NativeZlib {
  inflateSync(
    input: Uint8Array,
    options: { readonly info: true; readonly maxOutputLength: number; readonly chunkSize: number },
  ): { readonly buffer: Uint8Array<ArrayBuffer>; readonly engine: { readonly bytesWritten: number } };
}

/**
 * Decompresses `input` into exactly `output`, whose content is undefined after an error.
 *
 * @throws {CFileError} `E_TRUNCATED` when the stream ends early; `E_CORRUPT` when it is malformed, fails its Adler-32, expands
 *   to any other length or is followed by other bytes
 */
export function zlibDecompress(input: Uint8Array, output: Uint8Array): void {
  const expanded = zlibExpand(input, output.length);
  if (expanded === undefined) {
    inflateExactly(input, output, WINDOW_BITS, STREAM);
  } else {
    output.set(expanded);
  }
}

/**
 * Decompresses a zlib stream to new memory of exactly `length` bytes; `undefined` for short output, and without Node's zlib.
 *
 * @throws {CFileError} like `inflateExactly`, without an offset
 */
export function zlibExpand(input: Uint8Array, length: number): Uint8Array | undefined {
  const zlib =
    length < MIN_LENGTH ? undefined : builtinModule<{ "node:zlib": NativeZlib }, "node:zlib">("node:zlib");
  const details = { field: STREAM, expected: length };
  let inflated: ReturnType<NativeZlib["inflateSync"]> | undefined;
  try {
    // One byte more than expected: longer output is detected before more memory is allocated.
    inflated = zlib?.inflateSync(input, { info: true, maxOutputLength: length, chunkSize: length + 1 });
  } catch (cause) {
    const { code, message }: { code?: unknown; message?: unknown } = Object(cause);
    if (code === "ERR_BUFFER_TOO_LARGE") {
      throw corrupt(`${STREAM} expands to more than ${length} bytes`, details);
    }
    if (code === "Z_BUF_ERROR") {
      throw new CFileError("E_TRUNCATED", `${STREAM} ends early`, details);
    }
    if (code === "Z_DATA_ERROR" || code === "Z_NEED_DICT") {
      throw corrupt(`malformed ${STREAM}: ${message}`, details);
    }
  }
  if (inflated === undefined) {
    return undefined;
  }
  const { buffer, engine } = inflated;
  if (buffer.length !== length || engine.bytesWritten !== input.length) {
    const found = `${engine.bytesWritten} bytes that expand to ${buffer.length}`;
    const reason = `${STREAM} size mismatch (expected ${input.length} and ${length} bytes, found ${found})`;
    throw corrupt(reason, { ...details, actual: buffer.length });
  }
  return new Uint8Array(buffer.buffer, buffer.byteOffset, length);
}
