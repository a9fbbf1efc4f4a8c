import { HFileWriter } from "@cfile/hfile/write";
import { memorySink } from "@cfile/io";
import { type ServedFile, serveFiles } from "@cfile-tools/testkit";
import avsc from "avsc";
import { beforeAll, describe, expect, test } from "vitest";
import { findLocations, openHudiTable } from "../src/index.js";
import { unpack } from "./golden-table.js";

const PARTITIONS = 10_000;
const INSTANT = "20261122072538555";
const COMPLETED = "20261122072544240";

const SCHEMA: avsc.Schema = {
  type: "record",
  name: "HoodieMetadataRecord",
  fields: [
    { name: "key", type: "string" },
    { name: "type", type: "int" },
    {
      name: "filesystemMetadata",
      type: [
        "null",
        {
          type: "map",
          values: {
            type: "record",
            name: "HoodieMetadataFileInfo",
            fields: [
              { name: "size", type: "long" },
              { name: "isDeleted", type: "boolean" },
            ],
          },
        },
      ],
    },
    {
      name: "recordIndexMetadata",
      type: [
        "null",
        {
          type: "record",
          name: "HoodieRecordIndexInfo",
          fields: [
            { name: "partitionName", type: "string" },
            { name: "fileIdHighBits", type: "long" },
            { name: "fileIdLowBits", type: "long" },
            { name: "fileIndex", type: "int" },
            { name: "fileId", type: "string" },
            { name: "instantTime", type: "long" },
            { name: "fileIdEncoding", type: "int" },
          ],
        },
      ],
    },
  ],
};
const type = avsc.Type.forSchema(SCHEMA, { wrapUnions: false });

async function hfile(records: ReadonlyMap<string, object>): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = new HFileWriter(sink, { profile: "hudi", compression: "GZ", blockSize: 65_536 });
  const rows = [...records].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [row, record] of rows) {
    const empty = { key: "", type: 2, filesystemMetadata: null, recordIndexMetadata: null };
    await writer.append({ row, value: Uint8Array.from(type.toBuffer({ ...empty, ...record })) });
  }
  writer.addFileInfo("schema", new TextEncoder().encode(JSON.stringify(SCHEMA)));
  await writer.finish();
  return sink.bytes();
}

const partition = (i: number): string => `day=${String(i).padStart(5, "0")}`;
const fileOf = (i: number): string =>
  `0000${String(i).padStart(4, "0")}-0000-4000-8000-000000000000-0_0-1-1_${INSTANT}.parquet`;
const info = (size: number) => ({ size, isDeleted: false });

/** A table of 10,000 partitions on a server that lists folders; its metadata table has just been compacted. */
async function largeTable(): Promise<Record<string, ServedFile>> {
  const all = new Map<string, object>();
  const partitions = Object.fromEntries(
    Array.from({ length: PARTITIONS }, (_, i) => [partition(i), info(0)]),
  );
  all.set("__all_partitions__", { type: 1, filesystemMetadata: partitions });
  for (let i = 0; i < PARTITIONS; i++) {
    all.set(partition(i), { filesystemMetadata: { [fileOf(i)]: info(1000 + i) } });
  }
  const keys = new Map<string, object>();
  for (let i = 0; i < PARTITIONS; i++) {
    const location = {
      partitionName: partition(i),
      fileIdHighBits: i,
      fileIdLowBits: 0,
      fileIndex: 0,
      fileId: "",
    };
    keys.set(`key-${i}`, {
      type: 5,
      recordIndexMetadata: { ...location, instantTime: Date.UTC(2026, 10, 22), fileIdEncoding: 0 },
    });
  }
  const properties = [
    "hoodie.table.version=9",
    "hoodie.table.type=COPY_ON_WRITE",
    "hoodie.table.partition.fields=day",
    "hoodie.timeline.layout.version=2",
    "hoodie.table.metadata.partitions=files,record_index",
  ].join("\n");
  const commit = `${INSTANT}_${COMPLETED}.commit`;
  const metadata = ".hoodie/metadata";
  const base = (name: string) => `${name}-0000-0_0-1-1_${INSTANT}.hfile`;
  const files: Record<string, ServedFile> = {
    ".hoodie/hoodie.properties": { body: properties },
    [`.hoodie/timeline/${commit}`]: { body: "" },
    [`${metadata}/.hoodie/timeline/${commit}`]: { body: "" },
    [`${metadata}/files/${base("files")}`]: { body: await hfile(all) },
    [`${metadata}/record_index/${base("record-index")}`]: { body: await hfile(keys) },
  };
  for (const path of Object.keys(files)) {
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    files[folder] = { type: "text/html", body: `<a href="${path.slice(folder.length)}">file</a>` };
  }
  return Object.fromEntries(Object.entries(files).map(([path, file]) => [`t/${path}`, file]));
}

describe("requests of a table over HTTP", () => {
  let server: Awaited<ReturnType<typeof serveFiles>>;

  beforeAll(async () => {
    server = await serveFiles(await largeTable());
  });

  const traffic = () => ({
    requests: server.served.length,
    bytes: server.served.reduce((sum, { bytes }) => sum + bytes, 0),
  });

  test("the files of one of 10,000 partitions take at most 6 requests and 256 KiB", async () => {
    server.served.length = 0;
    const table = await openHudiTable(`${server.url}t`);
    expect([...(await table.filesOf(partition(4321)))]).toEqual([[fileOf(4321), 5321]]);
    const { requests, bytes } = traffic();
    expect(requests).toBeLessThanOrEqual(6);
    expect(bytes).toBeLessThanOrEqual(256 * 1024);
  });

  test("a record key takes at most 8 requests", async () => {
    server.served.length = 0;
    const table = await openHudiTable(`${server.url}t`);
    const { metadata } = table;
    const found = metadata && (await findLocations(metadata, ["key-77"]));
    expect(found?.get("key-77")).toMatchObject({ partition: partition(77) });
    expect(traffic().requests).toBeLessThanOrEqual(8);
  });
});

describe("a golden table over HTTP", () => {
  test("is read through listed folders", async () => {
    const { files } = unpack("cow_v9");
    const served: Record<string, ServedFile> = {};
    const folders = new Map<string, Set<string>>();
    for (const [path, body] of files) {
      served[path] = { body };
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
      served[folder === "" ? "index.html" : folder] = { type: "text/html", body: links.join("") };
    }
    const server = await serveFiles(served);
    const table = await openHudiTable(server.url);
    expect(await table.partitions()).toHaveLength(8);
    const [first = ""] = await table.partitions();
    expect((await table.slices(first)).length).toBeGreaterThan(0);
  });
});
