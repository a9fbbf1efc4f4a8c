/**
 * Checks links from sources and pages to sections of the specification: `docs/spec/cfile.md#55-rle`, relative
 * to the root of the repository.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { githubSlug } from "../../../docs/.vitepress/github-slug.js";
import { root } from "../src/folders.mjs";

const LINK = /docs\/spec\/[\w-]+\.md(?:#[\w-]+)?/g;
/**
 * A section given by its number only: "specification 5.5", "(specification kudu-wal, 2 and 3)", "section 7 of
 * the specification".
 */
const NUMBERED =
  /\bspecification[^.:;()]{0,30}?\s(?:\d(?!\d*-bit)|appendix [AB]\b)|\b(?:sections? \d[\d.]*|appendix [AB]) of [^.]{0,30}specification/gi;
const SKIPPED = new Set(["node_modules", "dist", "generated", "reports", "api", "cache", ".turbo"]);
/** Folders that exist while an example runs. */
const EXAMPLES = ".readme-example-";
const READ = /\.(?:ts|tsx|mts|mjs|js|vue|proto|java|md)$/;

const texts = new Map(
  [
    ...["packages", "tools", "docs", "fixtures", ".changeset"].flatMap(filesIn),
    "README.md",
    "CONTRIBUTING.md",
  ]
    .filter((file) => file !== "tools/docs/test/specification-links.test.ts")
    .map((file) => [file, readFileSync(join(root, file), "utf8")]),
);

const sections = new Map(
  [...texts]
    .filter(([file]) => file.startsWith("docs/spec/"))
    .map(([file, text]) => [file, new Set(headings(text).map(githubSlug))]),
);

it("links point to existing sections", () => {
  const links = [...texts].flatMap(([file, text]) =>
    Array.from(text.matchAll(LINK), ([link]) => ({ file, link })),
  );
  expect(links.length).toBeGreaterThan(200);
  expect(links.filter(({ link }) => !pointsToSection(link))).toEqual([]);
});

it("every mention of a section is a link", () => {
  const numbered = [...texts].flatMap(([file, text]) =>
    Array.from(flowing(text).matchAll(NUMBERED), ([found]) => `${file}: ${found}`),
  );
  expect(numbered).toEqual([]);
});

function pointsToSection(link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const found = sections.get(path);
  return found !== undefined && (anchor === undefined || found.has(anchor));
}

function headings(markdown: string): string[] {
  const text = markdown.replace(/^```[\s\S]*?^```$/gm, "");
  return Array.from(text.matchAll(/^#+ (.*)$/gm), ([, heading = ""]) => heading);
}

/** Joins the lines of a comment. */
function flowing(text: string): string {
  return text.replace(/\s*\n\s*(?:\*|\/\/)?\s*/g, " ");
}

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      return SKIPPED.has(entry.name) || entry.name.startsWith(EXAMPLES) ? [] : filesIn(path);
    }
    return READ.test(entry.name) && entry.name !== "CHANGELOG.md" ? [path] : [];
  });
}
