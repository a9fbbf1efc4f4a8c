/** Inflating with the zlib that Node has in it, about five times as fast as a port: where there is Node, and for long streams. */
import { builtinModule, CFileError, corrupt } from "@cfile/bytes";

/** What is used of `node:zlib`. */
interface NativeZlib {
  inflateSync(
    input: Uint8Array,
    options: { readonly info: true; readonly maxOutputLength: number; readonly chunkSize: number },
  ): { readonly buffer: Uint8Array<ArrayBuffer>; readonly engine: { readonly bytesWritten: number } };
}

interface NodeModules {
  readonly "node:zlib": NativeZlib;
}

/** Shorter streams are not worth the making of an engine. */
const FEWEST_BYTES = 16 * 1024;

/**
 * What a zlib stream expands to, exactly `length` bytes, in memory of its own; `undefined` where that is left to others.
 *
 * @throws CFileError as `inflateExactly` does, without an offset
 */
export function inflateNatively(input: Uint8Array, length: number, field: string): Uint8Array | undefined {
  const zlib = length < FEWEST_BYTES ? undefined : builtinModule<NodeModules, "node:zlib">("node:zlib");
  const details = { field, expected: length };
  let inflated: ReturnType<NativeZlib["inflateSync"]> | undefined;
  try {
    // A byte more than is right: what expands to more is found out before more memory is taken.
    inflated = zlib?.inflateSync(input, { info: true, maxOutputLength: length, chunkSize: length + 1 });
  } catch (cause) {
    switch (codeOf(cause)) {
      case "ERR_BUFFER_TOO_LARGE":
        throw corrupt(`a ${field} expands to more than ${length} bytes`, details);
      case "Z_BUF_ERROR":
        throw new CFileError("E_TRUNCATED", `a ${field} ends early`, details);
      case "Z_DATA_ERROR":
      case "Z_NEED_DICT":
        throw corrupt(
          `a ${field} is malformed: ${cause instanceof Error ? cause.message : "data error"}`,
          details,
        );
    }
  }
  if (inflated === undefined) {
    return undefined;
  }
  const { buffer, engine } = inflated;
  if (buffer.length !== length || engine.bytesWritten !== input.length) {
    throw corrupt(
      `a ${field} of ${engine.bytesWritten} bytes expands to ${buffer.length}; ${input.length} and ${length} are expected`,
      { ...details, actual: buffer.length },
    );
  }
  return new Uint8Array(buffer.buffer, buffer.byteOffset, length);
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}
