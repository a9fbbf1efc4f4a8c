import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { pathToGolden, temporaryFolder } from "@cfile-tools/testkit";
import { openCFile } from "cfile";
import { beforeAll, describe, expect, it } from "vitest";
import { bundleReader, type Chunk } from "../src/reader-chunks.mjs";

const GOLDEN = pathToGolden("");
/** Larger files use the same encodings. */
const MAX_FILE_BYTES = 20_000;

let folder: string;
let chunks: Chunk[];
let bundled: { openCFile: typeof openCFile };

beforeAll(async () => {
  folder = temporaryFolder();
  const bundle = await bundleReader(folder);
  chunks = bundle.chunks;
  bundled = await import(pathToFileURL(bundle.entry).href);
});

/** The golden files, grouped by the code that a reader loads for them. */
function filesByKind(): [string, string[]][] {
  const kinds = new Map<string, string[]>();
  for (const name of readdirSync(GOLDEN).filter((file) => file.endsWith(".cfile"))) {
    if (statSync(join(GOLDEN, name)).size <= MAX_FILE_BYTES) {
      const { array, compression, encoding, nullable } = JSON.parse(
        readFileSync(join(GOLDEN, name.replace(".cfile", ".json")), "utf8"),
      );
      const cells = array ? "arrays" : nullable ? "nulls" : "values";
      const kind = `${encoding} ${compression} ${cells}`;
      kinds.set(kind, [...(kinds.get(kind) ?? []), name]);
    }
  }
  return [...kinds].sort();
}

describe("the reader as a page loads it", () => {
  it.each(filesByKind())("scans files of %s", async (_, names) => {
    for (const name of names) {
      const bytes = new Uint8Array(readFileSync(join(GOLDEN, name)));
      const expected = await (await openCFile(bytes)).toArray();
      expect(await (await bundled.openCFile(bytes)).toArray(), name).toEqual(expected);
    }
  });

  it("contains no writer code, and loads zlib, HTTP, search and verification code on demand", () => {
    const modules = chunks.flatMap(({ atStart, modules }) => modules.map((path) => ({ path, atStart })));
    const paths = modules.map(({ path }) => path);
    const writers = /lz4-encode|rle-encoder|prefix-builder|writer\.js$|generated\/encode/;
    expect(paths.filter((path) => writers.test(path))).toEqual([]);
    const atStart = modules.filter((module) => module.atStart).map(({ path }) => path);
    for (const later of [
      /pako/,
      /http-source/,
      /value-search/,
      /select-rows/,
      /verify\.js$/,
      /bitshuffle-block/,
    ]) {
      expect(paths.some((path) => later.test(path))).toBe(true);
      expect(atStart.filter((path) => later.test(path))).toEqual([]);
    }
  });
});
