/**
 * Runs before every test file: records how many cases each test checked, compares equal bytes and values as a whole, and
 * afterwards closes web servers and removes folders.
 */
import { afterAll, afterEach, expect } from "vitest";
import "./equality.js";
import { removeTemporaryFolders } from "./folder.js";
import { closeWebServers } from "./web/web-server.js";

declare module "vitest" {
  interface TaskMeta {
    cases?: number;
  }
}

afterEach(({ task }) => {
  task.meta.cases = expect.getState().assertionCalls;
});

afterAll(closeWebServers);
afterAll(removeTemporaryFolders);
