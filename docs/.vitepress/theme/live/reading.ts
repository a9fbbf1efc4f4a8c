/** The result of reading the bytes of a live example. */
import { type CFileErrorCode, isCFileError } from "@cfile/bytes";
import type { ByteNote } from "@cfile/format/blocks";

export interface Reading {
  /** Each byte range and its name. */
  readonly notes: readonly ByteNote[];
  /** The values that the packages read, one per line. */
  readonly lines: readonly string[];
  /** The error, if the packages reject the bytes. */
  readonly refusal?: { readonly code: CFileErrorCode; readonly text: string } | undefined;
}

/** One kind of bytes: how they are annotated, and how the packages read them. */
export interface Structure {
  note(bytes: Uint8Array, args: Arguments): readonly ByteNote[];
  /** @throws CFileError if the bytes are invalid */
  read(bytes: Uint8Array, args: Arguments): readonly string[] | Promise<readonly string[]>;
}

/** Parameters that a page passes with its bytes, such as the type of a column. */
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
