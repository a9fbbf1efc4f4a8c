/**
 * READMEs and other pages of the repository are shown in the site as they are. Their links lead to files; here they are led to
 * the pages that those files have in the site.
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
  const closesNothing: number[] = [];
  markdown.renderer.rules["link_open"] = (tokens, index, options, env: MarkdownEnv, self) => {
    const href = tokens[index]?.attrGet("href") ?? "";
    if (/^(?:[a-z]+:|[#/])/.test(href)) {
      closesNothing.push(0);
      return renderOpen?.(tokens, index, options, env, self) ?? self.renderToken(tokens, index, options);
    }
    const target = pageOf(href, env);
    if (target === undefined) {
      // The file has no page: its name stays, as text.
      closesNothing.push(1);
      return "<span>";
    }
    tokens[index]?.attrSet("href", target);
    closesNothing.push(0);
    return renderOpen?.(tokens, index, options, env, self) ?? self.renderToken(tokens, index, options);
  };
  markdown.renderer.rules["link_close"] = (tokens, index, options, _env, self) =>
    closesNothing.pop() === 1 ? "</span>" : self.renderToken(tokens, index, options);
}

/** Where a link of a page leads in the site; `undefined` for files that are not shown in it. */
function pageOf(href: string, env: MarkdownEnv): string | undefined {
  const [path = "", hash] = href.split("#");
  const source: unknown = env.frontmatter?.["source"];
  const page = env.path;
  const from = typeof source === "string" ? join(dirname(page), source) : page;
  const target = relative(root, join(dirname(from), path)).replaceAll("\\", "/");
  const anchor = hash === undefined ? "" : `#${hash}`;
  const known = PAGES[target];
  if (known !== undefined) {
    // The sections of the README are not the front page's.
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
