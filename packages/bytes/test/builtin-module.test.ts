import * as os from "node:os";
import { afterEach, expect, test, vi } from "vitest";
import { builtinModule } from "../src/index.js";

afterEach(() => {
  vi.unstubAllGlobals();
});

test("finds the modules of Node", () => {
  expect(builtinModule<{ "node:os": typeof os }, "node:os">("node:os")?.tmpdir).toBe(os.tmpdir);
});

test.each([
  ["no process", undefined],
  ["a process without getBuiltinModule", {}],
  ["a getBuiltinModule that knows none", { getBuiltinModule: () => undefined }],
])("%s: undefined", (_name, process) => {
  vi.stubGlobal("process", process);
  expect(builtinModule<{ "node:os": typeof os }, "node:os">("node:os")).toBeUndefined();
});
