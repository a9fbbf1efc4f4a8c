/**
 * Pages as they are written (specification 2 to 6): data pages v1, PLAIN or codes of a dictionary, a CRC on each.
 *
 * | bytes | meaning |
 * | --- | --- |
 * | header | thrift |
 * | 4, n | length and runs of repetition levels, for arrays |
 * | 4, n | length and runs of definition levels, for arrays and nullable columns |
 * | n | values that are not null |
 */
import { type ByteBuilder, ByteReader, crc32 } from "@cfile/bytes";
import { snappyCompress } from "@cfile/compression";
import { rleEncode } from "@cfile/encodings";
import { readVarint32 } from "@cfile/varint";
import { ByteWriter } from "hyparquet-writer";
import { serializeTCompactProtocol } from "hyparquet-writer/src/thrift.js";
import { RLE } from "./page-header.js";

export type WrittenCodec = "UNCOMPRESSED" | "SNAPPY";

export interface WrittenPage {
  /** Header and stored bytes. */
  readonly bytes: Uint8Array;
  /** Header and bytes before compression. */
  readonly uncompressedSize: number;
}

/** @param encoding number of the values' encoding */
export function dataPage(
  body: Uint8Array,
  valueCount: number,
  encoding: number,
  codec: WrittenCodec,
): WrittenPage {
  return page(body, codec, 0, {
    field_5: { field_1: valueCount, field_2: encoding, field_3: RLE, field_4: RLE },
  });
}

export function dictionaryPage(body: Uint8Array, valueCount: number, codec: WrittenCodec): WrittenPage {
  return page(body, codec, 2, { field_7: { field_1: valueCount, field_2: 0 } });
}

function page(body: Uint8Array, codec: WrittenCodec, type: number, details: object): WrittenPage {
  const stored = codec === "SNAPPY" ? snappyCompress(body) : body;
  const header = new ByteWriter();
  serializeTCompactProtocol(header, {
    field_1: type,
    field_2: body.length,
    field_3: stored.length,
    field_4: crc32(stored) | 0,
    ...details,
  });
  const head = header.getBytes();
  const bytes = new Uint8Array(head.length + stored.length);
  bytes.set(head);
  bytes.set(stored, head.length);
  return { bytes, uncompressedSize: head.length + body.length };
}

/** Appends u32 length and runs of levels up to `most`. */
export function appendLevels(out: ByteBuilder, levels: Uint8Array, most: number): void {
  const runs = hybridRuns(levels, 32 - Math.clz32(most));
  out.u32le(runs.length);
  out.append(runs);
}

/** Appends the width of codes and their runs. */
export function appendCodes(out: ByteBuilder, codes: Int32Array, entries: number): void {
  const width = Math.max(1, 32 - Math.clz32(Math.max(0, entries - 1)));
  out.u8(width);
  out.append(hybridRuns(codes, width));
}

/** Runs as Parquet has them: our own encoder cuts the last literal group short, which Parquet does not know. */
function hybridRuns(values: Uint8Array | Int32Array, width: number): Uint8Array {
  const runs = rleEncode(values, width);
  const reader = new ByteReader(runs);
  let end = 0;
  while (end < runs.length) {
    reader.position = end;
    const header = readVarint32(reader, "run header");
    end = reader.position + ((header & 1) === 1 ? (header >>> 1) * width : (width + 7) >>> 3);
  }
  if (end === runs.length) {
    return runs;
  }
  const whole = new Uint8Array(end);
  whole.set(runs);
  return whole;
}
