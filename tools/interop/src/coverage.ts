/** Counts features that occurred in the rounds, by group and item, and lists those that never occurred. */
export type Coverage = Readonly<Record<string, Readonly<Record<string, number>>>>;

export function addCoverage(before: Coverage, added: Coverage): Coverage {
  const sum: Record<string, Record<string, number>> = {};
  for (const coverage of [before, added]) {
    for (const [group, items] of Object.entries(coverage)) {
      const counts = sum[group] ?? {};
      for (const [item, count] of Object.entries(items)) {
        counts[item] = (counts[item] ?? 0) + count;
      }
      sum[group] = counts;
    }
  }
  return sum;
}

export function coverageOf(
  results: readonly { readonly cases: number; readonly occurred?: Coverage | undefined }[],
): Coverage {
  return results.reduce((sum: Coverage, { occurred = {} }) => addCoverage(sum, occurred), {});
}

/** One line per group: items that occurred with their counts, then items that did not occur. */
export function coverageLines(coverage: Coverage): string[] {
  return Object.entries(coverage).map(([group, items]) => {
    const sorted = Object.entries(items).sort(([left], [right]) => (left < right ? -1 : 1));
    const found = sorted.filter(([, count]) => count > 0);
    const missing = sorted.filter(([, count]) => count === 0).map(([item]) => item);
    const list = found.map(([item, count]) => `${item} ${count.toLocaleString("en")}`).join(", ");
    return `${group}: ${list || "nothing"}${missing.length === 0 ? "" : `; never: ${missing.join(", ")}`}`;
  });
}

/** All items with zero occurrences, so that missing ones are reported. */
export function noneOf(items: readonly string[]): Record<string, number> {
  return Object.fromEntries(items.map((item) => [item, 0]));
}
