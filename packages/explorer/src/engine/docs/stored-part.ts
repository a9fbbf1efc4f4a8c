/** A part of a file of which only the stored bytes are shown. */
import type { ByteNote } from "@cfile/format/blocks";
import { type ByteSource, readExactly } from "@cfile/io";
import type { PartDetail, PartView } from "../../protocol.js";

/** Bytes of a part that are shown. */
const MOST_BYTES = 256 * 1024;

export function shownBytes(
  source: ByteSource,
  { offset, size }: PartView,
  signal: AbortSignal,
): Promise<Uint8Array> {
  return readExactly(source, offset, Math.min(size, MOST_BYTES), { signal });
}

export interface StoredPart extends Pick<PartDetail, "fields" | "explanation"> {
  readonly notes: readonly ByteNote[];
}

export function storedPart(part: PartView, bytes: Uint8Array, told: StoredPart): PartDetail {
  const { fields, explanation, notes } = told;
  return {
    part,
    fields,
    explanation,
    stored: { base: part.offset, bytes, length: part.size, notes },
    content: undefined,
    values: [],
    valueCount: 0,
    problem: undefined,
  };
}
