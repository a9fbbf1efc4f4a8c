/** A Hudi table: its timeline and rows, the file slices of its partitions, and its metadata table with readable keys. */
import { printable } from "@cfile/cell-text";
import {
  type FileSlice,
  type HudiBatch,
  type HudiColumn,
  type HudiTable,
  type JsonValue,
  jsonValues,
  keyWords,
  openHudiTable,
  scanColumns,
  scanRows,
} from "@cfile/hudi";
import type { FileTree } from "@cfile/io";
import type { CellView } from "../../../protocol.js";
import { countText, cut, fact, rowsOfColumns } from "../../cells.js";
import { streamedRows } from "../../export/streamed-rows.js";
import { type ChildDoc, type Doc, describe, folderChild, listDoc } from "../doc.js";
import { fileChild } from "../open-file.js";
import { hfileChild, logChild, recordText } from "./hudi-files.js";
import { timelineView } from "./hudi-timeline.js";

const NUMBERS = /^(int|bigint|float|double|decimal)/;

/** @throws {CFileError} `E_UNSUPPORTED` for unsupported table versions; any other code for damage */
export async function openHudiDoc(tree: FileTree, title: string): Promise<Doc> {
  const table = await openHudiTable(tree);
  const { properties, timeline, listingSource } = table;
  const columns = await scanColumns(table, { baseOnly: false });
  const partitions = await table.partitions();
  const pending = table.instants.filter(({ state }) => state !== "COMPLETED").length;
  return {
    view: describe({
      title,
      kind: "table",
      facts: [
        fact("Type", properties.type),
        fact("Version", properties.version),
        fact("Key", properties.recordKeyFields.join(", ")),
        fact("Partitions", `${countText(partitions.length)}, from the ${sourceText(listingSource)}`),
        fact("Last write", timeline.lastCompleted?.time ?? "none"),
        fact("Pending instants", pending),
      ],
      tabs: ["timeline", "data"],
      columns: columns.map(({ name, type }) => ({
        name,
        type,
        align: NUMBERS.test(type) ? "right" : "left",
      })),
      hasChildren: true,
    }),
    timeline: () => timelineView(timeline),
    rows: streamedRows<never>(() => readRows(table, columns)),
    children: async () => [
      ...partitions.map((partition) => partitionChild(table, partition)),
      ...(table.metadata === undefined ? [] : [metadataChild(table)]),
    ],
  };
}

function sourceText(source: HudiTable["listingSource"]): string {
  return source === "metadata" ? "metadata table" : "listed folders";
}

async function* readRows(table: HudiTable, columns: readonly HudiColumn[]) {
  for await (const batch of scanRows(table)) {
    yield { rows: rowsOfColumns(columns.map(({ avro }, i) => cellTexts(avro, batch.columns[i]))) };
  }
}

function cellTexts(avro: HudiColumn["avro"], vector: HudiBatch["columns"][number] | undefined): CellView[] {
  const text = (value: JsonValue): CellView =>
    value === null ? null : cut(printable(typeof value === "string" ? value : JSON.stringify(value)));
  return vector === undefined ? [] : jsonValues(avro, vector).map(text);
}

function partitionChild(table: HudiTable, partition: string): ChildDoc {
  const name = partition === "" ? "All files" : partition;
  return folderChild(name, "", async () => {
    const slices = await table.slices(partition);
    const files = await table.filesOf(partition);
    const facts = [fact("File slices", slices.length), fact("Files of all instants", files.size)];
    return listDoc(name, facts, () => slices.map((slice) => sliceChild(table, slice)));
  });
}

function sliceChild({ files }: HudiTable, slice: FileSlice): ChildDoc {
  const { partition, fileId, baseInstant, baseFile, logFiles } = slice;
  const detail = logFiles.length === 1 ? "1 log file" : `${logFiles.length} log files`;
  const open = (name: string) => () => files.open(partition === "" ? name : `${partition}/${name}`);
  return folderChild(`Slice ${fileId.slice(0, 8)}`, detail, async () =>
    listDoc(fileId, [fact("Base instant", baseInstant), fact("Log files", logFiles.length)], () => [
      ...(baseFile === undefined ? [] : [fileChild(baseFile, "", open(baseFile))]),
      ...logFiles.map((name) => logChild(name, open(name))),
    ]),
  );
}

function metadataChild(table: HudiTable): ChildDoc {
  const names = table.metadata?.partitions ?? [];
  return folderChild("Metadata table", `${names.length} partitions`, async () =>
    listDoc("Metadata table", [fact("Partitions", names.join(", "))], () =>
      names.map((name) => metadataPartitionChild(table, name)),
    ),
  );
}

/** The merged records of a partition of the metadata table, above the files that contain them. */
function metadataPartitionChild(table: HudiTable, name: string): ChildDoc {
  const { metadata } = table;
  const open = async (): Promise<Doc> => {
    const words = await keyWords(table, name);
    const slices = (await metadata?.slices(name)) ?? [];
    const source = (file: string) => () => table.files.open(`.hoodie/metadata/${name}/${file}`);
    return {
      view: describe({
        title: `Metadata table · ${name}`,
        kind: "table",
        facts: [fact("File groups", slices.length)],
        tabs: ["data"],
        columns: ["Key in words", "Value", "Key"].map((title) => ({
          name: title,
          type: "",
          align: "left",
        })),
        hasChildren: true,
      }),
      rows: streamedRows<never>(async function* () {
        const records = [...((await metadata?.withPrefix(name, "")) ?? [])];
        yield {
          rows: records.map(([key, record]) => [cut(words(key)), cut(recordText(record)), cut(key)]),
        };
      }),
      children: async () =>
        slices.flatMap(({ baseFile, logFiles }) => [
          ...(baseFile === undefined ? [] : [hfileChild(baseFile, source(baseFile), words)]),
          ...logFiles.map((file) => logChild(file, source(file), words)),
        ]),
    };
  };
  return { label: name, detail: "", kind: "table", hasChildren: true, open };
}
