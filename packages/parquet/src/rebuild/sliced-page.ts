/** Writes parts of pages as new pages: uncompressed v2 pages, which any chunk can contain. */
import { ByteBuilder } from "@cfile/bytes";
import type { Encoding } from "hyparquet";
import type { DataPage } from "../pages/data-page.js";
import { expandCodes, type LeafValues } from "../pages/leaf-values.js";
import { rowsOf, slicePage } from "../pages/page-parts.js";
import type { Leaf } from "../schema/leaf-schema.js";
import { writtenCodes, writtenLevels } from "../write/level-writer.js";
import { dataPageV2, type WrittenPage } from "../write/page-writer.js";
import { appendStrings } from "../write/plain-writer.js";

/** A page to write, and its number of values and nulls. */
export interface SlicedPage {
  readonly page: WrittenPage;
  readonly encoding: Encoding;
  readonly valueCount: number;
}

/** The rows `from` to `to` of a page that starts with a whole row. */
export function sliceRows(page: DataPage, leaf: Leaf, from: number, to: number): DataPage {
  return slicePage(page, leaf, rowOffset(page, from), rowOffset(page, to));
}

/** Index of the level that starts a row. */
function rowOffset({ repetitions, length }: DataPage, row: number): number {
  if (repetitions === undefined) {
    return row;
  }
  for (let at = 0, seen = 0; at < length; at++) {
    if (repetitions[at] === 0 && seen++ === row) {
      return at;
    }
  }
  return length;
}

/**
 * @param added number of levels that the new column has more than the old one: 1 if it became nullable
 * @param isCoded whether the new chunk has the page's dictionary; codes are then kept, because no codes may follow plain strings
 */
export function writtenPage(page: DataPage, leaf: Leaf, added: 0 | 1, isCoded: boolean): SlicedPage {
  const { length, repetitions } = page;
  const values = isCoded ? page.values : expandCodes(page.values);
  const definitions = added === 0 ? page.definitions : raised(page.definitions, length);
  const content = {
    levels: {
      repetitions: writtenLevels(repetitions, leaf.maxRepetition),
      definitions: writtenLevels(definitions, leaf.maxDefinition + added),
      valueCount: length,
      nullCount: length - values.length,
    },
    rowCount: rowsOf(page),
    values: values.kind === "codes" ? writtenCodes([values.codes], values.words.length) : plainBytes(values),
    encoding: values.kind === "codes" ? "RLE_DICTIONARY" : "PLAIN",
  } as const;
  return { page: dataPageV2(content, undefined), encoding: content.encoding, valueCount: length };
}

/** A page of null rows. */
export function nullPage(rows: number, leaf: Leaf, added: 0 | 1): SlicedPage {
  const levels = new Uint8Array(rows);
  const none: LeafValues = { kind: "fixed", length: 0, width: 1, bytes: new Uint8Array(0) };
  const repetitions = leaf.maxRepetition > 0 ? levels : undefined;
  const page = { length: rows, definitions: levels, repetitions, values: none };
  return writtenPage(page, { ...leaf, maxDefinition: leaf.maxDefinition + added }, 0, false);
}

function raised(definitions: Uint8Array | undefined, length: number): Uint8Array {
  return definitions?.map((level) => level + 1) ?? new Uint8Array(length).fill(1);
}

function plainBytes(values: Exclude<LeafValues, { kind: "codes" }>): Uint8Array {
  switch (values.kind) {
    case "bool":
      return values.bits;
    case "fixed":
      return values.bytes;
    case "binary": {
      const { length, offsets, data } = values;
      const out = new ByteBuilder(data.length + 4 * length + 16);
      appendStrings(out, { kind: "binary", length, offsets, data });
      return out.finish();
    }
  }
}
