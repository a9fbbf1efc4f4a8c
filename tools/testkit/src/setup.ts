/**
 * Runs before every test file: the report says how many cases each test checked, equal bytes and values are found equal
 * at once, and folders are removed.
 */
import { afterAll, afterEach, expect } from "vitest";
import "./equality.js";
import { removeTemporaryFolders } from "./folder.js";

declare module "vitest" {
  interface TaskMeta {
    cases?: number;
  }
}

afterEach(({ task }) => {
  task.meta.cases = expect.getState().assertionCalls;
});

afterAll(removeTemporaryFolders);
