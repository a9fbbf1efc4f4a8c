/**
 * Writes pages (docs/spec/parquet.md#2-page-header, docs/spec/parquet.md#3-data-page-v1 and
 * docs/spec/parquet.md#4-data-page-v2), with a CRC on each.
 *
 * | bytes | meaning |
 * | --- | --- |
 * | header | thrift |
 * | (4), n | v1: length; runs of repetition levels, for arrays |
 * | (4), n | v1: length; runs of definition levels, for arrays and nullable columns |
 * | n | values that are not null; v2 compresses them alone |
 */
import { ByteBuilder, concatBytes } from "@cfile/bytes";
import { codecsWith } from "@cfile/compression/codecs";
import { chooseKernels } from "@cfile/kernels/encode";
import type { Encoding } from "hyparquet";
import { Encodings } from "hyparquet/src/constants.js";
import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { serializeTCompactProtocol } from "hyparquet-writer/src/thrift.js";
import { gzip } from "pako";
import { pageCrc } from "../pages/page-header.js";
import type { WrittenLevels } from "./level-writer.js";

/** Compression of written pages. */
export type WrittenCodec = "UNCOMPRESSED" | "SNAPPY" | "GZIP" | "LZ4_RAW";

export interface WrittenPage {
  /** Header and stored bytes, in memory that is not reused. */
  readonly parts: readonly [Uint8Array, Uint8Array];
  /** Bytes of both. */
  readonly size: number;
  /** Header and bytes before compression. */
  readonly uncompressedSize: number;
}

export interface PageContent {
  readonly levels: WrittenLevels;
  readonly rowCount: number;
  /** Encoded values; callers may reuse the memory. */
  readonly values: Uint8Array;
  readonly encoding: Encoding;
}

/** A data page of version 1: levels and values compressed together. */
export function dataPageV1({ levels, values, encoding }: PageContent, codec: WrittenCodec): WrittenPage {
  const { repetitions, definitions, valueCount } = levels;
  const [encoded, rle] = [Encodings.indexOf(encoding), Encodings.indexOf("RLE")];
  const encodings = { field_5: { field_1: valueCount, field_2: encoded, field_3: rle, field_4: rle } };
  if (repetitions === undefined && definitions === undefined) {
    return page(0, values.length, compressed(values, codec), encodings);
  }
  const body = new ByteBuilder(values.length + 1024);
  for (const runs of [repetitions, definitions]) {
    if (runs !== undefined) {
      body.u32le(runs.length);
      body.append(runs);
    }
  }
  body.append(values);
  return page(0, body.length, compressed(body.view8(), codec), encodings);
}

/** A data page of version 2: levels are not compressed, and rows are counted. */
export function dataPageV2(content: PageContent, codec: WrittenCodec): WrittenPage {
  const { levels, rowCount, values, encoding } = content;
  const { repetitions = NONE, definitions = NONE, valueCount, nullCount } = levels;
  const isCompressed = codec !== "UNCOMPRESSED" && values.length > 0;
  const stored = concatBytes([repetitions, definitions, isCompressed ? compressed(values, codec) : values]);
  return page(3, repetitions.length + definitions.length + values.length, stored, {
    field_8: {
      field_1: valueCount,
      field_2: nullCount,
      field_3: rowCount,
      field_4: Encodings.indexOf(encoding),
      field_5: definitions.length,
      field_6: repetitions.length,
      field_7: isCompressed,
    },
  });
}

export function dictionaryPage(body: Uint8Array, valueCount: number, codec: WrittenCodec): WrittenPage {
  return page(2, body.length, compressed(body, codec), { field_7: { field_1: valueCount, field_2: 0 } });
}

const NONE = /* @__PURE__ */ new Uint8Array(0);

function compressed(body: Uint8Array, codec: WrittenCodec): Uint8Array {
  if (codec === "UNCOMPRESSED") {
    return body.slice();
  }
  if (codec === "GZIP") {
    return gzip(body);
  }
  const { SNAPPY, LZ4 } = codecsWith(chooseKernels());
  return (codec === "SNAPPY" ? SNAPPY : LZ4)?.compress(body) ?? body;
}

function page(type: number, uncompressedSize: number, stored: Uint8Array, details: object): WrittenPage {
  const header = new ByteWriter();
  serializeTCompactProtocol(header, {
    field_1: type,
    field_2: uncompressedSize,
    field_3: stored.length,
    field_4: pageCrc(stored) | 0,
    ...details,
  });
  // A copy: the writer's buffer is larger.
  const head = header.getBytes().slice();
  return {
    parts: [head, stored],
    size: head.length + stored.length,
    uncompressedSize: head.length + uncompressedSize,
  };
}
