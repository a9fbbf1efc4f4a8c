/** Classifies ranges of bytes with a valid checksum: data block, index block or dictionary. */
import { attempt, type BlockLocation, type Limits } from "@cfile/bytes";
import type { BinaryVector } from "@cfile/encodings";
import { openDictionaryWords } from "@cfile/encodings/dictionary";
import { openPlainBinaryBlock } from "@cfile/encodings/plain";
import { IndexBlock } from "@cfile/index-btree";
import {
  endsWithItsRuns,
  isCodeBlock,
  probeCodeBlock,
  probeDataBlock,
  type RowSpan,
  type SearchedColumn,
} from "./block-probe.js";

export interface ProbedRows {
  readonly span: RowSpan;
  /** Whether it consists of codes whose dictionary is unknown. */
  readonly codes: boolean;
}

export type FoundPart =
  | ({ readonly kind: "data"; readonly block: BlockLocation } & ProbedRows)
  | { readonly kind: "index"; readonly block: BlockLocation; readonly node: IndexBlock }
  | { readonly kind: "dictionary"; readonly block: BlockLocation; readonly words: BinaryVector };

/** @throws {CFileError} when the bytes are not a data block of the column */
export function probeRows(bytes: Uint8Array, column: SearchedColumn, limits: Limits): ProbedRows {
  const codes =
    column.encoding === "DICT_ENCODING" &&
    column.dictionary === undefined &&
    isCodeBlock(bytes, column, limits);
  return { span: (codes ? probeCodeBlock : probeDataBlock)(bytes, column, limits), codes };
}

/** @param content the block without its wrapper */
export function classifyBlock(
  block: BlockLocation,
  content: Uint8Array,
  column: SearchedColumn,
  limits: Limits,
): FoundPart | undefined {
  // An index block can look like values, but values cannot look like an index block.
  const node = attempt(() => IndexBlock.parse(content, limits));
  if (node !== undefined) {
    return { kind: "index", block, node };
  }
  const data = attempt(() => {
    const rows = probeRows(content, column, limits);
    // Other bytes whose checksum fits by chance often look like runs, but continue after them.
    return column.encoding !== "RLE" || endsWithItsRuns(content, column, limits) ? rows : undefined;
  });
  if (data !== undefined) {
    return { kind: "data", block, ...data };
  }
  const needsWords = column.encoding === "DICT_ENCODING" && column.dictionary === undefined;
  const words = needsWords ? attempt(() => dictionaryWords(content)) : undefined;
  return words && { kind: "dictionary", block, words };
}

function dictionaryWords(content: Uint8Array): BinaryVector | undefined {
  const block = openPlainBinaryBlock(content);
  block.check();
  return block.ordinal === 0 ? openDictionaryWords(content) : undefined;
}
