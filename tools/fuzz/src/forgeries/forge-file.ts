/** Files assembled by hand: everything except one forged block or index is valid. */
import { ByteBuilder, crc32c } from "@cfile/bytes";
import type { Codec } from "@cfile/compression";
import { builtinCodecs } from "@cfile/compression/codecs";
import type { CFileFooter } from "@cfile/format";
import { CFileContainerWriter, encodeFooter, encodeHeader, type WriterOptions } from "@cfile/format/write";
import { memorySink } from "@cfile/io";

export const MAX = 0xffffffff;

export type Piece = number | readonly number[] | Uint8Array;

/** Numbers are u32le words, lists are bytes. */
export function bytes(...pieces: readonly Piece[]): Uint8Array {
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

/** A file whose only data block contains these bytes; everything else is valid. */
export async function fileOfBlock(options: WriterOptions, block: Uint8Array, rows = 1): Promise<Uint8Array> {
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

/** A codec that writes the same bytes for any input. */
export function forgery(stream: Uint8Array, name: "LZ4" | "SNAPPY" | "ZLIB"): Partial<WriterOptions> {
  const codec: Codec = { ...builtinCodecs[name], compress: () => stream, decompress: () => undefined };
  return { compression: name, codecs: { ...builtinCodecs, [name]: codec } };
}

export const INT32: WriterOptions = { type: "INT32", encoding: "PLAIN_ENCODING" };
export const withChecksum = (content: Uint8Array): Uint8Array => bytes(content, crc32c(content));

/** A file with these index blocks; the last one is the root. */
export function fileOfIndex(
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

/** An index block with one entry that points to `offset`. */
export function oneEntry(offset: number, size: number, leaf: boolean): Uint8Array {
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
