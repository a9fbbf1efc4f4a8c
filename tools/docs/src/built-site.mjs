/** The site as it is built: its files, the links between its pages, and what they load. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { docsFolder } from "./folders.mjs";

export const distFolder = join(docsFolder, ".vitepress", "dist");

/** Every file of the site, as path with slashes; those of the explorer, which has tests of its own, stand for themselves. */
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
 * Links that lead nowhere: to a file that is not there, or to a heading that the page does not have.
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

/** Code shows links that are none. @param {string} html */
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

/** What pages load from elsewhere: scripts, styles, pictures, fonts. Links that a reader follows are not among it. */
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
