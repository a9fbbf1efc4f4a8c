/**
 * Tests the library in real runtimes: each opens, scans, looks up, finds and writes golden files, from files
 * and over HTTP ranges.
 */

import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type FileServer, pathToGolden, readGolden, serveFiles, temporaryFolder } from "@cfile-tools/testkit";
import { build } from "esbuild";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { type ReadReport, SCANNED, WRITTEN } from "../src/exercise.mjs";
import { type Runtime, runtimeBinary } from "../src/runtime-binary.js";

// Starting other runtimes takes time.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const GOLDEN = pathToGolden("");
const PROGRAM = fileURLToPath(new URL("../src/run-with-files.mjs", import.meta.url));

interface Report {
  readonly fromFiles: ReadReport;
  readonly fromUrls: ReadReport;
}

let folder: string;
let web: FileServer;

beforeAll(async () => {
  folder = temporaryFolder();
  web = await serveFiles(
    Object.fromEntries(SCANNED.map((name) => [`${name}.cfile`, { body: readGolden(`${name}.cfile`) }])),
  );
});

/** Runs a program and returns its output. */
async function run(command: string, args: readonly string[]): Promise<string> {
  web.served.length = 0;
  const { stdout } = await promisify(execFile)(command, args, { encoding: "utf8", maxBuffer: 1 << 28 });
  return stdout;
}

/** The values in a golden file. Its JSON stores strings as hexadecimal bytes. */
function goldenValues(name: string): unknown[] {
  const { type, values }: { type: string; values: unknown[] } = JSON.parse(
    readFileSync(join(GOLDEN, `${name}.json`), "utf8"),
  );
  return type === "STRING" ? values.map((value) => Buffer.from(String(value), "hex").toString()) : values;
}

function expectGolden({ fromFiles, fromUrls }: Report, written: Uint8Array): void {
  for (const name of SCANNED) {
    expect(fromFiles.values[name], name).toEqual(goldenValues(name));
  }
  expect(fromFiles.row).toBe(fromFiles.values[WRITTEN]?.[2000]);
  expect(fromFiles.found).toEqual({ row: 500, exact: true });
  expect(fromUrls).toEqual(fromFiles);
  const ranged = web.served.filter(({ status }) => status === 206);
  expect(ranged.length).toBeGreaterThan(SCANNED.length);
  expect(written).toEqual(new Uint8Array(readFileSync(join(GOLDEN, `${WRITTEN}.cfile`))));
}

const WITH_FILES: readonly (readonly [string, () => string | undefined, readonly string[]])[] = [
  ["Node", () => process.execPath, []],
  ["Deno", () => runtimeBinary("deno"), ["run", "--quiet", "--allow-read", "--allow-write", "--allow-net"]],
  ["Bun", () => runtimeBinary("bun"), ["run"]],
];

describe.each(WITH_FILES)("%s", (name, binary, args) => {
  test("reads files and URLs, and writes bytes identical to Kudu's", async ({ skip }) => {
    const command = binary() ?? skip(`there is no ${name} for this platform`);
    const target = join(folder, `${name}.cfile`);
    const printed = await run(command, [...args, PROGRAM, GOLDEN, web.url, target]);
    expectGolden(JSON.parse(printed), new Uint8Array(readFileSync(target)));
  });
});

describe("workerd", () => {
  test("reads memory and URLs, and writes bytes identical to Kudu's", async ({ skip }) => {
    const runtime: Runtime = "workerd";
    const command = runtimeBinary(runtime) ?? skip("there is no workerd for this platform");
    await build({
      entryPoints: [fileURLToPath(new URL("../src/edge-worker.mjs", import.meta.url))],
      outfile: join(folder, "worker.mjs"),
      bundle: true,
      format: "esm",
      platform: "browser",
      target: "es2022",
      logLevel: "silent",
    });
    const config = join(folder, "config.capnp");
    writeFileSync(config, edgeConfig(web.url));
    const { written, ...report } = JSON.parse(await run(command, ["test", config]));
    expectGolden(
      report,
      Uint8Array.from(atob(written), (letter) => letter.charCodeAt(0)),
    );
  });
});

/** A single worker that may send requests to servers on this machine. */
function edgeConfig(address: string): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["private"])),
  ],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.mjs", esModule = embed "worker.mjs")],
  bindings = [(name = "URL", text = "${address}")],
  compatibilityDate = "2025-01-01",
);
`;
}
