/** The sidebar. Listed pages that do not exist are left out; pages that are not listed are added. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DefaultTheme } from "vitepress";

const docs = fileURLToPath(new URL("..", import.meta.url));

type Entry = readonly [page: string, title: string];

const GUIDES: readonly Entry[] = [
  ["guide/pick-an-encoder", "Pick an encoder"],
  ["guide/read-and-write", "Read and write files"],
  ["guide/share-a-row", "Share a link to a row"],
  ["guide/inspect-and-rescue", "Inspect and recover Kudu files"],
  ["guide/cluster-down", "A cluster is down: get the tables out"],
  ["guide/kudu-to-iceberg", "Move a table from Kudu to Iceberg"],
  ["guide/hbase-snapshot", "Read an HBase snapshot without HBase"],
  ["guide/contribute-a-package", "Contribute a package"],
];

const CONCEPTS: readonly Entry[] = [["concepts", "Row set, delta, snapshot"]];

const RECIPES: readonly Entry[] = [
  ["recipes/csv-in", "Import CSV"],
  ["recipes/arrow-out", "Export to Arrow or Parquet"],
  ["recipes/http-lookups", "Look up values over HTTP"],
  ["recipes/time-travel", "Read a table as of a past time"],
  ["recipes/recovery", "Recover a damaged file"],
  ["recipes/parquet-without-footer", "Recover a Parquet file without a footer"],
  ["recipes/compare-tables", "Compare two tables"],
];

const FORMAT: readonly Entry[] = [
  ["format/index", "The file as a whole"],
  ["format/primitives", "Numbers and bits"],
  ["format/rle", "RLE"],
  ["format/header-and-footer", "Header and footer"],
  ["format/data-blocks", "Data blocks, nulls, arrays"],
  ["format/plain", "Plain"],
  ["format/prefix", "Prefix"],
  ["format/bitshuffle", "Bitshuffle"],
  ["format/dictionary", "Dictionary"],
  ["format/compression", "Compression and checksums"],
  ["format/indexes", "Indexes and keys"],
  ["format/bloom", "Bloom files"],
  ["format/delta", "Delta files"],
  ["format/superblocks", "Superblocks"],
  ["format/containers", "Containers and journals"],
  ["format/write-ahead-log", "Write-ahead log"],
  ["format/sys-catalog", "sys.catalog"],
  ["format/hfile", "HFile"],
  ["format/hfile-encodings", "HFile encodings"],
  ["format/hudi-metadata-table", "Hudi's metadata table"],
  ["format/parquet-pages", "Parquet pages"],
  ["format/damage", "Damage a file"],
  ["format/power-cut", "A power cut in slow motion"],
  ["format/differences", "Where Kudu's document differs"],
];

const SPECIFICATION: readonly Entry[] = [
  ["spec/cfile", "CFile"],
  ["spec/bloomfile", "Bloom file"],
  ["spec/deltafile", "Delta file"],
  ["spec/diskrowset", "DiskRowSet"],
  ["spec/kudu-data-dir", "Kudu data directory"],
  ["spec/kudu-wal", "Kudu write-ahead log"],
  ["spec/kudu-cluster", "Kudu cluster"],
  ["spec/parquet", "Parquet pages"],
  ["spec/hfile", "HFile"],
  ["spec/hbase-table", "HBase table"],
  ["spec/hudi-table", "Hudi table"],
];

const REFERENCE: readonly Entry[] = [
  ["packages/cfile", "Packages"],
  ["cli", "The cfile command"],
  ["api/index", "API of every package"],
  ["figures", "Performance"],
  ["figures-over-time", "Performance over time"],
  ["reliability", "Reliability"],
  ["parquet-features", "Parquet features"],
  ["versioning", "Versions and migration"],
  ["test-data", "Test data"],
  ["contributing", "Contribute"],
];

export function navigation(): DefaultTheme.NavItem[] {
  return [
    { text: "Guides", link: "/guide/read-and-write", activeMatch: "^/(guide|recipes)/" },
    { text: "The format", link: "/format/", activeMatch: "^/(format|spec)/" },
    { text: "Packages", link: "/packages/cfile", activeMatch: "^/packages/" },
    { text: "Command", link: "/cli" },
    { text: "API", link: "/api/", activeMatch: "^/api/" },
    // The explorer is a separate application; the site's router must not treat it as a page.
    { text: "Explorer", link: "/explorer/index.html", target: "_self" },
  ];
}

/** Selected by the prefix of the page's path, so long lists appear only next to their own pages. */
export function sidebar(): DefaultTheme.SidebarMulti {
  return {
    "/packages/": [group("Packages", items(pagesIn("packages")))],
    "/api/": [group("API", items(pagesIn("api").filter(([page]) => page !== "api/index")))],
    "/": [
      group("Guides", items(GUIDES)),
      group("Concepts", items(CONCEPTS)),
      group("Recipes", items(RECIPES)),
      group("Topics", items(topics())),
      group("The format, explained", items(FORMAT)),
      group("Specification", items(SPECIFICATION)),
      group("Reference", items(REFERENCE)),
    ].filter((found) => (found.items?.length ?? 0) > 0),
  };
}

function group(text: string, found: DefaultTheme.SidebarItem[]): DefaultTheme.SidebarItem {
  return { text, items: found };
}

function items(entries: readonly Entry[]): DefaultTheme.SidebarItem[] {
  return entries
    .filter(([page]) => existsSync(join(docs, `${page}.md`)))
    .map(([page, text]) => ({ text, link: `/${page.replace(/(^|\/)index$/, "$1")}` }));
}

/** The pages directly in `docs/` that are not listed elsewhere, by title. */
function topics(): Entry[] {
  const listed = new Set(["index", "README", ...[...CONCEPTS, ...REFERENCE].map(([page]) => page)]);
  return readdirSync(docs)
    .filter((file) => file.endsWith(".md") && !listed.has(file.slice(0, -3)))
    .map((file) => [file.slice(0, -3), titleOf(join(docs, file))] as const);
}

function pagesIn(folder: string): Entry[] {
  if (!existsSync(join(docs, folder))) {
    return [];
  }
  return readdirSync(join(docs, folder))
    .filter((file) => file.endsWith(".md"))
    .map((file) => file.slice(0, -3))
    .sort((a, b) => Number(b === "cfile") - Number(a === "cfile") || (a < b ? -1 : 1))
    .map((page) => [`${folder}/${page}`, nameOf(join(docs, folder, `${page}.md`), page)] as const);
}

/** The import path of the page's package or entry; pages of the API have it in their heading. */
function nameOf(file: string, page: string): string {
  const entry = /^# API of (.*)$/m.exec(readFileSync(file, "utf8"))?.[1];
  return entry ?? (page === "cfile" ? "cfile" : `@cfile/${page}`);
}

/** The first heading, up to its first colon. */
function titleOf(file: string): string {
  const heading = /^# (.*)$/m.exec(readFileSync(file, "utf8"))?.[1] ?? file;
  return (heading.split(":")[0] ?? heading).replaceAll("`", "");
}
