import { ByteBuilder, crc32c, isCFileError } from "@cfile/bytes";
import { builtinCodecs, type Codec, zlibCompress } from "@cfile/compression";
import { memorySink, memorySource } from "@cfile/io";
import { describe, expect, test } from "vitest";
import {
  CFileContainerWriter,
  type CFileFooter,
  CFileReader,
  encodeFooter,
  encodeHeader,
  surveyCFile,
  type WriterOptions,
} from "../src/index.js";

const MAX = 0xffffffff;
const MEMORY = 64 * 1024 * 1024;
const MILLISECONDS = 1500;

type Piece = number | readonly number[] | Uint8Array;

/** Numbers are u32le words, lists bytes. */
function bytes(...pieces: readonly Piece[]): Uint8Array {
  const out = new ByteBuilder(64);
  for (const piece of pieces) {
    if (typeof piece === "number") {
      out.u32le(piece);
    } else {
      out.append(Uint8Array.from(piece));
    }
  }
  return out.finish();
}

/** A file whose one data block holds just these bytes, everything around it in order. */
async function fileOfBlock(options: WriterOptions, block: Uint8Array, rows = 1): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = new CFileContainerWriter(sink, options);
  await writer.finish(() => {
    writer.appendRawBlock({ bytes: block, firstRow: 0, firstKey: undefined, lastKey: undefined });
    const dictionary =
      options.encoding === "DICT_ENCODING" ? bytes(0, 1, 13, [97], [0, 12, 0, 0, 0]) : undefined;
    return { rows, dictionary };
  });
  return sink.bytes();
}

/** A codec that writes the same whatever it is given. */
function forgery(stream: Uint8Array, name: "LZ4" | "SNAPPY" | "ZLIB"): Partial<WriterOptions> {
  const codec: Codec = { ...builtinCodecs[name], compress: () => stream, decompress: () => undefined };
  return { compression: name, codecs: { ...builtinCodecs, [name]: codec } };
}

const int32: WriterOptions = { type: "INT32", encoding: "PLAIN_ENCODING" };
const withChecksum = (content: Uint8Array): Uint8Array => bytes(content, crc32c(content));

/** A file of such index blocks, the last one its root. */
function fileOfIndex(
  make: (offset: number) => readonly Uint8Array[],
  change: Partial<CFileFooter> = {},
): Uint8Array {
  const header = encodeHeader([], true);
  const blocks = make(header.length);
  const root = blocks.at(-1)?.length ?? 0;
  const end = header.length + blocks.reduce((sum, block) => sum + block.length, 0);
  const protobuf = encodeFooter({
    dataType: "INT32",
    encoding: "PLAIN_ENCODING",
    rowCount: 10,
    posidx: { offset: end - root, size: root },
    validx: undefined,
    compression: "NO_COMPRESSION",
    metadata: [],
    nullable: false,
    dictionary: undefined,
    incompatibleFeatures: 1,
    compatibleFeatures: undefined,
    array: undefined,
    ...change,
  });
  const footer = bytes(protobuf, header.subarray(0, 8), protobuf.length);
  return bytes(header, ...blocks, crc32c(footer), footer);
}

/** An index block with one entry that leads to `offset`. */
function oneEntry(offset: number, size: number, leaf: boolean): Uint8Array {
  const out = new ByteBuilder(32);
  out.append(Uint8Array.of(4, 0, 0, 0, 0));
  for (const value of [offset, size]) {
    let left = value;
    for (; left > 127; left = Math.floor(left / 128)) {
      out.append(Uint8Array.of((left % 128) | 128));
    }
    out.append(Uint8Array.of(left));
  }
  out.append(bytes(0, [8, 1, 16, leaf ? 0 : 1], 4));
  return withChecksum(out.finish());
}

const bitshuffle = (
  count: number,
  size: number,
  padded: number,
  element: number,
  chunk: number,
): Uint8Array =>
  bytes(
    0,
    count,
    size,
    padded,
    element,
    [chunk >>> 24, chunk >>> 16, chunk >>> 8, chunk].map((b) => b & 255),
    0,
    0,
  );
const zeros = new Uint8Array(16 * 1024 * 1024);

