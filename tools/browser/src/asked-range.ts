/** The `Range` header of a request: `bytes=first-last`, `bytes=first-`, `bytes=-length`. */

export interface AskedRange {
  readonly start: number;
  /** Behind the last byte. */
  readonly end: number;
  /** `false`: without a header, everything. */
  readonly partial: boolean;
}

/** What is asked of a body of `length` bytes; `undefined` for a range that it does not have (416). */
export function readRange(header: string | undefined, length: number): AskedRange | undefined {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") {
    return { start: 0, end: length, partial: false };
  }
  const start = first === "" ? Math.max(0, length - Number(last)) : Number(first);
  const end = first !== "" && last !== "" ? Math.min(Number(last) + 1, length) : length;
  return start < end ? { start, end, partial: true } : undefined;
}
