/** The parts of a Parquet file as they follow each other on disk, found without its footer. */
import type { PageHeader } from "../pages/page-header.js";

/** A page: header and stored bytes. */
export interface PagePart {
  readonly kind: "page";
  /** File offset of the header. */
  readonly offset: number;
  /** Bytes of header and page. */
  readonly size: number;
  readonly headerSize: number;
  readonly header: PageHeader;
  /** Whether the CRC in the header matches the page. */
  readonly crc: "right" | "wrong" | "absent" | "unchecked";
}

/** Bytes that are not a page. */
export interface OtherPart {
  readonly kind: OtherKind;
  readonly offset: number;
  readonly size: number;
  /** Header of a cut page. */
  readonly header?: PageHeader | undefined;
}

/**
 * `"cut-page"`: a page header whose page ends after the end of the file. `"column-metadata"`: the metadata of the previous chunk, which
 * some writers put after each chunk. `"metadata"`: the file metadata, or its valid beginning.
 * `"tail"`: footer length and magic number. `"encrypted"`: encrypted modules. `"unknown"`: damaged or foreign bytes.
 */
export type OtherKind =
  | "magic"
  | "cut-page"
  | "bloom-filter"
  | "column-metadata"
  | "column-index"
  | "offset-index"
  | "metadata"
  | "tail"
  | "encrypted"
  | "zeros"
  | "unknown";

/** A page, or bytes that are not a page. */
export type FilePart = PagePart | OtherPart;

/** Whether pages may be missing where this part is. */
export function isGap({ kind }: FilePart): boolean {
  return kind === "unknown" || kind === "zeros" || kind === "encrypted" || kind === "cut-page";
}
