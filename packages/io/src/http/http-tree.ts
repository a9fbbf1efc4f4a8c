/**
 * Folders on a web server that answers a request for a folder with a list of its files: as a page of links, like nginx, Apache and
 * `python -m http.server`, or as JSON, like nginx with `autoindex_format json`.
 */
import { CFileError, corrupt } from "@cfile/bytes";
import { type FileTree, namesOf, pathIn, type TreeEntry } from "../directory/file-tree.js";
import { sourceError } from "../source/byte-source.js";
import type { HttpResponse } from "./http-response.js";
import { type HttpSourceOptions, httpSource } from "./http-source.js";
import { wholeBody } from "./response-body.js";
import { retryAfterOf } from "./retry-after.js";
import { sendRequest } from "./send-request.js";

/** Maximum size of a list, in bytes. */
const MAX_LIST = 64 * 1024 * 1024;

/**
 * The tree at an `http:` or `https:` URL. Nothing is requested before the first call.
 *
 * `list` throws `CFileError`: `E_NOT_FOUND` for 404 and 410, `E_CORRUPT` for a response that is not a list, `E_IO` for everything else.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` for an invalid option, and for a URL with a user name or a password
 */
export function httpTree(url: string | URL, options: HttpSourceOptions = {}): FileTree {
  const root = String(url).replace(/\/*$/, "");
  // Checks the URL and the options.
  httpSource(root, options);
  const urlOf = (path: string): string => [root, ...namesOf(path).map(encodeURIComponent)].join("/");
  return {
    name: root,
    list: async (folder) => listFolder(`${urlOf(folder)}/`, pathIn(root, folder), options),
    openSource: async (path) => httpSource(urlOf(path), options),
  };
}

async function listFolder(url: string, path: string, options: HttpSourceOptions): Promise<TreeEntry[]> {
  let text: string;
  let isJson: boolean;
  try {
    const response = await sendRequest(url, { Accept: "application/json, text/html" }, options);
    requireList(response, path);
    isJson = response.headers.get("Content-Type")?.includes("json") === true;
    const body = await wholeBody(response, MAX_LIST, path, () => undefined);
    text = new TextDecoder().decode(body.between(0, MAX_LIST, (size) => new Uint8Array(size)));
  } catch (error) {
    throw sourceError(error, path, undefined);
  }
  return isJson ? jsonEntries(text, path) : linkedEntries(text, url);
}

function requireList(response: HttpResponse, path: string): void {
  const { status } = response;
  if (status === 404 || status === 410) {
    throw new CFileError("E_NOT_FOUND", `no such folder (status ${status})`, { path });
  }
  if (status !== 200) {
    throw new CFileError("E_IO", `cannot list the folder: status ${status} (expected 200)`, {
      path,
      field: "status",
      expected: 200,
      actual: status,
      cause: retryAfterOf(response, Date.now()),
    });
  }
}

/** `[{"name": …, "type": "file" or "directory"}]`. */
function jsonEntries(text: string, path: string): TreeEntry[] {
  let listed: unknown;
  try {
    listed = JSON.parse(text);
  } catch (cause) {
    throw corrupt("the list of a folder is not valid JSON", { path, field: "list", cause });
  }
  if (!Array.isArray(listed)) {
    throw corrupt("the list of a folder is not an array", { path, field: "list" });
  }
  return listed.flatMap((entry: unknown) => {
    const isEntry = typeof entry === "object" && entry !== null && "name" in entry && "type" in entry;
    return isEntry ? entryOf(String(entry.name), entry.type === "directory") : [];
  });
}

/** Links to names in the folder. */
function linkedEntries(html: string, url: string): TreeEntry[] {
  const base = new URL(url);
  const entries = new Map<string, TreeEntry>();
  for (const [, , link = ""] of html.matchAll(/<a\s[^>]*?href\s*=\s*(["'])(.*?)\1/gis)) {
    const text = link.replaceAll("&amp;", "&").replaceAll("&#39;", "'");
    const target = URL.canParse(text, base) ? new URL(text, base) : undefined;
    const isBelow = target?.origin === base.origin && target.pathname.startsWith(base.pathname);
    const rest = isBelow && target.search === "" ? target.pathname.slice(base.pathname.length) : "";
    for (const entry of entryOf(decoded(rest.replace(/\/$/, "")), rest.endsWith("/"))) {
      entries.set(entry.name, entry);
    }
  }
  return [...entries.values()];
}

function entryOf(name: string, isFolder: boolean): TreeEntry[] {
  return name === "" || /[/\\\0]/.test(name) || /^\.{1,2}$/.test(name)
    ? []
    : [{ name, kind: isFolder ? "folder" : "file" }];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
