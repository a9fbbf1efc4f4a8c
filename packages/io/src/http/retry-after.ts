/** The header `Retry-After` (RFC 9110, section 10.2.3): seconds, or a date. */

/** The cause of an error with a status: how long the server wants to be left alone. */
export class RetryAfter {
  readonly milliseconds: number;

  constructor(milliseconds: number) {
    this.milliseconds = milliseconds;
  }
}

/** What an answer says; `undefined` where it says nothing that can be understood. */
export function retryAfterOf({ headers }: Pick<Response, "headers">, now: number): RetryAfter | undefined {
  const text = headers.get("Retry-After")?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) {
    return new RetryAfter(1000 * Number(text));
  }
  // Dates begin with the day of the week; nothing else is to be taken for one.
  const date = /^[a-z]{3,9},? /i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : new RetryAfter(Math.max(0, date - now));
}
