/** A file as one line: each character is a stretch of its bytes. */
import type { Style } from "../program/output/styles.js";
import { sum } from "../records/quantity.js";
import { type FilePart, PART_KINDS, PARTS, type PartKind } from "./file-parts.js";

/** The picture, `width` characters wide, and a legend. */
export function layoutPicture(parts: readonly FilePart[], width: number, style: Style): string[] {
  const stretches = joined(parts);
  const cells =
    stretches.length <= width ? atLeastOneEach(stretches, width) : largestOfEach(stretches, width);
  const glyphOf = (kind: PartKind): string => style(PARTS[kind].color, PARTS[kind].glyph);
  const present = PART_KINDS.filter((kind) => cells.includes(kind));
  return [
    cells.map(glyphOf).join(""),
    present.map((kind) => `${glyphOf(kind)} ${PARTS[kind].name}`).join("  "),
  ];
}

/** Joins neighbors of one kind. */
function joined(parts: readonly FilePart[]): FilePart[] {
  const stretches: FilePart[] = [];
  for (const part of parts) {
    const last = stretches.at(-1);
    if (last?.kind === part.kind) {
      stretches[stretches.length - 1] = { ...last, size: last.size + part.size };
    } else {
      stretches.push(part);
    }
  }
  return stretches;
}

/** One character per stretch; the rest is distributed by size. */
function atLeastOneEach(stretches: readonly FilePart[], width: number): PartKind[] {
  const total = totalOf(stretches);
  const spare = width - stretches.length;
  let before = 0;
  return stretches.flatMap(({ kind, size }) => {
    const start = Math.round((spare * before) / total);
    before += size;
    return Array<PartKind>(1 + Math.round((spare * before) / total) - start).fill(kind);
  });
}

/** Equal pieces of the file; each shows the kind of most of its bytes. */
function largestOfEach(stretches: readonly FilePart[], width: number): PartKind[] {
  const total = totalOf(stretches);
  const cells = Array.from({ length: width }, () => new Map<PartKind, number>());
  let position = 0;
  for (const { kind, size } of stretches) {
    const end = position + size;
    for (let at = position; at < end; ) {
      const index = Math.min(width - 1, Math.floor((at * width) / total));
      const next = index === width - 1 ? end : Math.min(end, Math.max(at + 1, ((index + 1) * total) / width));
      const cell = cells[index];
      cell?.set(kind, (cell.get(kind) ?? 0) + next - at);
      at = next;
    }
    position = end;
  }
  return cells.map(
    (cell) => [...cell].reduce((largest, entry) => (entry[1] > largest[1] ? entry : largest), EMPTY)[0],
  );
}

const EMPTY: readonly [PartKind, number] = ["data", 0];

function totalOf(stretches: readonly FilePart[]): number {
  return Math.max(1, sum(stretches.map(({ size }) => size)));
}