const forged: Readonly<Record<string, () => Promise<Uint8Array> | Uint8Array>> = {
  "plain: 2^32 - 1 values": () => fileOfBlock(int32, bytes(MAX, 0, 1)),
  "plain: 2^30 values, whose bytes are 0 modulo 2^32": () => fileOfBlock(int32, bytes(2 ** 30, 0)),
  "plain bool: 2^32 - 1 values": () =>
    fileOfBlock({ type: "BOOL", encoding: "PLAIN_ENCODING" }, bytes(MAX, 0, [1])),
  "bitshuffle: 2^32 - 1 values": () =>
    fileOfBlock({ type: "INT64", encoding: "BIT_SHUFFLE" }, bitshuffle(MAX, 32, MAX - 7, 8, 8)),
  "bitshuffle: a padded count of 2^32 - 8": () =>
    fileOfBlock({ type: "INT32", encoding: "BIT_SHUFFLE" }, bitshuffle(1, 32, MAX - 7, 4, 8)),
  "bitshuffle: elements of no size": () =>
    fileOfBlock({ type: "UINT32", encoding: "BIT_SHUFFLE" }, bitshuffle(8, 32, 8, 0, 8)),
  "bitshuffle: a chunk of 2^32 - 1 bytes": () =>
    fileOfBlock({ type: "INT32", encoding: "BIT_SHUFFLE" }, bitshuffle(8, 32, 8, 4, MAX)),
  "RLE: 2^32 - 1 values in one run": () =>
    fileOfBlock({ type: "INT64", encoding: "RLE" }, bytes(MAX, 0, [0xfe, 255, 255, 255, 15], 0, 0), MAX - 1),
  "RLE: a run of no values": () => fileOfBlock({ type: "INT32", encoding: "RLE" }, bytes(9, 0, [0], 0)),
  "RLE: a literal run of 2^30 groups": () =>
    fileOfBlock({ type: "INT8", encoding: "RLE" }, bytes(MAX, 0, [255, 255, 255, 255, 7, 1])),
  "null header: 2^32 - 1 rows": () =>
    fileOfBlock(
      { ...int32, nullable: true },
      bytes([255, 255, 255, 255, 15, 5, 254, 255, 255, 255, 15], 0, 0, 0),
    ),
  "null header: a bitmap of 2^32 - 1 bytes": () =>
    fileOfBlock({ ...int32, nullable: true }, bytes([1, 255, 255, 255, 255, 15, 2, 1], 1, 0, 7)),
  "array header: 2^32 - 1 elements": () =>
    fileOfBlock(
      { ...int32, nullable: true, array: true },
      bytes([255, 255, 255, 255, 15, 1, 5, 254, 255, 255, 255, 15, 1], 0, 0),
    ),
  "array header: 2^32 - 1 rows": () =>
    fileOfBlock({ ...int32, nullable: true, array: true }, bytes([0, 255, 255, 255, 255, 15, 0, 0, 0], 0, 0)),
  "plain binary: 2^32 - 1 values": () =>
    fileOfBlock({ type: "STRING", encoding: "PLAIN_ENCODING" }, bytes(0, MAX, 12, [0, 12, 12, 12, 12])),
  "plain binary: offsets at 2^32 - 1": () =>
    fileOfBlock({ type: "STRING", encoding: "PLAIN_ENCODING" }, bytes(0, 1, MAX, [0, 12, 0, 0, 0])),
  "prefix: 2^32 - 1 values": () =>
    fileOfBlock(
      { type: "STRING", encoding: "PREFIX_ENCODING" },
      bytes([0xc3, 255, 255, 255, 255, 0, 16, 0, 0, 0], 0),
    ),
  "prefix: an interval of 0": () =>
    fileOfBlock({ type: "STRING", encoding: "PREFIX_ENCODING" }, bytes([0, 1, 0, 0, 0, 0, 1, 97], 0)),
  "prefix: shares more than there is": () =>
    fileOfBlock(
      { type: "STRING", encoding: "PREFIX_ENCODING" },
      bytes([0, 1, 0, 16, 0, 255, 255, 255, 255, 7, 1, 97], 0),
    ),
  "dictionary: a code that is no word": () =>
    fileOfBlock(
      { type: "STRING", encoding: "DICT_ENCODING" },
      bytes(1, 0, 1, 33, 8, 1, [0, 0, 0, 9, 0x80, 255, 255, 255, 255, 255, 255, 255, 255]),
    ),
  "LZ4: 16 MiB out of nothing": () => fileOfBlock({ ...int32, ...forgery(bytes([0]), "LZ4") }, zeros),
  "LZ4: a literal that goes on for ever": () =>
    fileOfBlock({ ...int32, ...forgery(new Uint8Array(60000).fill(255), "LZ4") }, zeros),
  "LZ4: a match from before the start": () =>
    fileOfBlock({ ...int32, ...forgery(bytes([0x1f, 7, 255, 255, 255, 255, 0]), "LZ4") }, zeros),
  "Snappy: 2^32 - 1 bytes": () =>
    fileOfBlock({ ...int32, ...forgery(bytes([255, 255, 255, 255, 15, 0, 0]), "SNAPPY") }, zeros),
  "Snappy: a copy from before the start": () =>
    fileOfBlock({ ...int32, ...forgery(bytes([128, 128, 128, 8, 0xfe, 255, 255]), "SNAPPY") }, zeros),
  "zlib: more than it says": () =>
    fileOfBlock({ ...int32, ...forgery(zlibCompress(zeros), "ZLIB") }, zeros.subarray(0, 1 << 20)),
  "zlib: ends before it began": () =>
    fileOfBlock({ ...int32, ...forgery(bytes([0x78, 0x9c, 3, 0, 0, 0, 0, 1]), "ZLIB") }, zeros),
  "index: a root that leads to itself": () =>
    fileOfIndex((at) => [oneEntry(at, oneEntry(at, 26, false).length, false)]),
  "index: forty levels": () =>
    fileOfIndex((at) => {
      const blocks: Uint8Array[] = [oneEntry(at, 24, true)];
      for (let level = 0, position = at; level < 40; level++) {
        const below = blocks.at(-1)?.length ?? 0;
        blocks.push(oneEntry(position, below, false));
        position += below;
      }
      return blocks;
    }),
  "index: a block of 2^31 - 1 bytes": () => fileOfIndex((at) => [oneEntry(at, 0x7fffffff, true)]),
  "index: a block at 2^53 - 1": () => fileOfIndex(() => [oneEntry(2 ** 53 - 1, 24, true)]),
  "index: 2^31 - 1 entries": () =>
    fileOfIndex(() => [withChecksum(bytes([8, 255, 255, 255, 255, 7, 16, 0], 8))]),
  "index: a key of 2^32 - 1 bytes": () =>
    fileOfIndex(() => [withChecksum(bytes([255, 255, 255, 255, 15, 16, 24], 0, [8, 1, 16, 0], 4))]),
  "index: an entry that is its own leaf": () => fileOfIndex((at) => [oneEntry(at, 25, true)]),
  "footer: 2^32 - 2 rows in no block": () =>
    fileOfIndex(() => [withChecksum(bytes([8, 0, 16, 0], 4))], { rowCount: MAX - 1 }),
  "footer: longer than the file": () => {
    const file = fileOfIndex(() => [withChecksum(bytes([8, 0, 16, 0], 4))]);
    new DataView(file.buffer, file.byteOffset).setUint32(file.length - 4, MAX, true);
    return file;
  },
};

