/** @module @cfile-tools/hudi-synthetic: Hudi tables of any number of partitions, with a metadata table that was just compacted. */
import { batchFromValues } from "@cfile/encodings/batches";
import { HFileWriter } from "@cfile/hfile/write";
import { memorySink } from "@cfile/io";
import { exportParquet } from "@cfile/parquet/write";
import avsc from "avsc";

const INSTANT = "20261122072538555";
const COMPLETED = "20261122072544240";

const field = (name: string, type: avsc.Schema) => ({ name, type });
const record = (name: string, ...fields: ReturnType<typeof field>[]): avsc.Schema => ({
  type: "record",
  name,
  fields,
});
const nullable = (type: avsc.Schema): avsc.Schema => ["null", type] as avsc.Schema;

const FILE = record("HoodieMetadataFileInfo", field("size", "long"), field("isDeleted", "boolean"));
const LOCATION = record(
  "HoodieRecordIndexInfo",
  field("partitionName", "string"),
  field("fileIdHighBits", "long"),
  field("fileIdLowBits", "long"),
  field("fileIndex", "int"),
  field("fileId", "string"),
  field("instantTime", "long"),
  field("fileIdEncoding", "int"),
);
const SCHEMA = record(
  "HoodieMetadataRecord",
  field("key", "string"),
  field("type", "int"),
  field("filesystemMetadata", nullable({ type: "map", values: FILE } as avsc.Schema)),
  field("recordIndexMetadata", nullable(LOCATION)),
);
const ROW = record("row", field("id", "string"), field("day", "string"));
const ADDED = ["commit_time", "commit_seqno", "record_key", "partition_path", "file_name"];

/** The path of a partition. */
export function partitionOf(number: number): string {
  return `day=${String(number).padStart(5, "0")}`;
}

/** The name of the only file of a partition. */
export function fileOf(number: number): string {
  return `${number.toString(16).padStart(8, "0")}-0000-0000-0000-000000000000-0_0-1-1_${INSTANT}.parquet`;
}

/** The key of the only row of a partition. */
export function keyOf(number: number): string {
  return `key-${number}`;
}

/**
 * The files of a table with one file and one record in each partition, by path.
 * @param stored the partition whose base file exists; the others are only in the metadata table, with 1000 bytes and their number
 */
export async function syntheticTable(partitions: number, stored: number): Promise<Map<string, Uint8Array>> {
  const numbers = Array.from({ length: partitions }, (_, i) => i);
  const info = (size: number) => ({ size, isDeleted: false });
  const lists = new Map<string, object>([
    [
      "__all_partitions__",
      { type: 1, filesystemMetadata: Object.fromEntries(numbers.map((i) => [partitionOf(i), info(0)])) },
    ],
    ...numbers.map((i): [string, object] => [
      partitionOf(i),
      { type: 2, filesystemMetadata: { [fileOf(i)]: info(1000 + i) } },
    ]),
  ]);
  const index = new Map(numbers.map((i) => [keyOf(i), { type: 5, recordIndexMetadata: locationIn(i) }]));
  const properties = [
    "hoodie.table.version=9",
    "hoodie.table.type=COPY_ON_WRITE",
    "hoodie.table.recordkey.fields=id",
    "hoodie.table.partition.fields=day",
    "hoodie.timeline.layout.version=2",
    "hoodie.record.merge.mode=COMMIT_TIME_ORDERING",
    "hoodie.table.metadata.partitions=files,record_index",
  ].join("\n");
  const commit = JSON.stringify({ extraMetadata: { schema: JSON.stringify(ROW) } });
  const file = `${INSTANT}_${COMPLETED}.commit`;
  const metadata = ".hoodie/metadata";
  const text = new TextEncoder();
  return new Map([
    [".hoodie/hoodie.properties", text.encode(properties)],
    [`.hoodie/timeline/${file}`, text.encode(commit)],
    [`${metadata}/.hoodie/timeline/${file}`, text.encode(commit)],
    [`${metadata}/files/files-0000-0_0-1-1_${INSTANT}.hfile`, await hfile(lists)],
    [`${metadata}/record_index/record-index-0000-0_0-1-1_${INSTANT}.hfile`, await hfile(index)],
    [`${partitionOf(stored)}/${fileOf(stored)}`, await baseFile(stored)],
  ]);
}

function locationIn(number: number): object {
  return {
    partitionName: partitionOf(number),
    fileIdHighBits: number * 2 ** 32,
    fileIdLowBits: 0,
    fileIndex: 0,
    fileId: "",
    instantTime: Date.UTC(2026, 10, 22),
    fileIdEncoding: 0,
  };
}

async function hfile(records: ReadonlyMap<string, object>): Promise<Uint8Array> {
  const type = avsc.Type.forSchema(SCHEMA, { wrapUnions: false });
  const sink = memorySink();
  const writer = new HFileWriter(sink, { profile: "hudi", compression: "GZ", blockSize: 65_536 });
  for (const [row, value] of [...records].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const empty = { key: "", filesystemMetadata: null, recordIndexMetadata: null };
    await writer.append({ row, value: Uint8Array.from(type.toBuffer({ ...empty, ...value })) });
  }
  writer.addFileInfo("schema", new TextEncoder().encode(JSON.stringify(SCHEMA)));
  await writer.finish();
  return sink.bytes();
}

/** A base file with one row. */
async function baseFile(number: number): Promise<Uint8Array> {
  const cells = {
    ...Object.fromEntries(ADDED.map((name) => [`_hoodie_${name}`, INSTANT])),
    _hoodie_record_key: keyOf(number),
    id: keyOf(number),
    day: String(number),
  };
  const names = Object.keys(cells);
  const batches = Object.values(cells).map((cell) =>
    batchFromValues({ type: "STRING", nullable: true }, [cell]),
  );
  const sink = memorySink();
  await exportParquet(sink, {
    columns: names.map((name) => ({ name, type: "STRING", nullable: true, array: false })),
    rows: (async function* () {
      yield { length: 1, firstRow: 0, names, columns: batches };
    })(),
  });
  return sink.bytes();
}
