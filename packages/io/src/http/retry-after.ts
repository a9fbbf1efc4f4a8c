/** The header `Retry-After` (RFC 9110, section 10.2.3): seconds, or a date. */
import type { HttpResponse } from "./http-response.js";

/** The cause of an error with a status: how long the server asks callers to wait. */
export class RetryAfter {
  readonly milliseconds: number;

  constructor(milliseconds: number) {
    this.milliseconds = milliseconds;
  }
}

/** `undefined` for a response without a valid header. */
export function retryAfterOf(
  { headers }: Pick<HttpResponse, "headers">,
  now: number,
): RetryAfter | undefined {
  const text = headers.get("Retry-After")?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) {
    return new RetryAfter(1000 * Number(text));
  }
  // `Date.parse` accepts many other texts; a valid date starts with the day of the week.
  const date = /^[a-z]{3,9},? /i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : new RetryAfter(Math.max(0, date - now));
}
