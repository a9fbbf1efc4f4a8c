/** The parts of a file in the order of their offsets. */
import type { BlockLocation, CFileLayout, CFileReader } from "cfile";
import { sum } from "../records/quantity.js";

/** How a kind of part is shown. */
export const PARTS = /* @__PURE__ */ Object.freeze({
  header: { name: "header", glyph: "H", color: "magenta" },
  data: { name: "data", glyph: "█", color: "blue" },
  posidx: { name: "positional index", glyph: "P", color: "green" },
  validx: { name: "value index", glyph: "V", color: "yellow" },
  dictionary: { name: "dictionary", glyph: "D", color: "cyan" },
  bloom: { name: "Bloom filter", glyph: "B", color: "yellow" },
  columnIndex: { name: "column index", glyph: "C", color: "green" },
  offsetIndex: { name: "offset index", glyph: "O", color: "green" },
  unknown: { name: "damaged or missing", glyph: "?", color: "red" },
  footer: { name: "footer", glyph: "F", color: "magenta" },
} as const);

export type PartKind = keyof typeof PARTS;

export const PART_KINDS = /* @__PURE__ */ Object.keys(PARTS) as readonly PartKind[];

export interface FilePart extends BlockLocation {
  readonly kind: PartKind;
}

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

/** Number and bytes of the parts of each kind that the file has. */
export function partTotals(parts: readonly FilePart[]) {
  return PART_KINDS.map((kind) => {
    const ofKind = parts.filter((part) => part.kind === kind);
    return { kind, count: ofKind.length, bytes: sum(ofKind.map(({ size }) => size)) };
  }).filter(({ count }) => count > 0);
}
