/** Every byte of a CFile belongs to exactly one part: there is no padding (docs/spec/cfile.md#file-overview). */
import type { BlockLocation } from "@cfile/bytes";

export interface FilePart extends BlockLocation {
  readonly name: string;
}

export interface CoverageProblem {
  readonly offset: number;
  readonly reason: string;
}

// A function of the module: one made for each file would be compiled for each.
function byPlace(left: FilePart, right: FilePart): number {
  return left.offset - right.offset || left.size - right.size;
}

/** Bytes that no part covers, or that two parts claim. */
export function findUnreferencedBytes(parts: readonly FilePart[], fileSize: number): CoverageProblem[] {
  const problems: CoverageProblem[] = [];
  const sorted = [...parts].sort(byPlace);
  let end = 0;
  let before = "the start of the file";
  for (const part of sorted) {
    if (part.offset > end) {
      problems.push({
        offset: end,
        reason: `${part.offset - end} bytes between ${before} and the ${part.name} belong to nothing`,
      });
    } else if (part.offset < end) {
      problems.push({ offset: part.offset, reason: `a ${part.name} overlaps ${before}` });
    }
    end = Math.max(end, part.offset + part.size);
    before = `the ${part.name}`;
  }
  if (end < fileSize) {
    problems.push({ offset: end, reason: `${fileSize - end} bytes at the end belong to nothing` });
  }
  return problems;
}
