/** What column a damaged file holds: as given, as its footer says, or as only one guess fits its blocks. */
import { CFileError, invalidArgument, isCFileError } from "@cfile/bytes";
import type { CodecSet, CompressionType } from "@cfile/compression";
import {
  DATA_TYPES,
  type DecodingTable,
  type EncodingType,
  encodingsOf,
  resolveEncoding,
} from "@cfile/encodings";
import type { Kernels } from "@cfile/kernels";
import type { BlockWrapping } from "../../blocks/block-wrapper.js";
import { loadDataBlockOpener } from "../../blocks/load-data-block-opener.js";
import { FEATURE_CHECKSUM } from "../../file/footer.js";
import type { FileFrame } from "../file-frame.js";
import type { DamagedCFileOptions } from "../recover-options.js";
import {
  endsWithItsRuns,
  isCodeBlock,
  probeCodeBlock,
  probeDataBlock,
  type SearchedColumn,
} from "../search/block-probe.js";
import { searchBlocks } from "../search/block-search.js";
import type { DamagedSource } from "../search/damaged-source.js";
import { walkStatedBlocks } from "../stated-walk.js";
import type { ColumnKnowledge, Knowledge } from "./ledger.js";

export interface ReadingContext {
  readonly codecs: CodecSet;
  readonly kernels: Kernels;
  readonly encodings: DecodingTable | undefined;
}

/** Bytes of the file on which guesses are tried. */
const SAMPLE = 1 << 23;
const COMPRESSIONS: readonly CompressionType[] = ["NO_COMPRESSION", "LZ4", "SNAPPY", "ZLIB"];

/**
 * @throws CFileError `E_INVALID_ARGUMENT` (`field` says what) when something has to be given: neither does the file say
 *   it, nor do its blocks fit one guess only; `E_UNSUPPORTED` for a column that no file has
 */
export async function knowColumn(
  file: DamagedSource,
  frame: FileFrame,
  options: DamagedCFileOptions,
  context: ReadingContext,
): Promise<ColumnKnowledge> {
  const footer = frame.footer?.footer;
  const type = options.type ?? footer?.dataType;
  if (type === undefined) {
    throw needed("type", frame, "the footer is lost, and with it the column's type");
  }
  if (!Object.hasOwn(DATA_TYPES, type)) {
    throw invalidArgument(`${String(type)} is not a data type`, { field: "type" });
  }
  const from = (given: unknown): Knowledge =>
    given !== undefined ? "given" : footer !== undefined ? "footer" : "guessed";
  const features = footer && (footer.incompatibleFeatures ?? 0);
  const known = {
    encoding: options.encoding ?? footer?.encoding,
    compression: options.compression ?? (footer && (footer.compression ?? "NO_COMPRESSION")),
    nullable: options.nullable ?? (footer && (footer.nullable ?? false)),
    array: options.array ?? (footer && (footer.array ?? false)),
    checksums:
      options.checksums ?? (features === undefined ? undefined : (features & FEATURE_CHECKSUM) !== 0),
  };
  const encoding = known.encoding && resolveEncoding(type, known.encoding, context.encodings);
  if (known.encoding !== undefined && encoding === undefined) {
    throw new CFileError("E_UNSUPPORTED", `${type} columns have no ${known.encoding}`, {
      path: file.path,
      field: "encoding",
      actual: known.encoding,
    });
  }
  const header = frame.header;
  const base = {
    type,
    version: header?.header.version ?? frame.footer?.version ?? 2,
    knownFrom: {
      type: from(options.type),
      encoding: from(options.encoding),
      compression: from(options.compression),
      nullable: from(options.nullable),
      array: from(options.array),
      checksums: known.checksums === undefined && header ? "header" : from(options.checksums),
      version: header ? "header" : footer ? "footer" : "guessed",
      dictionary: footer ? "footer" : "guessed",
    },
  } as const;
  const candidates: Candidate[] = [];
  for (const checksums of one(known.checksums ?? header?.checksummed, [true, false])) {
    for (const array of one(known.array, [false, true])) {
      for (const nullable of one(known.nullable, array ? [true] : [false, true])) {
        for (const compression of one(known.compression, COMPRESSIONS)) {
          for (const tried of one(encoding, encodingsOf(DATA_TYPES[type].physical, context.encodings))) {
            candidates.push({ ...base, checksums, array, nullable, compression, encoding: tried });
          }
        }
      }
    }
  }
  const [only] = candidates;
  return only !== undefined && candidates.length === 1 ? only : guess(file, frame, candidates, context);
}

type Candidate = ColumnKnowledge;

function one<T>(known: T | undefined, all: readonly T[]): readonly T[] {
  return known === undefined ? all : [known];
}

