/** Human-readable numbers. */

const UNITS = ["KiB", "MiB", "GiB", "TiB"] as const;

/** `1234567` as `1,234,567`, for integers. `toLocaleString` would first load the data of all languages. */
export function countText(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** `3 blocks`, `1 block`, `2 entries`. */
export function counted(count: number, noun: string): string {
  const plural = /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${countText(count)} ${count === 1 ? noun : plural}`;
}

export function sum(counts: Iterable<number>): number {
  let total = 0;
  for (const count of counts) {
    total += count;
  }
  return total;
}

/** `512 B`, `1.5 KiB`, `461 KiB`. */
export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = "B";
  for (const larger of UNITS) {
    if (value < 1024) {
      break;
    }
    value /= 1024;
    unit = larger;
  }
  return unit === "B" ? `${bytes} B` : `${value.toFixed(value < 100 ? 1 : 0)} ${unit}`;
}

/** `part` of `whole` as `12.3 %`. */
export function percentText(part: number, whole: number): string {
  return `${(whole === 0 ? 0 : (100 * part) / whole).toFixed(1)} %`;
}

/** `before` divided by `after`, as `2.50`. */
export function ratioText(before: number, after: number): string {
  return after === 0 ? "-" : (before / after).toFixed(2);
}

/** A part of 1 as percent, with two significant digits: `0.010 %`. */
export function rateText(rate: number): string {
  return `${rate === 0 ? "0" : (100 * rate).toPrecision(2)} %`;
}
