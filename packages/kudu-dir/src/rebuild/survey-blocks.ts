/**
 * Identifies each block from header and footer alone (docs/spec/diskrowset.md#2-writer-options-per-file):
 *
 * | kind | recognized by |
 * | --- | --- |
 * | `delta` | `deltafilestats` in the footer |
 * | `bloom` | BINARY, no rows, only a value index |
 * | `ad-hoc index` | BINARY with PREFIX encoding, a value index and no positional index |
 * | `key column` | a column with `min_key` and `max_key` |
 * | `column` | every other file |
 */
import { type CFileError, findingOf } from "@cfile/bytes";
import { openDeltaFile } from "@cfile/deltafile/read";
import type { DeltaStatistics } from "@cfile/deltafile/write";
import type { DataType } from "@cfile/encodings";
import { type CFileReader, openCFile } from "@cfile/format";
import type { ByteSource } from "@cfile/io";
import type { StoredBlock } from "../blocks/stored-block.js";
import { LOW_BITS } from "../load/new-blocks.js";

/** Content of a block, according to its header and footer. */
export type BlockKind = "column" | "key column" | "ad-hoc index" | "bloom" | "delta" | "damaged";

/** A block, with facts from its header and footer. */
export interface SurveyedBlock extends StoredBlock {
  /** Its position among all blocks in the order in which the server made them. */
  readonly order: bigint;
  readonly kind: BlockKind;
  readonly type: DataType;
  readonly nullable: boolean;
  readonly array: boolean;
  readonly rows: number;
  /** For key columns and ad-hoc indexes: the first and the last encoded key. */
  readonly keys: { readonly min: Uint8Array; readonly max: Uint8Array } | undefined;
  /** Statistics of a delta file; `undefined` for other files. */
  readonly deltas: DeltaStatistics | undefined;
  /** Why a damaged block cannot be opened. */
  readonly error: CFileError | undefined;
}

/** A delta file. */
export interface SurveyedDelta extends SurveyedBlock {
  readonly deltas: DeltaStatistics;
}

export function isDelta(block: SurveyedBlock | undefined): block is SurveyedDelta {
  return block?.deltas !== undefined;
}

/** Options of `surveyBlocks`. */
export interface SurveyOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called after each block. */
  readonly onProgress?: ((progress: { readonly done: number; readonly total: number }) => void) | undefined;
}

const AT_ONCE = 16;
const NOTHING = { type: "BINARY", nullable: false, array: false, rows: 0, keys: undefined } as const;

/**
 * The blocks in the order in which the server made them.
 *
 * @param isFileManager whether the upper 16 bits of block IDs are the index of a data directory
 * @throws {CFileError} `E_IO`, `E_SOURCE_CHANGED`: a source fails; damaged blocks are returned as such
 */
export async function surveyBlocks(
  blocks: readonly StoredBlock[],
  isFileManager: boolean,
  { signal, onProgress }: SurveyOptions = {},
): Promise<readonly SurveyedBlock[]> {
  const found: SurveyedBlock[] = [];
  const rest = blocks.values();
  const work = async (): Promise<void> => {
    for (const block of rest) {
      signal?.throwIfAborted();
      const order = isFileManager ? block.id & LOW_BITS : block.id;
      found.push({ ...block, order, ...(await contentOf(block, signal)) });
      onProgress?.({ done: found.length, total: blocks.length });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found.sort((left, right) => (left.order < right.order ? -1 : 1));
}

type Content = Omit<SurveyedBlock, keyof StoredBlock | "order">;

async function contentOf({ source }: StoredBlock, signal: AbortSignal | undefined): Promise<Content> {
  try {
    const file = await openCFile(source, { signal, cacheBytes: 0 });
    return {
      kind: kindOf(file),
      type: file.type,
      nullable: file.nullable,
      array: file.array,
      rows: file.rowCount,
      keys: keysOf(file),
      // Another file with such statistics is damaged.
      deltas: file.kind === "delta" ? await statisticsOf(source, signal) : undefined,
      error: undefined,
    };
  } catch (error) {
    return { ...NOTHING, kind: "damaged", deltas: undefined, error: findingOf(error) };
  }
}

function kindOf(file: CFileReader): BlockKind {
  if (file.kind !== "column") {
    return file.kind;
  }
  const { posidx, validx } = file.structure.footer;
  if (posidx === undefined && validx !== undefined && file.type === "BINARY") {
    return "ad-hoc index";
  }
  return validx !== undefined && keysOf(file) !== undefined ? "key column" : "column";
}

function keysOf(file: CFileReader): SurveyedBlock["keys"] {
  const [min, max] = [file.metadata("min_key"), file.metadata("max_key")];
  return min && max && { min, max };
}

async function statisticsOf(source: ByteSource, signal: AbortSignal | undefined): Promise<DeltaStatistics> {
  const { statistics } = await openDeltaFile(source, { signal, cacheBytes: 0 });
  return statistics;
}
