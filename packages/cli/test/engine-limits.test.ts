import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const script = fileURLToPath(new URL("../dist/program/engine-limits.js", import.meta.url));

describe("limits of the engine", () => {
  it("are known to this version of V8, which would print others as errors", async () => {
    const program = `import(${JSON.stringify(script)}).then(({ expectLongRun }) => expectLongRun());`;
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ["-e", program]);
    expect({ stdout, stderr }).toEqual({ stdout: "", stderr: "" });
  });
});
