/** What a live example shows of its bytes. */
import { type CFileErrorCode, isCFileError } from "@cfile/bytes";
import type { ByteNote } from "@cfile/format/blocks";

export interface Reading {
  /** Every byte range by its name. */
  readonly notes: readonly ByteNote[];
  /** What the packages make of the bytes, a line each. */
  readonly lines: readonly string[];
  /** Why they make nothing of them. */
  readonly refusal?: { readonly code: CFileErrorCode; readonly text: string } | undefined;
}

/** One kind of bytes: how they are annotated, and how our packages read them. */
export interface Structure {
  note(bytes: Uint8Array, args: Arguments): readonly ByteNote[];
  /** @throws CFileError for bytes that are wrong */
  read(bytes: Uint8Array, args: Arguments): readonly string[] | Promise<readonly string[]>;
}

/** What a page says of its bytes beside the bytes, such as the type of a column. */
export type Arguments = Readonly<Record<string, string | number | boolean | undefined>>;

export async function readStructure(
  structure: Structure,
  bytes: Uint8Array,
  args: Arguments,
): Promise<Reading> {
  const notes = structure.note(bytes, args);
  try {
    return { notes, lines: await structure.read(bytes, args) };
  } catch (error) {
    if (!isCFileError(error)) {
      throw error;
    }
    return { notes, lines: [], refusal: { code: error.code, text: error.message } };
  }
}
