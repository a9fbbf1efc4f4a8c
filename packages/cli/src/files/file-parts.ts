/** The parts of a file in the order of their offsets. */
import type { BlockLocation, CFileLayout, CFileReader } from "cfile";
import { sum } from "../records/quantity.js";

export type PartKind = "header" | "data" | "posidx" | "validx" | "dictionary" | "footer";

export interface FilePart extends BlockLocation {
  readonly kind: PartKind;
}

export const PART_NAMES: Readonly<Record<PartKind, string>> = {
  header: "header",
  data: "data",
  posidx: "positional index",
  validx: "value index",
  dictionary: "dictionary",
  footer: "footer",
};

export function fileParts(
  { structure }: CFileReader,
  { posidx, validx, dictionary }: CFileLayout,
  dataBlocks: readonly BlockLocation[],
): FilePart[] {
  const part = (kind: PartKind, { offset, size }: BlockLocation): FilePart => ({ kind, offset, size });
  return [
    part("header", structure.headerRange),
    ...dataBlocks.map((block) => part("data", block)),
    ...(posidx?.indexBlocks ?? []).map((block) => part("posidx", block)),
    ...(validx?.indexBlocks ?? []).map((block) => part("validx", block)),
    ...(dictionary ? [part("dictionary", dictionary)] : []),
    part("footer", structure.footerRange),
  ].sort((a, b) => a.offset - b.offset);
}

export interface PartTotal {
  readonly kind: PartKind;
  readonly count: number;
  readonly bytes: number;
}

/** Number and bytes of the parts of each kind that the file has. */
export function partTotals(parts: readonly FilePart[]): PartTotal[] {
  return (Object.keys(PART_NAMES) as PartKind[])
    .map((kind) => {
      const ofKind = parts.filter((part) => part.kind === kind);
      return { kind, count: ofKind.length, bytes: sum(ofKind.map(({ size }) => size)) };
    })
    .filter(({ count }) => count > 0);
}
