/** The site: where its pages are, how they look, what is searched. */
import { defineConfig } from "vitepress";
import { githubSlug } from "./github-slug.js";
import { linksOfSources } from "./links-of-sources.js";
import { navigation, sidebar } from "./sidebar.js";

export default defineConfig({
  title: "cfile",
  description: "Read, write, search, verify and recover Apache Kudu's columnar files in TypeScript",
  lang: "en",
  base: process.env["DOCS_BASE"] ?? "/",
  srcExclude: ["README.md", "node_modules/**"],
  head: [
    [
      "link",
      {
        rel: "icon",
        href: "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'><path fill='%231f6f8b' d='M0 0h2v8H0zM3 2h2v6H3zM6 4h2v4H6z'/></svg>",
      },
    ],
  ],
  // A separate application, copied next to the pages by the build.
  ignoreDeadLinks: [/^\/explorer\//],
  // Do not prefetch pages that the reader may never open.
  router: { prefetchLinks: false },
  markdown: {
    // Makes links to headings work both in the repository and on the site.
    anchor: { slugify: githubSlug },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config: (markdown) => linksOfSources(markdown),
  },
  themeConfig: {
    nav: navigation(),
    sidebar: sidebar(),
    outline: [2, 3],
    search: {
      provider: "local",
      options: {
        detailedView: true,
        // Index prose, not code: the index is smaller, and code is not highlighted twice.
        _render: (source, env, markdown) =>
          markdown.render(source.replace(/^(`{3,})[^`][\s\S]*?^\1$/gm, ""), env),
      },
    },
    externalLinkIcon: true,
  },
  vite: {
    // No component uses Vue's options API; pages are smaller without it.
    define: { __VUE_OPTIONS_API__: "false" },
    worker: { format: "es" },
    build: { target: "es2022", chunkSizeWarningLimit: 2000, reportCompressedSize: false },
    esbuild: { target: "es2022" },
    optimizeDeps: { esbuildOptions: { target: "es2022" } },
    server: { fs: { allow: [".."] } },
  },
});
