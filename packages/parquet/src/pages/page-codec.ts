/** Compression of pages. The built-in Brotli decoder and its dictionary are lazily loaded, where the host has no decoder. */
import { attempt, builtinModule, CFileError, corrupt } from "@cfile/bytes";
import type { Expander } from "@cfile/compression";
import { loadBrotli, loadExpander } from "@cfile/compression";
import { zstdDecompress } from "@cfile/compression/codecs";
import { chooseDecoders } from "@cfile/kernels/decode";
import type { Zstd } from "@hpcc-js/wasm-zstd";
import type { CompressionCodec } from "hyparquet";
import { Z_FINISH, Z_STREAM_END, ZStream, zlibInflate, zlibInflateEnd, zlibInflateInit2 } from "pako";
import { loadZstd, statedSize } from "./zstd-module.js";

/** The caller's replacements for built-in codecs: functions that return exactly `size` bytes, or throw. */
export type PageDecompressors = Partial<
  Record<CompressionCodec, (input: Uint8Array, size: number) => Uint8Array>
>;

/**
 * Decompresses a page to exactly `size` bytes, into new memory unless it is uncompressed.
 * @throws {CFileError} `E_UNSUPPORTED` for an unknown codec; `E_CORRUPT`, `E_TRUNCATED` for damaged bytes
 */
export type PageExpander = (input: Uint8Array, size: number) => Uint8Array;

/** The expander of a codec: the caller's, or the built-in one, which is lazily loaded. */
export async function loadPageExpander(
  codec: CompressionCodec,
  given: PageDecompressors = {},
): Promise<PageExpander> {
  const own = given[codec];
  if (own !== undefined) {
    return foreign(codec, own);
  }
  switch (codec) {
    case "UNCOMPRESSED":
      return (input, size) => ofSize(input, size, codec);
    case "SNAPPY":
      return filling(await loadExpander("SNAPPY", chooseDecoders()));
    case "LZ4_RAW":
      return filling(await loadExpander("LZ4", chooseDecoders()));
    case "GZIP":
      return gzipMembers;
    case "ZSTD":
      return zstdFrames();
    case "BROTLI":
      return foreign(codec, await loadBrotliPages());
    case "LZ4":
      return hadoopLz4(await loadExpander("LZ4", chooseDecoders()));
    default:
      return () => {
        const details = { field: "codec", actual: codec };
        throw new CFileError("E_UNSUPPORTED", `unsupported codec: ${codec}`, details);
      };
  }
}

/**
 * Uses the built-in decoder until the faster library is loaded, where it cannot be loaded, and for frames that it rejects or that do not
 * state their size, so that errors are always the same.
 */
function zstdFrames(): PageExpander {
  let library: Pick<Zstd, "decompress"> | undefined;
  loadZstd().then(
    (zstd) => {
      library = zstd;
    },
    () => undefined,
  );
  return (input, size) => {
    const fast = size > 0 && statedSize(input) === size ? expanded(library, input) : undefined;
    if (fast?.length === size) {
      return fast;
    }
    const output = new Uint8Array(size);
    return ofSize(output.subarray(0, zstdDecompress(input, output)), size, "ZSTD");
  };
}

function expanded(library: Pick<Zstd, "decompress"> | undefined, frame: Uint8Array): Uint8Array | undefined {
  try {
    return library?.decompress(frame);
  } catch {
    return undefined;
  }
}

interface NodeModules {
  "node:zlib": {
    brotliDecompressSync(
      input: Uint8Array,
      options: { readonly info: true; readonly maxOutputLength: number },
    ): { readonly buffer: Uint8Array<ArrayBuffer>; readonly engine: { readonly bytesWritten: number } };
  };
}

/**
 * The Brotli decoder: that of `node:zlib`, which is written in C, or the built-in one. Both stop at `size` bytes.
 *
 * @param zlib default: Node's, if available
 */
