/**
 * Counts the cases that a test checks: one per `expect`, and cases compared by other means, because `expect` takes 10 µs.
 */
import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";

/** Counts cases that were checked without one `expect` each, such as the values of a column that was compared as a whole. */
export function checked(count: number): void {
  expect.setState({ assertionCalls: expect.getState().assertionCalls + count });
}

/** `expect(actual).toEqual(expected)` for thousands of comparisons: Node's comparison is many times faster. */
export function expectSame(actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) {
    checked(1);
  } else {
    // Reports the difference.
    expect(actual).toEqual(expected);
  }
}
