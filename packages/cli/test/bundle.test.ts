/** The bundle of the command: which modules it loads, and that it finds all of its files. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { pathToGolden } from "@cfile-tools/testkit";
import { describe, expect, test } from "vitest";
import { goldenPath } from "./golden.js";
import { output } from "./run.js";

const execute = promisify(execFile);
const bundle = fileURLToPath(new URL("../dist/bundle/", import.meta.url));
const hooks = new URL("loaded-modules.mjs", import.meta.url).href;
const path = goldenPath("enc_int32_plain_n9");

async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { stdout, stderr } = await execute(
    process.execPath,
    ["--import", hooks, join(bundle, "cfile.js"), ...args],
    { env: { ...process.env, ...env } },
  );
  return { stdout, stderr };
}

/** The modules that a command loads from files. */
async function modulesOf(...args: string[]): Promise<string[]> {
  const { stderr } = await run(args, { LOADED_MODULES: "1" });
  return [...new Set(stderr.split("\n"))].filter((line) => line.startsWith("file:"));
}

describe("the bundled command", () => {
  test.each([
    ["--version", 3],
    ["--help", 5],
    ["--get-completions kudu check --", 10],
    [`inspect ${path}`, 25],
    [`kudu check ${pathToGolden("comes-back/ts")}`, 80],
  ])("%s loads at most %i modules, all of them chunks of the bundle", async (line, most) => {
    const modules = await modulesOf(...line.split(" "));
    expect(modules.length).toBeGreaterThan(0);
    expect(modules.length).toBeLessThanOrEqual(most);
    const others = modules.filter((url) => !url.startsWith(pathToFileURL(bundle).href));
    expect(others.filter((url) => !url.endsWith("loaded-modules.mjs"))).toEqual([]);
  });

  test.each(["kudu check --", "convert --", "table scan --format ", "head -"])(
    "completes the options of %s like the command that it has not loaded",
    async (line) => {
      const words = ["--get-completions", ...line.split(" ")];
      const { stdout } = await run(words);
      expect(stdout.split("\n").length).toBeGreaterThan(3);
      expect(stdout).toBe(await output(words));
    },
  );

  test("has the scripts of its threads, and the licenses of the packages in it", () => {
    for (const name of ["check-worker.js", "export-worker.js"]) {
      expect(existsSync(join(bundle, name))).toBe(true);
    }
    expect(readFileSync(join(bundle, "LICENSES.txt"), "utf8")).toMatch(/^csv-parse \d[\s\S]*MIT/m);
  });
});
