import { spawnSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pathToGolden, temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";

const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const SERVER = pathToGolden("servers/file/ts");
const folder = temporaryFolder();

function again(tables: readonly unknown[]): { status: number | null; stdout: string } {
  writeFileSync(join(folder, "client.json"), JSON.stringify(tables));
  const { status, stdout } = spawnSync(process.execPath, [MAIN, "--again", folder], {
    encoding: "utf8",
    timeout: 25_000,
  });
  return { status, stdout };
}

describe("the data of a failed round", () => {
  it("is compared again without a server", () => {
    symlinkSync(SERVER, join(folder, "ts"));
    expect(again([])).toEqual({ status: 0, stdout: `${folder}: the same as before\n` });
    const rows = { "00000000000000000000000000000000": ["1"] };
    const table = { name: "gone", columns: ["k"], snapshots: [{ timestamp: "1", rows }], diffs: [] };
    const { status, stdout } = again([table]);
    expect(status).toBe(1);
    expect(stdout).toContain("table gone, tablet 00000000000000000000000000000000, asOf 1: ");
  });
});