/** How the blocks of such a column are wrapped. */
export function wrappingOf(column: ColumnKnowledge, { codecs, kernels }: ReadingContext): BlockWrapping {
  const { compression, version, checksums } = column;
  const codec = compression === "NO_COMPRESSION" ? undefined : codecs[compression];
  if (compression !== "NO_COMPRESSION" && codec === undefined) {
    throw new CFileError("E_UNSUPPORTED", `no codec for ${compression}`, { field: "compression" });
  }
  return { version, checksums, codec, kernels };
}

export async function searchedColumnOf(
  column: ColumnKnowledge,
  { encodings, kernels }: ReadingContext,
): Promise<SearchedColumn> {
  const { type, encoding, nullable, array } = column;
  const openContent = await loadDataBlockOpener(column, encodings);
  return { type, encoding, nullable, array, dictionary: undefined, kernels, openContent };
}

/** Tries all candidates on the blocks that can be found; the one that fits most of them, if it is one. */
async function guess(
  file: DamagedSource,
  frame: FileFrame,
  candidates: readonly Candidate[],
  context: ReadingContext,
): Promise<ColumnKnowledge> {
  const start = frame.header ? frame.header.range.offset + frame.header.range.size : 0;
  const end = Math.min(file.size, start + SAMPLE);
  const scores = new Map<Candidate, number>();
  const withChecksums = candidates.filter(({ checksums }) => checksums);
  const opener = async (candidate: Candidate) => {
    const wrapping = wrappingOf(candidate, context);
    const column = await searchedColumnOf(candidate, context);
    return { candidate, opens: (stored: Uint8Array): boolean => opens(file, stored, wrapping, column) };
  };
  const openers = await Promise.all(withChecksums.map(opener));
  if (openers.length > 0) {
    await searchBlocks(file, start, end, (_block, stored) => {
      const fitting = openers.filter((each) => each.opens(stored));
      for (const { candidate } of fitting) {
        scores.set(candidate, (scores.get(candidate) ?? 0) + 1);
      }
      return fitting.length > 0 ? true : undefined;
    });
  }
  if (scores.size === 0) {
    for (const candidate of candidates.filter(({ checksums }) => !checksums)) {
      const wrapping = wrappingOf(candidate, context);
      const walk = await walkStatedBlocks(file, {
        start,
        end: file.size,
        firstRow: 0,
        wrapping,
        column: await searchedColumnOf(candidate, context),
      });
      scores.set(candidate, walk.blocks.length);
    }
  }
  const best = Math.max(0, ...scores.values());
  const fitting = candidates.filter((candidate) => best > 0 && scores.get(candidate) === best);
  const chosen = fitting.length === 1 ? fitting[0] : hinted(fitting, frame);
  if (chosen === undefined) {
    const open = (["encoding", "compression", "nullable", "array"] as const).filter(
      (property) => new Set((best > 0 ? fitting : candidates).map((each) => each[property])).size > 1,
    );
    throw needed(
      open[0] ?? "encoding",
      frame,
      best > 0
        ? `the blocks fit more than one guess of ${open.join(", ")}`
        : "nothing was found that fits a guess of what the column's blocks look like",
    );
  }
  return chosen;
}

/** Of several that fit, what a damaged footer says; or any, where no block tells the codecs apart. */
function hinted(fitting: readonly Candidate[], { hint }: FileFrame): Candidate | undefined {
  const same = fitting.find(
    ({ encoding, compression, nullable, array }) =>
      hint?.encoding === encoding &&
      (hint.compression ?? "NO_COMPRESSION") === compression &&
      (hint.nullable ?? false) === nullable &&
      (hint.array ?? false) === array,
  );
  const [first] = fitting;
  const differ = fitting.some(
    ({ encoding, nullable, array, checksums }) =>
      encoding !== first?.encoding ||
      nullable !== first.nullable ||
      array !== first.array ||
      checksums !== first.checksums,
  );
  return same ?? (differ ? undefined : first);
}

function opens(
  file: DamagedSource,
  stored: Uint8Array,
  wrapping: BlockWrapping,
  column: SearchedColumn,
): boolean {
  try {
    const bytes = file.unwrap({ offset: 0, size: stored.length }, stored, wrapping);
    if (column.encoding === "DICT_ENCODING" && isCodeBlock(bytes, column, file.limits)) {
      probeCodeBlock(bytes, column, file.limits);
    } else {
      probeDataBlock(bytes, column, file.limits);
    }
    return column.encoding !== "RLE" || endsWithItsRuns(bytes, column, file.limits);
  } catch (error) {
    if (isCFileError(error)) {
      return false;
    }
    throw error;
  }
}

function needed(field: string, { hint }: FileFrame, reason: string): CFileError {
  const said =
    hint === undefined
      ? ""
      : `; a damaged footer speaks of ${hint.dataType}, ${hint.encoding satisfies EncodingType}, ${
          hint.compression ?? "NO_COMPRESSION"
        }${hint.nullable ? ", nullable" : ""}${hint.array ? ", array" : ""}`;
  return invalidArgument(`${reason}: ${field} has to be given${said}`, { field });
}
