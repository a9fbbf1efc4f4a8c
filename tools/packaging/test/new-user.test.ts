import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "@cfile-tools/testkit";
import { build } from "esbuild";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { publishedPackages } from "../src/published-packages.mjs";
import { packedPackages } from "./packed-packages.js";

// Packing and installing all packages takes minutes.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const tsc = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));
const entries = publishedPackages.flatMap((published) => published.entries);
let project: string;

/** Runs a command in the project and returns its output. */
function run(command: string, args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: project,
    encoding: "utf8",
    env: environment(),
    timeout: 240_000,
    shell: process.platform === "win32" && command !== process.execPath,
  });
  expect(status, `${command} ${args.join(" ")}\n${error?.message ?? ""}${stdout}${stderr}`).toBe(0);
  return stdout;
}

/** The environment of this process, without the settings of npm and pnpm for this repository. */
function environment(): NodeJS.ProcessEnv {
  const about = /^npm_(package|lifecycle|command|execpath|config_(local_prefix|global_prefix|prefix))/i;
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !about.test(name))),
    NODE_OPTIONS: "",
    NO_COLOR: "1",
  };
}

beforeAll(() => {
  project = temporaryFolder();
  cpSync(fileURLToPath(new URL("new-user", import.meta.url)), project, { recursive: true });
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "new-user", private: true }));
  const tarballs = packedPackages().map(({ tarball }) => tarball);
  run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error", ...tarballs]);
});

describe("an empty project with the packages installed from their tarballs", () => {
  it("imports every entry point", () => {
    const lines = run(process.execPath, ["import-all.mjs", ...entries])
      .trim()
      .split("\n");
    expect(lines).toHaveLength(entries.length);
    expect(lines.filter((line) => line.endsWith(" 0"))).toEqual([]);
  });

  it("requires every entry point from CommonJS", () => {
    const lines = run(process.execPath, ["require-all.cjs", ...entries])
      .trim()
      .split("\n");
    expect(lines).toHaveLength(entries.length);
  });

  it("writes a file and reads it back", () => {
    expect(run(process.execPath, ["round-trip.mjs"])).toBe("[1,2,3,-4,5]\n");
  });

  it("has the cfile command", () => {
    const command = join("node_modules", ".bin", "cfile");
    expect(run(command, ["--help"])).toContain("cfile");
    expect(run(command, ["--version"])).toMatch(/^\d+\.\d+\.\d+/);
  });

  it.each([
    ["NodeNext", "NodeNext"],
    ["ESNext", "Bundler"],
  ])(
    "type-checks strictly with module %s and resolution %s, the packages' declarations too",
    (module, moduleResolution) => {
      const compilerOptions = {
        module,
        moduleResolution,
        target: "ES2022",
        lib: ["ES2022", "DOM", "DOM.AsyncIterable", "ESNext.Disposable"],
        types: [],
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        noEmit: true,
      };
      const config = `tsconfig.${moduleResolution}.json`;
      writeFileSync(join(project, config), JSON.stringify({ compilerOptions, files: ["typed.mts"] }));
      expect(run(process.execPath, [tsc, "-p", config])).toBe("");
    },
  );

  it("type-checks with what `tsc --init` gives an older project", () => {
    const compilerOptions = {
      module: "NodeNext",
      target: "ES2022",
      types: [],
      strict: true,
      skipLibCheck: true,
      noEmit: true,
    };
    writeFileSync(
      join(project, "tsconfig.plain.json"),
      JSON.stringify({ compilerOptions, files: ["typed.mts"] }),
    );
    expect(run(process.execPath, [tsc, "-p", "tsconfig.plain.json"])).toBe("");
  });
});

describe("a page's script, bundled", () => {
  const bundle = () => readFileSync(join(project, "page.bundle.mjs"), "utf8");

  beforeAll(async () => {
    const { warnings } = await build({
      absWorkingDir: project,
      entryPoints: ["page.js"],
      outfile: "page.bundle.mjs",
      bundle: true,
      format: "esm",
      platform: "browser",
      logLevel: "silent",
    });
    expect(warnings).toEqual([]);
  });

  it("loads no Node modules", () => {
    expect(bundle()).not.toMatch(/^\s*import\b/m);
    expect(bundle()).not.toMatch(/\brequire\(\s*["'`]|\bimport\(\s*["'`]node:/);
  });

  it("generates no code at run time, so it runs under a strict content security policy", () => {
    expect(bundle()).not.toMatch(/\beval\(|\bnew Function\(|[^.\w]Function\(/);
  });

  it("runs without Node's globals", () => {
    const printed = JSON.parse(run(process.execPath, ["without-node.mjs"]));
    expect(printed).toEqual({ rows: ["one", "two", "one"], node: false });
  });
});
