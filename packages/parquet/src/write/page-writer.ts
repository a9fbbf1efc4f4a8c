/**
 * Writes pages (docs/spec/parquet.md#2-page-header, docs/spec/parquet.md#3-data-page-v1 and
 * docs/spec/parquet.md#4-data-page-v2), with a CRC on each.
 *
 * | bytes | meaning |
 * | --- | --- |
 * | header | thrift |
 * | (4), n | v1: length; runs of repetition levels, for arrays |
 * | (4), n | v1: length; runs of definition levels, for arrays and nullable columns |
 * | n | values that are not null; v2 compresses only these |
 */
import { type ByteBuilder, concatBytes } from "@cfile/bytes";
import type { Encoding } from "hyparquet";
import { Encodings } from "hyparquet/src/constants.js";
import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { serializeTCompactProtocol } from "hyparquet-writer/src/thrift.js";
import { pageCrc } from "../pages/page-header.js";
import type { WrittenLevels } from "./level-writer.js";
import type { PageCompressor } from "./page-compressor.js";

export interface WrittenPage {
  /** Header and stored bytes, valid until the next page is built with the same compressor or memory. */
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

/**
 * A data page of version 1: levels and values compressed together.
 *
 * @param scratch memory shared by pages, so that large pages do not each allocate new memory
 */
export function dataPageV1(
  { levels, values, encoding }: PageContent,
  compress: PageCompressor,
  scratch: ByteBuilder,
): WrittenPage {
  const { repetitions, definitions, valueCount } = levels;
  const [encoded, rle] = [Encodings.indexOf(encoding), Encodings.indexOf("RLE")];
  const encodings = { field_5: { field_1: valueCount, field_2: encoded, field_3: rle, field_4: rle } };
  if (repetitions === undefined && definitions === undefined) {
    return page(0, values.length, compressed(values, compress), encodings);
  }
  for (const runs of [repetitions, definitions]) {
    if (runs !== undefined) {
      scratch.u32le(runs.length);
      scratch.append(runs);
    }
  }
  scratch.append(values);
  const body = scratch.take(true);
  return page(0, body.length, compressed(body, compress), encodings);
}

/** A data page of version 2: levels are not compressed, and rows are counted. */
export function dataPageV2(content: PageContent, compress: PageCompressor): WrittenPage {
  const { levels, rowCount, values, encoding } = content;
  const { repetitions = NONE, definitions = NONE, valueCount, nullCount } = levels;
  const isCompressed = compress !== undefined && values.length > 0;
  const stored = concatBytes([
    repetitions,
    definitions,
    isCompressed ? compressed(values, compress) : values,
  ]);
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

export function dictionaryPage(body: Uint8Array, valueCount: number, compress: PageCompressor): WrittenPage {
  return page(2, body.length, compressed(body, compress), { field_7: { field_1: valueCount, field_2: 0 } });
}

/** Most headers are shorter. */
const HEADER_BYTES = 64;
const NONE = /* @__PURE__ */ new Uint8Array(0);

function compressed(body: Uint8Array, compress: PageCompressor): Uint8Array {
  return compress === undefined ? body : compress(body);
}

function page(type: number, uncompressedSize: number, stored: Uint8Array, details: object): WrittenPage {
  const header = new ByteWriter(HEADER_BYTES);
  serializeTCompactProtocol(header, {
    field_1: type,
    field_2: uncompressedSize,
    field_3: stored.length,
    field_4: pageCrc(stored) | 0,
    ...details,
  });
  const head = header.getBytes();
  return {
    parts: [head, stored],
    size: head.length + stored.length,
    uncompressedSize: head.length + uncompressedSize,
  };
}
