/** Parts that show only their stored bytes, and sources of open documents. */
import type { ByteNote } from "@cfile/format/blocks";
import { type ByteSource, readExactly } from "@cfile/io";
import type { Fact, PartDetail, PartView } from "../../protocol.js";
import { countText, fact } from "../cells.js";

/** Maximum number of bytes of a part to show. */
const MAX_BYTES = 256 * 1024;

export function shownBytes(
  source: ByteSource,
  { offset, size }: PartView,
  signal: AbortSignal,
): Promise<Uint8Array> {
  return readExactly(source, offset, Math.min(size, MAX_BYTES), { signal });
}

export function positionFacts({ offset, size }: PartView): Fact[] {
  return [fact("Bytes", `${countText(offset)} to ${countText(offset + size)}`), fact("Stored bytes", size)];
}

export function storedPart(
  part: PartView,
  bytes: Uint8Array,
  {
    notes,
    ...detail
  }: Pick<PartDetail, "explanation"> & Partial<PartDetail> & { notes: readonly ByteNote[] },
): PartDetail {
  const stored = { base: part.offset, bytes, length: part.size, notes };
  return {
    part,
    fields: positionFacts(part),
    stored,
    content: undefined,
    values: [],
    valueCount: 0,
    problem: undefined,
    ...detail,
  };
}

/** The source without `close`, for a reader that closes it while the document still needs it. */
export function unclosable(source: ByteSource): ByteSource {
  return {
    name: source.name,
    size: (options) => source.size(options),
    read: (offset, length, options) => source.read(offset, length, options),
  };
}
