/** Checks that every byte of a CFile belongs to exactly one part: there is no padding (docs/spec/cfile.md#file-overview). */
import type { BlockLocation } from "@cfile/bytes";

export interface FilePart extends BlockLocation {
  readonly name: string;
}

// A module-level function: a closure per file defeats the JIT.
function byOffset(left: FilePart, right: FilePart): number {
  return left.offset - right.offset || left.size - right.size;
}

/** Bytes that no part covers or that two parts claim. */
export function findUnreferencedBytes(
  parts: readonly FilePart[],
  fileSize: number,
): { readonly offset: number; readonly reason: string }[] {
  const problems: { offset: number; reason: string }[] = [];
  const sorted = [...parts].sort(byOffset);
  let end = 0;
  let before = "the start of the file";
  for (const part of sorted) {
    if (part.offset > end) {
      const reason = `${part.offset - end} unused bytes between ${before} and the ${part.name}`;
      problems.push({ offset: end, reason });
    } else if (part.offset < end) {
      problems.push({ offset: part.offset, reason: `${part.name} overlaps ${before}` });
    }
    end = Math.max(end, part.offset + part.size);
    before = `the ${part.name}`;
  }
  if (end < fileSize) {
    problems.push({ offset: end, reason: `${fileSize - end} unused bytes at the end` });
  }
  return problems;
}
