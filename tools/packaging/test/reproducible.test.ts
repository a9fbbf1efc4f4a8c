/** A short version of `pnpm reproduce`: rebuilds two packages from their sources. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@cfile-tools/testkit";
import { expect, test } from "vitest";
import { root } from "../src/published-packages.mjs";

const PACKAGES = ["bytes", "varint"];

function filesIn(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => /\.(?:js|ts|map)$/.test(name)).sort();
  return new Map(files.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

test("a second build in another folder gives the same files", () => {
  const folder = temporaryFolder();
  cpSync(join(root, "tsconfig.base.json"), join(folder, "tsconfig.base.json"));
  for (const name of PACKAGES) {
    for (const part of ["src", "package.json", "tsconfig.json"]) {
      cpSync(join(root, "packages", name, part), join(folder, "packages", name, part), { recursive: true });
    }
  }
  mkdirSync(join(folder, "node_modules/@cfile"), { recursive: true });
  symlinkSync(join(folder, "packages/bytes"), join(folder, "node_modules/@cfile/bytes"));
  execFileSync(join(root, "node_modules/.bin/tsc"), ["-b", join(folder, "packages/varint")], {
    timeout: 25_000,
  });
  for (const name of PACKAGES) {
    const built = filesIn(join(root, "packages", name, "dist"));
    expect(built.size).toBeGreaterThan(8);
    expect(filesIn(join(folder, "packages", name, "dist"))).toEqual(built);
  }
});
