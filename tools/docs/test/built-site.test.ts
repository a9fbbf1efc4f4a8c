import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  brokenLinks,
  builtFiles,
  builtText,
  distFolder,
  gzippedSize,
  loadedFromElsewhere,
} from "../src/built-site.mjs";
import { packages } from "../src/folders.mjs";
import { sourcePages } from "../src/source-pages.mjs";

/** Maximum size of gzipped scripts on the first visit, in bytes. */
const SCRIPT_BUDGET = 150 * 1024;

const files = builtFiles();

it("has a page for each source page, package and API", () => {
  const expected = [
    ...sourcePages().map((page) => page.replace(/\.md$/, ".html")),
    "cli.html",
    ...packages().map(({ folder }) => `packages/${folder}.html`),
    ...packages().flatMap(({ entries }) => entries.map(({ page }) => `api/${page}.html`)),
  ];
  expect(expected.filter((page) => !files.includes(page))).toEqual([]);
});

it("has no broken links", () => {
  expect(brokenLinks()).toEqual([]);
});

it("loads nothing from another host", () => {
  expect(loadedFromElsewhere()).toEqual([]);
});

it("shows every export of the packages in the API reference", () => {
  const html = builtText("api/varint.html");
  const source = readFileSync(join(distFolder, "../../../packages/varint/src/index.ts"), "utf8");
  const names = Array.from(source.matchAll(/\b(?:read|write)[A-Z]\w*|\b[A-Z_0-9]{8,}\b/g), ([name]) => name);
  expect(names.filter((name) => !html.includes(name))).toEqual([]);
  expect(names.length).toBeGreaterThan(10);
});

it("loads little script before the front page renders", () => {
  const html = builtText("index.html");
  const scripts = new Set(
    Array.from(html.matchAll(/(?:src|href)="\/(assets\/[^"]*\.js)"/g), ([, file = ""]) => file),
  );
  const bytes = [...scripts].reduce((sum, file) => sum + gzippedSize(file), 0);
  expect(scripts.size).toBeGreaterThan(2);
  expect(bytes).toBeLessThan(SCRIPT_BUDGET);
});
