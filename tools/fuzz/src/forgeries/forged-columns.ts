/**
 * Columns with impossible claims: counts, lengths and offsets in blocks, indexes and footers; bombs in every
 * codec.
 */
import { builtinCodecs, zlibCompress } from "@cfile/compression/codecs";
import {
  bytes,
  fileOfBlock,
  fileOfIndex,
  forgery,
  INT32,
  MAX,
  oneEntry,
  withChecksum,
} from "./forge-file.js";

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

/** Expands to the maximum size of a block, and contains no valid block. */
function bomb(name: "LZ4" | "SNAPPY" | "ZLIB", content = zeros): Promise<Uint8Array> {
  return fileOfBlock({ ...INT32, compression: name, codecs: builtinCodecs }, content, 7);
}

export const FORGED_COLUMNS: Readonly<Record<string, () => Promise<Uint8Array> | Uint8Array>> = {
  "plain: 2^32 - 1 values": () => fileOfBlock(INT32, bytes(MAX, 0, 1)),
  "plain: 2^30 values, whose bytes are 0 modulo 2^32": () => fileOfBlock(INT32, bytes(2 ** 30, 0)),
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
      { ...INT32, nullable: true },
      bytes([255, 255, 255, 255, 15, 5, 254, 255, 255, 255, 15], 0, 0, 0),
    ),
  "null header: a bitmap of 2^32 - 1 bytes": () =>
    fileOfBlock({ ...INT32, nullable: true }, bytes([1, 255, 255, 255, 255, 15, 2, 1], 1, 0, 7)),
  "array header: 2^32 - 1 elements": () =>
    fileOfBlock(
      { ...INT32, nullable: true, array: true },
      bytes([255, 255, 255, 255, 15, 1, 5, 254, 255, 255, 255, 15, 1], 0, 0),
    ),
  "array header: 2^32 - 1 rows": () =>
    fileOfBlock({ ...INT32, nullable: true, array: true }, bytes([0, 255, 255, 255, 255, 15, 0, 0, 0], 0, 0)),
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
  "dictionary: a code without a word": () =>
    fileOfBlock(
      { type: "STRING", encoding: "DICT_ENCODING" },
      bytes(1, 0, 1, 33, 8, 1, [0, 0, 0, 9, 0x80, 255, 255, 255, 255, 255, 255, 255, 255]),
    ),
  "LZ4: 16 MiB out of nothing": () => fileOfBlock({ ...INT32, ...forgery(bytes([0]), "LZ4") }, zeros),
  "LZ4: a literal that goes on for ever": () =>
    fileOfBlock({ ...INT32, ...forgery(new Uint8Array(60000).fill(255), "LZ4") }, zeros),
  "LZ4: a match from before the start": () =>
    fileOfBlock({ ...INT32, ...forgery(bytes([0x1f, 7, 255, 255, 255, 255, 0]), "LZ4") }, zeros),
  "Snappy: 2^32 - 1 bytes": () =>
    fileOfBlock({ ...INT32, ...forgery(bytes([255, 255, 255, 255, 15, 0, 0]), "SNAPPY") }, zeros),
  "Snappy: a copy from before the start": () =>
    fileOfBlock({ ...INT32, ...forgery(bytes([128, 128, 128, 8, 0xfe, 255, 255]), "SNAPPY") }, zeros),
  "zlib: more than it says": () =>
    fileOfBlock({ ...INT32, ...forgery(zlibCompress(zeros), "ZLIB") }, zeros.subarray(0, 1 << 20)),
  "zlib: ends before it began": () =>
    fileOfBlock({ ...INT32, ...forgery(bytes([0x78, 0x9c, 3, 0, 0, 0, 0, 1]), "ZLIB") }, zeros),
  "LZ4: 16 MiB of zeros, and no values in them": () => bomb("LZ4"),
  "Snappy: 4 MiB of zeros, and no values in them": () => bomb("SNAPPY", zeros.subarray(0, 1 << 22)),
  "zlib: 16 MiB of zeros, and no values in them": () => bomb("ZLIB"),
  "bitshuffle: a chunk that expands to more than it holds": () =>
    fileOfBlock(
      { type: "INT32", encoding: "BIT_SHUFFLE" },
      bytes(0, 2048, 20 + 4 + 300, 2048, 4, [0, 0, 1, 44], [0x1f, 7, 1, 0], new Uint8Array(296).fill(255)),
    ),
  "index: two entries that lead to the same block": () =>
    fileOfIndex((at) => [
      withChecksum(bytes([4], 0, [16, 24], [4], [5, 5, 5, 5], [16, 24], 0, 8, [8, 2, 16, 0], 4)),
      oneEntry(at, 30, false),
    ]),
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
