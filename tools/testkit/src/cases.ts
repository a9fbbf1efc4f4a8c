/** How many cases a test checks: one for each `expect`, or as many as `checked` says that an `expect` compared. */
import { expect } from "vitest";

/** The `expect` before this call compared `count` cases at once, such as the values of a column. */
export function checked(count: number): void {
  expect.setState({ assertionCalls: expect.getState().assertionCalls + count - 1 });
}
