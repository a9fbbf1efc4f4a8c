/** The ledger of {@link scanDamagedCFile}: the parts and rows of a damaged file, kept and lost. */
import type { BlockLocation } from "@cfile/bytes";
import type { CompressionType } from "@cfile/compression";
import type { DataType, EncodingType } from "@cfile/encodings";
import type { VerifyProblem } from "../../verify/verify.js";

/** Bytes and rows of a data block, or of a range in which blocks were lost. */
export interface BlockEntry {
  /** Location in the damaged file; `undefined` if its bytes are missing. */
  readonly block: BlockLocation | undefined;
  readonly firstRow: number | undefined;
  /** Number of rows; `undefined` if unknown. */
  readonly rows: number | undefined;
  readonly state: "kept" | "lost";
  /** Whether a checksum confirms its values. */
  readonly verified: boolean;
  /** Why the rows are lost or not used; `undefined` for kept blocks. */
  readonly problem: VerifyProblem | undefined;
  /** Its offset according to the index, if it was found at a different one. */
  readonly movedFrom: number | undefined;
}

/** A part of the file that holds no rows. */
export interface PartEntry {
  readonly part: "header" | "footer" | "posidx block" | "validx block" | "index block" | "dictionary block";
  readonly block: BlockLocation | undefined;
  readonly state: "valid" | "damaged" | "missing";
  readonly problem: VerifyProblem | undefined;
}

/** The source of a property of the column. */
export type Knowledge = "footer" | "header" | "given" | "guessed";

/** The known properties of the column, and their sources. */
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

/** The contents of a damaged file: every byte is in one entry, kept or lost, with the reason. */
export interface RecoveryLedger {
  readonly path: string;
  readonly fileSize: number;
  /** Number of foreign bytes before the file; negative if its start is missing. */
  readonly shift: number;
  readonly column: ColumnKnowledge;
  /** Header, footer, index and dictionary blocks. */
  readonly parts: readonly PartEntry[];
  /** Data blocks, kept and lost, in row order, without gaps between their rows. */
  readonly blocks: readonly BlockEntry[];
  /** Valid blocks that contradict the kept ones. */
  readonly contradicting: readonly BlockEntry[];
  /** Rows of the original file; `undefined` without a footer. */
  readonly rowsTotal: number | undefined;
  readonly rowsKept: number;
  /** Rows known to be lost; without a footer there may have been more after the last block. */
  readonly rowsLost: number;
  /** Kept rows that no checksum confirms. */
  readonly rowsUnverified: number;
  /** Whether it is certain that nothing is lost; `false` also when the end is unknown. */
  readonly complete: boolean;
}
