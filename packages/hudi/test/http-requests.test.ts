import { fileOf, keyOf, partitionOf, syntheticTable } from "@cfile-tools/hudi-synthetic";
import { type ServedFile, serveFiles } from "@cfile-tools/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import { findLocations, getRecord, openHudiTable } from "../src/index.js";
import { unpack } from "./golden-table.js";

const STORED = 77;

/** Files on a server that lists folders. */
function served(files: ReadonlyMap<string, Uint8Array>): Record<string, ServedFile> {
  const all: Record<string, ServedFile> = {};
  const folders = new Map<string, Set<string>>();
  for (const [path, body] of files) {
    all[path] = { body };
    const names = path.split("/");
    names.forEach((name, depth) => {
      const folder = names
        .slice(0, depth)
        .map((each) => `${each}/`)
        .join("");
      const entries = folders.get(folder) ?? new Set();
      folders.set(folder, entries.add(depth < names.length - 1 ? `${name}/` : name));
    });
  }
  for (const [folder, names] of folders) {
    const links = [...names].map(
      (name) => `<a href="./${name.split("/").map(encodeURIComponent).join("/")}">x</a>`,
    );
    all[folder === "" ? "index.html" : folder] = { type: "text/html", body: links.join("") };
  }
  return all;
}

describe("requests of a table of 10,000 partitions over HTTP", () => {
  let server: Awaited<ReturnType<typeof serveFiles>>;

  beforeAll(async () => {
    server = await serveFiles(served(await syntheticTable(10_000, STORED)));
  });

  const traffic = () => ({
    requests: server.served.length,
    bytes: server.served.reduce((sum, { bytes }) => sum + bytes, 0),
  });

  test("the files of one partition take at most 6 requests and 256 KiB", async () => {
    server.served.length = 0;
    const table = await openHudiTable(server.url);
    expect([...(await table.filesOf(partitionOf(4321)))]).toEqual([[fileOf(4321), 5321]]);
    const { requests, bytes } = traffic();
    expect(requests).toBeLessThanOrEqual(6);
    expect(bytes).toBeLessThanOrEqual(256 * 1024);
  });

  test("the location of a record key takes at most 5 requests", async () => {
    server.served.length = 0;
    const table = await openHudiTable(server.url);
    const { metadata } = table;
    const found = metadata && (await findLocations(metadata, [keyOf(STORED)]));
    expect(found?.get(keyOf(STORED))).toMatchObject({ partition: partitionOf(STORED) });
    expect(traffic().requests).toBeLessThanOrEqual(5);
  });

  // Properties, timeline, record index (list and HFile), files (list and HFile), the schema in the last commit, and the base file.
  test("the row of a record key takes at most 8 requests", async () => {
    server.served.length = 0;
    const table = await openHudiTable(server.url);
    const { row, location } = await getRecord(table, keyOf(STORED));
    expect(location?.partition).toBe(partitionOf(STORED));
    expect(row?.columns.map((column) => column.get(0)).slice(-2)).toEqual([keyOf(STORED), String(STORED)]);
    const { requests, bytes } = traffic();
    expect(requests).toBeLessThanOrEqual(8);
    expect(bytes).toBeLessThanOrEqual(512 * 1024);
  });
});

describe("a golden table over HTTP", () => {
  test("is read through listed folders", async () => {
    const server = await serveFiles(served(unpack("cow_v9").files));
    const table = await openHudiTable(server.url);
    expect(await table.partitions()).toHaveLength(8);
    const [first = ""] = await table.partitions();
    expect((await table.slices(first)).length).toBeGreaterThan(0);
  });
});
