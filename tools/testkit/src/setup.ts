/**
 * Runs before every test file: the report says how many cases each test checked, and equal bytes and values are found
 * equal at once.
 */
import { afterEach, expect } from "vitest";
import "./equality.js";

declare module "vitest" {
  interface TaskMeta {
    cases?: number;
  }
}

afterEach(({ task }) => {
  task.meta.cases = expect.getState().assertionCalls;
});
