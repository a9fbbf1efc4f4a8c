/** What came out of a damaged file: the ledger of {@link scanDamagedCFile}, part by part and row by row. */
import type { BlockLocation, CFileErrorCode } from "@cfile/bytes";
import type { CompressionType } from "@cfile/compression";
import type { DataType, EncodingType } from "@cfile/encodings";
import type { VerifyProblem } from "../../verify/verify.js";

/** Bytes and rows of a data block, or of a stretch in which blocks were lost. */
export interface BlockEntry {
  /** Where it stands in the damaged file; `undefined` when nothing of it is there. */
  readonly block: BlockLocation | undefined;
  readonly firstRow: number | undefined;
  /** Rows; `undefined` when nobody can tell. */
  readonly rows: number | undefined;
  readonly state: "kept" | "lost";
  /** Whether a checksum says that its values are the ones written. */
  readonly verified: boolean;
  /** What was wrong with it. */
  readonly problem: VerifyProblem | undefined;
  /** Where its index entry has it, when it stands elsewhere. */
  readonly movedFrom: number | undefined;
}

/** A part of the file that holds no rows. */
export interface PartEntry {
  readonly part: "header" | "footer" | "posidx block" | "validx block" | "index block" | "dictionary block";
  readonly block: BlockLocation | undefined;
  readonly state: "valid" | "damaged" | "missing";
  readonly problem: VerifyProblem | undefined;
}

/** Where a property of the column is known from. */
export type Knowledge = "footer" | "header" | "given" | "guessed";

/** What is known of the column, and from where. */
export interface ColumnKnowledge {
  readonly type: DataType;
  readonly encoding: EncodingType;
  readonly compression: CompressionType;
  readonly nullable: boolean;
  readonly array: boolean;
  readonly checksums: boolean;
  readonly version: 1 | 2;
  readonly knownFrom: Readonly<
    Record<
      "type" | "encoding" | "compression" | "nullable" | "array" | "checksums" | "version" | "dictionary",
      Knowledge
    >
  >;
}

/** What was found of a damaged file: every byte of it is in one entry, kept or lost, with the reason. */
export interface RecoveryLedger {
  readonly path: string;
  readonly fileSize: number;
  /** Foreign bytes in front of the file; negative where its beginning is missing. */
  readonly shift: number;
  readonly column: ColumnKnowledge;
  /** Header, footer, index and dictionary blocks. */
  readonly parts: readonly PartEntry[];
  /** Data blocks, kept and lost, in row order: their rows follow each other without a gap. */
  readonly blocks: readonly BlockEntry[];
  /** Blocks that are sound, but contradict those that were kept. */
  readonly contradicting: readonly BlockEntry[];
  /** Rows that the file had; `undefined` without a footer. */
  readonly rowsTotal: number | undefined;
  readonly rowsKept: number;
  /** Rows known to be lost; without a footer there may have been more behind the last block. */
  readonly rowsLost: number;
  /** Of the rows kept, those that no checksum vouches for. */
  readonly rowsUnverified: number;
  /** Whether nothing is lost, as far as one can tell: also `false` when the end is unknown. */
  readonly complete: boolean;
}

/** A problem as the ledger names it. */
export function problem(
  code: CFileErrorCode,
  reason: string,
  details: Omit<VerifyProblem, "code" | "reason"> = {},
): VerifyProblem {
  return { code, reason, ...details };
}
