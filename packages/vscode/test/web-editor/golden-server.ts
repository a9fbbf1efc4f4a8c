/** A web server with the built extension, the test files with lists of their folders, and the page of the test. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import {
  type FileServer,
  type ServedFile,
  serveFiles,
  temporaryFolder,
  unpackTar,
} from "@cfile-tools/testkit";
import { build } from "esbuild";

export const GOLDEN = join(import.meta.dirname, "../../../../fixtures/golden");
export const HUDI_TABLE = "hudi-table/mor_v9";
const DIST = join(import.meta.dirname, "../../dist");
const TYPES: Readonly<Record<string, string>> = { js: "text/javascript", css: "text/css" };

/** The test files are below `golden/`; the archive of a Hudi table is a folder. */
export async function goldenServer(): Promise<FileServer> {
  const files: Record<string, ServedFile> = { "favicon.ico": { body: "" } };
  const add = (path: string, from: string): void => {
    files[path] = {
      // Read only when requested.
      get body() {
        return readFileSync(from);
      },
      type: TYPES[from.split(".").at(-1) ?? ""] ?? "application/octet-stream",
    };
  };
  const addFolder = (path: string, from: string): void => {
    const entries = readdirSync(from, { withFileTypes: true });
    const list = entries.map((entry) => ({ name: entry.name, type: entry.isFile() ? "file" : "directory" }));
    files[`${path}/`] = { body: JSON.stringify(list), type: "application/json" };
    for (const entry of entries) {
      (entry.isFile() ? add : addFolder)(`${path}/${entry.name}`, join(from, entry.name));
    }
  };
  addFolder("extension/dist", DIST);
  addFolder("golden", GOLDEN);
  const extracted = temporaryFolder();
  for (const [path, bytes] of unpackTar(gunzipSync(readFileSync(join(GOLDEN, `${HUDI_TABLE}.tar.gz`))))
    .files) {
    mkdirSync(dirname(join(extracted, path)), { recursive: true });
    writeFileSync(join(extracted, path), bytes);
  }
  addFolder(`golden/${HUDI_TABLE}`, extracted);
  const bundle = await build({
    entryPoints: [join(import.meta.dirname, "extension-host.ts")],
    bundle: true,
    format: "esm",
    target: "es2022",
    write: false,
  });
  files["extension-host.js"] = { body: bundle.outputFiles[0]?.contents ?? "", type: "text/javascript" };
  files["index.html"] = { body: "<!doctype html><title>editor</title>", type: "text/html" };
  // The page of a real editor has another origin.
  return serveFiles(files, { crossOrigin: true });
}
