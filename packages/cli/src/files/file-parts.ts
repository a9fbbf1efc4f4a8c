/** The parts of a file in the order in which they stand in it. */
import type { BlockLocation, CFileLayout, CFileReader } from "cfile";

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

/** How many parts of each kind there are, and their bytes; kinds that the file does not have are left out. */
export function partTotals(parts: readonly FilePart[]): PartTotal[] {
  return (Object.keys(PART_NAMES) as PartKind[])
    .map((kind) => {
      const ofKind = parts.filter((part) => part.kind === kind);
      return { kind, count: ofKind.length, bytes: ofKind.reduce((sum, { size }) => sum + size, 0) };
    })
    .filter(({ count }) => count > 0);
}
