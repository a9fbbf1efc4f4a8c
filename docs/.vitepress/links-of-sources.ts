/**
 * Rewrites links of READMEs and other pages of the repository, which point to files, to the pages of those files in the site.
 */
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { MarkdownEnv, MarkdownRenderer } from "vitepress";

const root = fileURLToPath(new URL("../..", import.meta.url));
const docs = join(root, "docs");

/** Files outside `docs/` that have a page. */
const PAGES: Readonly<Record<string, string>> = {
  "README.md": "/",
  "docs/README.md": "/",
  "CONTRIBUTING.md": "/contributing",
  "RELIABILITY.md": "/reliability",
  "fixtures/README.md": "/test-data",
  "docs/api/index.html": "/api/",
};

export function linksOfSources(markdown: MarkdownRenderer): void {
  const renderOpen = markdown.renderer.rules["link_open"];
  /** For each open link, whether it is rendered as text. */
  const isText: boolean[] = [];
  markdown.renderer.rules["link_open"] = (tokens, index, options, env: MarkdownEnv, self) => {
    const href = tokens[index]?.attrGet("href") ?? "";
    const target = /^(?:[a-z]+:|[#/])/.test(href) ? href : pageOf(href, env);
    isText.push(target === undefined);
    if (target === undefined) {
      return "<span>";
    }
    tokens[index]?.attrSet("href", target);
    return renderOpen?.(tokens, index, options, env, self) ?? self.renderToken(tokens, index, options);
  };
  markdown.renderer.rules["link_close"] = (tokens, index, options, _env, self) =>
    isText.pop() ? "</span>" : self.renderToken(tokens, index, options);
}

/** The page of a linked file; `undefined` for files without a page. */
function pageOf(href: string, env: MarkdownEnv): string | undefined {
  const [path = "", hash] = href.split("#");
  const source: unknown = env.frontmatter?.["source"];
  const page = env.path;
  const from = typeof source === "string" ? join(dirname(page), source) : page;
  const target = relative(root, join(dirname(from), path)).replaceAll("\\", "/");
  const anchor = hash === undefined ? "" : `#${hash}`;
  const known = PAGES[target];
  if (known !== undefined) {
    // The front page does not have the sections of the README.
    return known === "/" ? known : known + anchor;
  }
  const readme = /^packages\/([^/]+)\/README\.md$/.exec(target);
  if (readme !== null) {
    return `/packages/${readme[1]}${anchor}`;
  }
  const inside = relative(docs, join(root, target)).replaceAll("\\", "/");
  if (inside.startsWith("..")) {
    return undefined;
  }
  return inside.endsWith(".md") ? `/${inside.slice(0, -3)}${anchor}` : href;
}
