/**
 * The compression of a file's blocks (docs/spec/hfile.md#3-compression): one codec for all blocks that have a header.
 *
 * | number | codec | body |
 * | --- | --- | --- |
 * | 1 | GZ | a gzip member |
 * | 2 | NONE | as it is |
 * | 3, 4, 6 | SNAPPY, LZ4, ZSTD | Hadoop's framing |
 * | 0, 5, 7, 8 | LZO, BZIP2, LZMA, BROTLI | not read |
 */
import { ByteReader, CFileError, type Limits } from "@cfile/bytes";
import {
  gzipCompress,
  gzipDecompress,
  snappyCompress,
  snappyDecompress,
  zstdDecompress,
} from "@cfile/compression/codecs";
import { lz4DecompressBlock } from "@cfile/compression/lz4";
import { lz4Compress } from "@cfile/compression/lz4-encode";
import { chooseDecoders } from "@cfile/kernels/decode";
import { readVarint32 } from "@cfile/varint";
import { type ChunkDecompressor, compressFramed, decompressFramed } from "./hadoop-framing.js";
import { mismatch, requireWithin } from "./mismatch.js";

const NAMES = ["LZO", "GZ", "NONE", "SNAPPY", "LZ4", "BZIP2", "ZSTD", "LZMA", "BROTLI"] as const;

/** Compression of blocks, by HBase's names. */
export type HFileCodec = (typeof NAMES)[number];

/** Maximum expansion of a compressed byte. Larger claims are rejected before memory is allocated. */
const MAX_EXPANSION: Readonly<Partial<Record<HFileCodec, number>>> = /* @__PURE__ */ Object.freeze({
  GZ: 1032,
  SNAPPY: 64,
  LZ4: 255,
  ZSTD: 48 * 1024,
});

export function codecId(codec: HFileCodec): number {
  return NAMES.indexOf(codec);
}

/** @throws {CFileError} `E_UNSUPPORTED` for unknown numbers, and for codecs that are not read, with their names */
export function codecFromId(id: number): HFileCodec {
  const codec = NAMES[id];
  if (codec === undefined || (codec !== "NONE" && MAX_EXPANSION[codec] === undefined)) {
    throw unsupported(codec ?? id);
  }
  return codec;
}

function unsupported(actual: string | number): CFileError {
  const reason = `unsupported compression: ${actual}`;
  return new CFileError("E_UNSUPPORTED", reason, { field: "compression codec", actual });
}

/**
 * Decompresses a body to `size` bytes; with the codec NONE, returns `stored` itself.
 * @throws {CFileError} `E_LIMIT` for a body larger than allowed, `E_CORRUPT` and `E_TRUNCATED` for a malformed one
 */
export function decompressBody(
  codec: HFileCodec,
  stored: Uint8Array,
  size: number,
  limits: Limits,
): Uint8Array {
  const field = "uncompressed size";
  if (codec === "NONE") {
    if (stored.length !== size) {
      throw mismatch(field, undefined, stored.length, size);
    }
    return stored;
  }
  requireWithin(limits, "maxBlockSize", size, "body", { field });
  const maximum = stored.length * (MAX_EXPANSION[codec] ?? 0);
  if (size > maximum) {
    throw mismatch(field, undefined, `at most ${maximum}`, size);
  }
  const body = new Uint8Array(size);
  if (codec === "GZ") {
    gzipDecompress(stored, body);
  } else {
    decompressFramed(stored, body, chunkDecompressor(codec));
  }
  return body;
}

function chunkDecompressor(codec: HFileCodec): ChunkDecompressor {
  switch (codec) {
    case "SNAPPY": {
      const expand = chooseDecoders().snappyDecompress(snappyDecompress);
      return (chunk, output) => {
        const length = readVarint32(new ByteReader(chunk), "Snappy length");
        expand(chunk, output.subarray(0, requireRoom(length, output)));
        return length;
      };
    }
    case "LZ4": {
      const expand = chooseDecoders().lz4Decompress(lz4Expand);
      return (chunk, output) => {
        const length = requireRoom(lz4ExpandedLength(chunk), output);
        expand(chunk, output.subarray(0, length));
        return length;
      };
    }
    case "ZSTD":
      return zstdDecompress;
    default:
      throw unsupported(codec);
  }
}

function lz4Expand(block: Uint8Array, output: Uint8Array): void {
  lz4DecompressBlock(block, 0, block.length, output);
}

function requireRoom(length: number, output: Uint8Array): number {
  if (length > output.length) {
    throw mismatch("chunk", undefined, `at most ${output.length}`, length);
  }
  return length;
}

const LZ4_MIN_MATCH = 4;

/**
 * The decompressed length of an LZ4 block, which the decoder requires and Hadoop's framing does not state per chunk.
 * @throws {CFileError} `E_TRUNCATED` when the block ends inside a sequence
 */
export function lz4ExpandedLength(block: Uint8Array): number {
  const reader = new ByteReader(block);
  let length = 0;
  for (;;) {
    const token = reader.u8("LZ4 token");
    const literals = sequenceLength(reader, token >>> 4);
    reader.skip(literals, "LZ4 literals");
    length += literals;
    if (reader.remaining === 0) {
      return length;
    }
    reader.skip(2, "LZ4 distance");
    length += sequenceLength(reader, token & 15) + LZ4_MIN_MATCH;
  }
}

function sequenceLength(reader: ByteReader, nibble: number): number {
  let length = nibble;
  if (nibble === 15) {
    let more = 255;
    while (more === 255) {
      more = reader.u8("LZ4 length");
      length += more;
    }
  }
  return length;
}

/** Codecs that are written. */
export const WRITTEN_CODECS = /* @__PURE__ */ Object.freeze(["NONE", "GZ", "SNAPPY", "LZ4"] as const);

/** Compression that `HFileWriter` offers. */
export type WrittenCodec = (typeof WRITTEN_CODECS)[number];

/** Whether files with this codec can be written. */
export function isWritten(codec: HFileCodec): codec is WrittenCodec {
  return WRITTEN_CODECS.some((written) => written === codec);
}

export const COMPRESSORS: Readonly<Record<WrittenCodec, (body: Uint8Array) => Uint8Array>> =
  /* @__PURE__ */ Object.freeze({
    NONE: (body: Uint8Array) => body,
    GZ: (body: Uint8Array) => gzipCompress(body),
    SNAPPY: (body: Uint8Array) => compressFramed(body, snappyCompress),
    LZ4: (body: Uint8Array) => compressFramed(body, lz4Compress),
  });
