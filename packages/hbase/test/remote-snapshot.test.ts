/** Snapshots on a web server: a get reads only what it needs. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { utf8Bytes } from "@cfile/bytes";
import { HFileWriter } from "@cfile/hfile/write";
import { memorySink } from "@cfile/io";
import { messageBytes } from "@cfile/protobuf/write";
import { type ServedFile, serveFiles } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { encodeSnapshotDescription, encodeSnapshotManifest } from "../src/generated/encode.js";
import { type HBaseRoot, openHBaseRoot } from "../src/index.js";
import { encodedRegionName } from "../src/root/region-info.js";
import { ROOT_PATH } from "./golden.js";

const REGIONS = 1000;
const TABLE = { namespace: "default", table: "wide" };
const REGION_ID = 1795332480215;
const HFILE = "0123456789abcdef0123456789abcdef";

function startKey(region: number): Uint8Array {
  return region === 0 || region === REGIONS
    ? new Uint8Array(0)
    : utf8Bytes(`row${String(region).padStart(4, "0")}`);
}

async function storeFile(region: number): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = new HFileWriter(sink, { profile: "hbase" });
  for (let i = 0; i < 2000; i++) {
    const row = `row${String(region).padStart(4, "0")}-${String(i).padStart(5, "0")}`;
    await writer.append({
      row,
      family: utf8Bytes("f"),
      qualifier: utf8Bytes("q"),
      timestamp: 1n,
      value: utf8Bytes(`value ${i}`),
    });
  }
  await writer.finish();
  return sink.bytes();
}

/** A dropped table's snapshot with the files of one region, which are in the archive. */
async function snapshotFiles(): Promise<Record<string, ServedFile>> {
  const name = { namespace: utf8Bytes(TABLE.namespace), qualifier: utf8Bytes(TABLE.table) };
  const manifest = messageBytes(encodeSnapshotManifest, {
    tableSchema: {
      tableName: name,
      attributes: [],
      families: [{ name: utf8Bytes("f"), attributes: [], configuration: [] }],
      configuration: [],
    },
    regions: Array.from({ length: REGIONS }, (_, i) => ({
      version: 0,
      region: { regionId: REGION_ID, tableName: name, startKey: startKey(i), endKey: startKey(i + 1) },
      families: [{ family: utf8Bytes("f"), files: [{ name: HFILE }] }],
    })),
  });
  const description = messageBytes(encodeSnapshotDescription, { name: "s", table: "wide", version: 2 });
  const region = encodedRegionName(TABLE, startKey(700), REGION_ID);
  return {
    "bucket/hbase/.hbase-snapshot/s/.snapshotinfo": { body: description },
    "bucket/hbase/.hbase-snapshot/s/data.manifest": { body: manifest },
    [`bucket/hbase/archive/data/default/wide/${region}/f/${HFILE}`]: { body: await storeFile(700) },
  };
}

describe.each(["http:", "s3:"])("a snapshot of 1,000 regions at %s", (scheme) => {
  it("takes at most 8 requests for a get", async () => {
    const { url, served } = await serveFiles(await snapshotFiles());
    const root = await openRoot(scheme, url);
    await using table = await root.openSnapshot("s");
    expect(table.regions).toHaveLength(REGIONS);
    const cells = await table.get("row0700-01234");
    expect([cells.length, new TextDecoder().decode(cells.value(0))]).toEqual([1, "value 1234"]);
    expect(served.length).toBeLessThanOrEqual(8);
    const before = served.length;
    await table.get("row0700-01234");
    expect(served.length).toBe(before);
    await expect(root.openSnapshot("t")).rejects.toMatchObject({ code: "E_NOT_FOUND" });
    await expect(root.openTable("wide")).rejects.toMatchObject({
      code: scheme === "http:" ? "E_NOT_FOUND" : "E_UNSUPPORTED",
    });
  });

  it("with two files per family takes at most 8 requests for a get in a family, in the table or the archive", async () => {
    const files: Record<string, ServedFile> = {};
    for (const entry of await readdir(ROOT_PATH, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile()) {
        files[`bucket/hbase${path.slice(ROOT_PATH.length)}`] = { body: await readFile(path) };
      }
    }
    const { url, served } = await serveFiles(files);
    const root = await openRoot(scheme, url);
    for (const [name, row] of [
      ["snap1", "s00001"],
      ["gone_snap", "g00000"],
    ] as const) {
      served.length = 0;
      await using table = await root.openSnapshot(name);
      const cells = await table.get(row, { families: ["x"] });
      expect([name, cells.length > 0, served.length <= 8]).toEqual([name, true, true]);
    }
  });
});

function openRoot(scheme: string, url: string): Promise<HBaseRoot> {
  return scheme === "http:"
    ? openHBaseRoot(`${url}bucket/hbase/`)
    : openHBaseRoot("s3://bucket/hbase", { s3: { client: { fetch }, endpoint: url } });
}
