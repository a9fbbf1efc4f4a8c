/** The `Range` header of a request: `bytes=first-last`, `bytes=first-`, `bytes=-length`. */

export interface RequestedRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  /** `false` without a header: the whole body. */
  readonly partial: boolean;
}

/** Resolves the header against a body of `length` bytes; `undefined` for a range outside the body (416). */
export function parseRange(header: string | undefined, length: number): RequestedRange | undefined {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") {
    return { start: 0, end: length, partial: false };
  }
  const start = first === "" ? Math.max(0, length - Number(last)) : Number(first);
  const end = first !== "" && last !== "" ? Math.min(Number(last) + 1, length) : length;
  return start < end ? { start, end, partial: true } : undefined;
}
