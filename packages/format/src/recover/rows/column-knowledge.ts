/** Determines the column of a damaged file: from options, from its footer, or by a guess that fits its blocks. */
import { attempt, type BlockLocation, CFileError, invalidArgument, invalidOption } from "@cfile/bytes";
import type { CodecSet, CompressionType } from "@cfile/compression";
import { DATA_TYPES, type DecodingTable, encodingsOf, resolveEncoding } from "@cfile/encodings";
import type { Kernels } from "@cfile/kernels";
import type { BlockWrapping } from "../../blocks/block-wrapper.js";
import { loadDataBlockOpener } from "../../blocks/load-data-block-opener.js";
import { FEATURE_CHECKSUM } from "../../file/footer.js";
import type { FileFrame } from "../file-frame.js";
import type { DamagedCFileOptions } from "../recover-options.js";
import { endsWithItsRuns, type SearchedColumn } from "../search/block-probe.js";
import { searchBlocks } from "../search/block-search.js";
import type { DamagedSource } from "../search/damaged-source.js";
import { probeRows } from "../search/found-part.js";
import { longBlockStart, type MayStart } from "../search/long-block-start.js";
import { walkStatedBlocks } from "../stated-walk.js";
import type { ColumnKnowledge, Knowledge } from "./ledger.js";

export interface ReadingContext {
  readonly codecs: CodecSet;
  readonly kernels: Kernels;
  readonly encodings: DecodingTable | undefined;
}

/** Number of bytes on which guesses are tested. */
const SAMPLE = 1 << 23;
const COMPRESSIONS: readonly CompressionType[] = ["NO_COMPRESSION", "LZ4", "SNAPPY", "ZLIB"];

/**
 * @throws {CFileError} `E_INVALID_ARGUMENT` (`field` names the option) when an option is required, because the footer is lost and
 *   the blocks fit several guesses or none; `E_UNSUPPORTED` for an unsupported column
 */
export async function knowColumn(
  file: DamagedSource,
  frame: FileFrame,
  options: DamagedCFileOptions,
  context: ReadingContext,
): Promise<ColumnKnowledge> {
  const { header } = frame;
  const footer = frame.footer?.footer;
  const type = options.type ?? footer?.dataType;
  if (type === undefined) {
    throw missingOption("type", frame, "the footer is lost, and the column's type with it");
  }
  if (!Object.hasOwn(DATA_TYPES, type)) {
    throw invalidOption("type", type, "a data type");
  }
  const from = (given: unknown): Knowledge =>
    given !== undefined ? "given" : footer !== undefined ? "footer" : "guessed";
  const features = footer && (footer.incompatibleFeatures ?? 0);
  const known = {
    compression: options.compression ?? (footer && (footer.compression ?? "NO_COMPRESSION")),
    nullable: options.nullable ?? (footer && (footer.nullable ?? false)),
    array: options.array ?? (footer && (footer.array ?? false)),
    checksums:
      options.checksums ?? (features === undefined ? undefined : (features & FEATURE_CHECKSUM) !== 0),
  };
  const requested = options.encoding ?? footer?.encoding;
  const encoding = requested && resolveEncoding(type, requested, context.encodings);
  if (requested !== undefined && encoding === undefined) {
    const details = { path: file.path, field: "encoding", actual: requested };
    throw new CFileError("E_UNSUPPORTED", `${type} columns do not support ${requested}`, details);
  }
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
  const encodings = encodingsOf(DATA_TYPES[type].physical, context.encodings);
  const candidates: ColumnKnowledge[] = [];
  for (const checksums of knownOr(known.checksums ?? header?.checksummed, [true, false])) {
    for (const array of knownOr(known.array, [false, true])) {
      for (const nullable of knownOr(known.nullable, array ? [true] : [false, true])) {
        for (const compression of knownOr(known.compression, COMPRESSIONS)) {
          for (const tried of knownOr(encoding, encodings)) {
            candidates.push({ ...base, checksums, array, nullable, compression, encoding: tried });
          }
        }
      }
    }
  }
  const [only] = candidates;
  return only !== undefined && candidates.length === 1 ? only : guess(file, frame, candidates, context);
}

function knownOr<T>(known: T | undefined, all: readonly T[]): readonly T[] {
  return known === undefined ? all : [known];
}

