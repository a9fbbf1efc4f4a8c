/** The bytes of a stretch that no part of it covers. */
import type { BlockLocation } from "@cfile/bytes";

/** @returns the gaps, ascending */
export function uncovered(start: number, end: number, parts: readonly BlockLocation[]): BlockLocation[] {
  const gaps: BlockLocation[] = [];
  let reached = start;
  for (const { offset, size } of [...parts].sort((a, b) => a.offset - b.offset)) {
    const from = Math.min(offset, end);
    if (from > reached) {
      gaps.push({ offset: reached, size: from - reached });
    }
    reached = Math.max(reached, offset + size);
  }
  if (reached < end) {
    gaps.push({ offset: reached, size: end - reached });
  }
  return gaps;
}