export async function loadBrotliPages(
  zlib = builtinModule<NodeModules, "node:zlib">("node:zlib"),
): Promise<PageExpander> {
  if (zlib === undefined) {
    const decompress = await loadBrotli();
    return (input, size) => {
      const output = new Uint8Array(size);
      return output.subarray(0, decompress(input, output));
    };
  }
  return (input, size) => {
    const options = { info: true, maxOutputLength: Math.max(1, size) } as const;
    const { buffer, engine } = zlib.brotliDecompressSync(input, options);
    if (engine.bytesWritten !== input.length) {
      throw corrupt("bytes follow the Brotli stream", { field: "page" });
    }
    return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
  };
}

function filling(expander: Pick<Expander, "decompress">): PageExpander {
  return (input, size) => {
    const output = new Uint8Array(size);
    expander.decompress(input, output);
    return output;
  };
}

/** Bytes of the two sizes of a block. */
const LZ4_SIZES = 8;

/**
 * Hadoop's LZ4: blocks, each after its sizes before and after compression, u32 big-endian. Old versions of Arrow wrote one block without
 * sizes.
 */
function hadoopLz4(expander: Pick<Expander, "decompress">): PageExpander {
  return (input, size) => {
    const output = new Uint8Array(size);
    if (attempt(() => expandBlocks(expander, input, output)) !== true) {
      expander.decompress(input, output);
    }
    return output;
  };
}

/** Whether the input consists of blocks that fill the output. */
function expandBlocks(
  { decompress }: Pick<Expander, "decompress">,
  input: Uint8Array,
  output: Uint8Array,
): boolean {
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  let read = 0;
  let written = 0;
  while (read + LZ4_SIZES <= input.length) {
    const start = read + LZ4_SIZES;
    const [to, end] = [written + view.getUint32(read), start + view.getUint32(read + 4)];
    if (to > output.length || end > input.length) {
      return false;
    }
    decompress(input.subarray(start, end), output.subarray(written, to));
    read = end;
    written = to;
  }
  return read === input.length && written === output.length;
}

function foreign(codec: CompressionCodec, decompress: PageExpander): PageExpander {
  return (input, size) => {
    let bytes: Uint8Array;
    try {
      bytes = decompress(input, size);
    } catch (cause) {
      throw corrupt(`page is not valid ${codec} data`, { field: "page", cause });
    }
    return ofSize(bytes, size, codec);
  };
}

function ofSize(bytes: Uint8Array, size: number, codec: CompressionCodec): Uint8Array {
  if (bytes.length !== size) {
    const details = { field: "uncompressed page size", expected: size, actual: bytes.length };
    throw corrupt(`${codec} page expands to ${bytes.length} bytes (expected ${size})`, details);
  }
  return bytes;
}

/** 15 window bits, plus 16 for a gzip wrapper. */
const GZIP_WINDOW_BITS = 31;
const GZIP_FIELD = "gzip member";

/**
 * Decompresses one or more concatenated gzip members (docs/spec/parquet.md#2-page-header) to exactly `size` bytes. Each member is
 * `1f 8b`, a header, a deflate stream, CRC-32 and length.
 */
function gzipMembers(input: Uint8Array, size: number): Uint8Array {
  const output = new Uint8Array(size);
  let read = 0;
  let written = 0;
  do {
    const stream = new ZStream();
    stream.input = input.subarray(read);
    stream.avail_in = input.length - read;
    stream.avail_out = size - written;
    stream.output = output.subarray(written);
    zlibInflateInit2(stream, GZIP_WINDOW_BITS);
    const status = zlibInflate(stream, Z_FINISH);
    zlibInflateEnd(stream);
    if (status !== Z_STREAM_END) {
      const details = { offset: read + stream.next_in, field: GZIP_FIELD };
      throw stream.avail_in === 0
        ? new CFileError("E_TRUNCATED", "gzip member is truncated", details)
        : corrupt(`gzip member is malformed or too long: ${stream.msg || status}`, details);
    }
    read += stream.next_in;
    written += stream.total_out;
  } while (read < input.length);
  if (written !== size) {
    const details = { field: GZIP_FIELD, expected: size, actual: written };
    throw corrupt(`gzip members expand to ${written} bytes (expected ${size})`, details);
  }
  return output;
}