/** How the blocks of such a column are wrapped. @throws {CFileError} `E_UNSUPPORTED` without a codec for its compression */
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

/** Returns the candidate that fits the most blocks, if there is only one. */
async function guess(
  file: DamagedSource,
  frame: FileFrame,
  candidates: readonly ColumnKnowledge[],
  context: ReadingContext,
): Promise<ColumnKnowledge> {
  const start = frame.header ? frame.header.range.offset + frame.header.range.size : 0;
  const scores = new Map<ColumnKnowledge, number>();
  const openers: { candidate: ColumnKnowledge; wrapping: BlockWrapping; column: SearchedColumn }[] = [];
  for (const candidate of candidates) {
    const column = await searchedColumnOf(candidate, context);
    openers.push({ candidate, wrapping: wrappingOf(candidate, context), column });
  }
  const checksummed = openers.filter(({ wrapping }) => wrapping.checksums);
  if (checksummed.length > 0) {
    const classify = (_block: BlockLocation, stored: Uint8Array): true | undefined => {
      let fits: true | undefined;
      for (const { candidate, wrapping, column } of checksummed) {
        if (opens(file, stored, wrapping, column)) {
          scores.set(candidate, (scores.get(candidate) ?? 0) + 1);
          fits = true;
        }
      }
      return fits;
    };
    const starts = checksummed.map(({ wrapping, column }) => longBlockStart(column, wrapping, file.limits));
    const mayStart: MayStart = (...position) => starts.some((start) => start(...position));
    await searchBlocks(file, start, Math.min(file.size, start + SAMPLE), { classify, mayStart });
  }
  if (scores.size === 0) {
    for (const { candidate, wrapping, column } of openers) {
      if (!wrapping.checksums) {
        const walk = { start, end: file.size, firstRow: 0, wrapping, column };
        scores.set(candidate, (await walkStatedBlocks(file, walk)).blocks.length);
      }
    }
  }
  const best = Math.max(0, ...scores.values());
  const fitting = candidates.filter((candidate) => best > 0 && scores.get(candidate) === best);
  const chosen = fitting.length === 1 ? fitting[0] : hinted(fitting, frame);
  if (chosen === undefined) {
    const open = (["encoding", "compression", "nullable", "array"] as const).filter(
      (property) => new Set((best > 0 ? fitting : candidates).map((each) => each[property])).size > 1,
    );
    const several = `the blocks fit more than one guess of ${open.join(", ")}`;
    throw missingOption(open[0] ?? "encoding", frame, best > 0 ? several : "no blocks fit any guess");
  }
  return chosen;
}

/** If several candidates fit, the one that a damaged footer names, or the first one if they differ only in their codec. */
function hinted(fitting: readonly ColumnKnowledge[], { hint }: FileFrame): ColumnKnowledge | undefined {
  const same = fitting.find(
    ({ encoding, compression, nullable, array }) =>
      hint?.encoding === encoding &&
      (hint.compression ?? "NO_COMPRESSION") === compression &&
      (hint.nullable ?? false) === nullable &&
      (hint.array ?? false) === array,
  );
  const [first] = fitting;
  const properties = ["encoding", "nullable", "array", "checksums"] as const;
  const differ = fitting.some((each) => properties.some((property) => each[property] !== first?.[property]));
  return same ?? (differ ? undefined : first);
}

function opens(
  file: DamagedSource,
  stored: Uint8Array,
  wrapping: BlockWrapping,
  column: SearchedColumn,
): boolean {
  const fits = attempt(() => {
    const bytes = file.unwrap({ offset: 0, size: stored.length }, stored, wrapping);
    probeRows(bytes, column, file.limits);
    return column.encoding !== "RLE" || endsWithItsRuns(bytes, column, file.limits);
  });
  return fits ?? false;
}

function missingOption(field: string, { hint }: FileFrame, reason: string): CFileError {
  const flags = hint && `${hint.nullable ? ", nullable" : ""}${hint.array ? ", array" : ""}`;
  const compression = hint?.compression ?? "NO_COMPRESSION";
  const hinted = hint
    ? ` (a damaged footer says ${hint.dataType}, ${hint.encoding}, ${compression}${flags})`
    : "";
  return invalidArgument(`${reason}: ${field} is required${hinted}`, { field });
}
