/** The built site: its files, the links between its pages, and what they load. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { docsFolder } from "./folders.mjs";

export const distFolder = join(docsFolder, ".vitepress", "dist");

/** All files of the site, with slashes in paths. The explorer is left out: it has its own tests. */
export function builtFiles() {
  return allFiles().filter((file) => !file.startsWith("explorer/"));
}

export function explorerFiles() {
  return allFiles().filter((file) => file.startsWith("explorer/"));
}

function allFiles() {
  return walk(distFolder).map((file) => relative(distFolder, file).replaceAll("\\", "/"));
}

/** @returns {string[]} */
function walk(/** @type {string} */ folder) {
  return readdirSync(folder).flatMap((entry) => {
    const path = join(folder, entry);
    return statSync(path).isDirectory() ? walk(path) : [path];
  });
}

/** @param {string} file */
export function builtText(file) {
  return readFileSync(join(distFolder, file), "utf8");
}

/**
 * Broken links: to a missing file, or to a heading that the page does not have.
 * @returns {string[]} `page → link`
 */
export function brokenLinks() {
  const files = new Set(builtFiles());
  const pages = new Map(
    [...files].filter((file) => file.endsWith(".html")).map((file) => [file, withoutCode(builtText(file))]),
  );
  const anchors = new Map([...pages].map(([file, html]) => [file, idsOf(html)]));
  /** @type {string[]} */
  const broken = [];
  for (const [page, html] of pages) {
    for (const link of new Set(hrefsOf(html))) {
      if (/^(?:[a-z]+:|\/\/|\/explorer\/)/.test(link)) {
        continue;
      }
      const [path = "", hash = ""] = decodeURIComponent(link.replaceAll("&amp;", "&")).split("#");
      const target =
        path === ""
          ? page
          : fileOf(
              posix.join(
                "/",
                posix.dirname(page),
                path.startsWith("/") ? posix.relative(posix.join("/", posix.dirname(page)), path) : path,
              ),
              files,
            );
      if (target === undefined || (hash !== "" && anchors.get(target)?.has(hash) === false)) {
        broken.push(`${page} → ${link}`);
      }
    }
  }
  return broken;
}

/**
 * @param {string} path
 * @param {Set<string>} files
 */
function fileOf(path, files) {
  const name = path.replace(/^\//, "");
  return [name, `${name}.html`, posix.join(name, "index.html")].find((file) => files.has(file));
}

/**
 * Links within code do not count.
 * @param {string} html
 */
function withoutCode(html) {
  return html.replace(/<pre[\s\S]*?<\/pre>/g, "").replace(/<script[^>]*>[\s\S]*?<\/script>/g, "");
}

/** @param {string} html */
function hrefsOf(html) {
  return Array.from(html.matchAll(/\s(?:href|src)="([^"]*)"/g), ([, link = ""]) => link);
}

/** @param {string} html */
function idsOf(html) {
  return new Set(Array.from(html.matchAll(/\sid="([^"]*)"/g), ([, id = ""]) => id));
}

/**
 * Scripts, styles, images and fonts that pages load from other hosts. Links for readers to follow do not
 * count.
 */
export function loadedFromElsewhere() {
  /** @type {string[]} */
  const found = [];
  for (const file of builtFiles()) {
    const text = /\.(?:html|css)$/.test(file) ? builtText(file) : "";
    const loaded = file.endsWith(".css")
      ? text.matchAll(/(?:url\(\s*["']?|@import\s+["'])((?:https?:)?\/\/[^"')]*)/g)
      : withoutCode(text).matchAll(
          /<(?:link|script|img|source|iframe)\b[^>]*\s(?:href|src)="((?:https?:)?\/\/[^"]*)"/g,
        );
    found.push(...Array.from(loaded, ([, url]) => `${file}: ${url}`));
  }
  return found;
}

/** @param {string} file */
export function gzippedSize(file) {
  return gzipSync(readFileSync(join(distFolder, file)), { level: 9 }).length;
}
