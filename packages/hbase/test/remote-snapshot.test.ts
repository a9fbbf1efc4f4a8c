/** Snapshots on a web server: a get reads only what it needs. */
import { utf8Bytes } from "@cfile/bytes";
import { HFileWriter } from "@cfile/hfile/write";
import { memorySink } from "@cfile/io";
import { messageBytes } from "@cfile/protobuf/write";
import { type ServedFile, serveFiles } from "@cfile-tools/testkit";
import { expect, it } from "vitest";
import { encodeSnapshotDescription, encodeSnapshotManifest } from "../src/generated/encode.js";
import { openHBaseRoot } from "../src/index.js";
import { encodedRegionName } from "../src/root/region-info.js";

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

it("a get in a snapshot of 1,000 regions takes at most 8 requests", async () => {
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
  // The table was dropped: its files are in the archive.
  const files: Record<string, ServedFile> = {
    "hbase/.hbase-snapshot/s/.snapshotinfo": { body: description },
    "hbase/.hbase-snapshot/s/data.manifest": { body: manifest },
    [`hbase/archive/data/default/wide/${region}/f/${HFILE}`]: { body: await storeFile(700) },
  };
  const { url, served } = await serveFiles(files);
  const root = await openHBaseRoot(`${url}hbase/`);
  await using table = await root.openSnapshot("s");
  expect(table.regions).toHaveLength(REGIONS);
  const cells = await table.get("row0700-01234");
  expect([cells.length, new TextDecoder().decode(cells.value(0))]).toEqual([1, "value 1234"]);
  expect(served.length).toBeLessThanOrEqual(8);
  await expect(root.openTable("wide")).rejects.toMatchObject({ code: "E_NOT_FOUND" });
  await expect(root.openSnapshot("t")).rejects.toMatchObject({ code: "E_NOT_FOUND" });
});
