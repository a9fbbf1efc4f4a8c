/** Packages import each other only by their entries, never by a file in another package's `src` or `dist`. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../../..");
const SPECIFIER = /(?:\bfrom|\bimport|\bimport\(|\brequire\(|\bvi\.mock\()\s*["']([^"'\n]+)["']/g;
const SKIPPED = new Set([
  "node_modules",
  "dist",
  "reports",
  "results",
  "cache",
  ".turbo",
  "generated",
  "api",
]);

function* sourceFiles(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) {
      yield* sourceFiles(path);
    } else if (entry.isFile() && /\.(?:[cm]?[jt]sx?|vue)$/.test(entry.name)) {
      yield path;
    }
  }
}

/** The workspace package that contains a path. The documentation site and its tool count as one. */
function packageOf(path: string): string {
  const [top = "", name = ""] = relative(ROOT, path).split(sep);
  return top === "docs" ? "tools/docs" : `${top}/${name}`;
}

function reachesPast(file: string, specifier: string): boolean {
  const target = resolve(dirname(file), specifier);
  return specifier.startsWith(".")
    ? packageOf(target) !== packageOf(file) && !packageOf(target).startsWith("fixtures/")
    : /^(?:@cfile(?:-tools)?\/[^/]+|cfile)\/(?:src|dist|parts)\//.test(specifier);
}

it("packages import each other by their entries", () => {
  const files = ["packages", "tools", "docs"].flatMap((folder) => [...sourceFiles(join(ROOT, folder))]);
  expect(files.length).toBeGreaterThan(1000);
  const past = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(SPECIFIER)]
      .map(([, specifier = ""]) => specifier)
      .filter((specifier) => reachesPast(file, specifier))
      .map((specifier) => `${relative(ROOT, file)}: ${specifier}`),
  );
  expect(past).toEqual([]);
});