async function codeOf(action: () => Promise<unknown>): Promise<string> {
  try {
    await action();
    return "no error";
  } catch (error) {
    return isCFileError(error) ? error.code : `untyped: ${error}`;
  }
}

describe("forged files", () => {
  test.each(Object.keys(forged))("%s: refused soon, in little memory", async (name) => {
    const file = (await forged[name]?.()) ?? new Uint8Array();
    const before = process.memoryUsage();
    const start = performance.now();
    const scanned = await codeOf(async () => {
      const reader = await CFileReader.open(memorySource(file));
      for await (const batch of reader.scan()) {
        batch.get(0);
      }
    });
    const verified = await codeOf(async () => {
      const reader = await CFileReader.open(memorySource(file));
      expect((await reader.verify()).ok).toBe(false);
      await reader.verify();
    });
    const surveyed = await codeOf(async () => {
      const { ledger } = await surveyCFile(memorySource(file), { type: "INT32", array: false });
      expect(ledger.rowsKept).toBe(0);
    });
    const elapsed = performance.now() - start;
    const after = process.memoryUsage();
    const refusal = /^(E_CORRUPT|E_CHECKSUM|E_TRUNCATED|E_LIMIT|E_UNSUPPORTED)$/;
    expect(scanned).toMatch(refusal);
    expect(verified).toMatch(/no error|^E_/);
    expect(surveyed).toMatch(/no error|^E_/);
    expect(elapsed).toBeLessThan(MILLISECONDS);
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(MEMORY);
  });

  test("there are thirty and more", () => {
    expect(Object.keys(forged).length).toBeGreaterThanOrEqual(30);
  });
});
