/** Files of Hudi tables: log files by their blocks, and HFiles of the metadata table with readable keys. */
import { type LogBlock, type MetadataRecord, readLogFile } from "@cfile/hudi";
import { type ByteSource, memorySource } from "@cfile/io";
import { fact, rowsOfColumns } from "../../cells.js";
import { streamedRows } from "../../export/streamed-rows.js";
import { type ChildDoc, type Doc, describe } from "../doc.js";
import { fileChild } from "../open-file.js";

type Open = () => Promise<ByteSource>;
/** Makes a key readable. */
type Words = (key: string) => string;

const COLUMNS = ["Offset", "Kind", "Instant", "Bytes"].map((name) => ({
  name,
  type: "",
  align: name === "Offset" || name === "Bytes" ? ("right" as const) : ("left" as const),
}));

/** A child with the cells of an HFile, with readable row keys. */
export function hfileChild(label: string, open: Open, words: Words): ChildDoc {
  return {
    label,
    detail: "",
    kind: "hfile",
    hasChildren: false,
    open: async (work) => (await import("../hfile-doc.js")).openHFileDoc(await open(), label, work, words),
  };
}

/** A child with the blocks of a log file; those that are whole files are its children. */
export function logChild(label: string, open: Open, words: Words = (key) => key): ChildDoc {
  return {
    label,
    detail: "",
    kind: "delta",
    hasChildren: true,
    open: async () => logDoc(label, await open(), words),
  };
}

async function logDoc(title: string, source: ByteSource, words: Words): Promise<Doc> {
  const found = await readLogFile(source);
  const blocks = found.filter((block): block is LogBlock => block.kind !== "damage");
  const damage = found.length - blocks.length;
  return {
    view: describe({
      title,
      kind: "delta",
      facts: [fact("Blocks", blocks.length), ...(damage === 0 ? [] : [fact("Damaged ranges", damage)])],
      tabs: ["data"],
      columns: COLUMNS,
      rowCount: found.length,
      hasChildren: true,
    }),
    rows: streamedRows<never>(async function* () {
      yield {
        rows: rowsOfColumns([
          found.map(({ offset }) => String(offset)),
          found.map((block) => (block.kind === "damage" ? block.error.reason : block.kind)),
          found.map(({ instant }) => instant ?? ""),
          found.map((block) => String(block.kind === "damage" ? block.length : block.content.length)),
        ]),
      };
    }, found.length),
    children: async () =>
      blocks.flatMap((block) => {
        const name = `${block.kind} block at ${block.offset}`;
        const content = async (): Promise<ByteSource> => memorySource(block.content, name);
        if (block.kind === "hfile") {
          return hfileChild(name, content, words);
        }
        return block.kind === "parquet" ? fileChild(name, "", content) : [];
      }),
  };
}

/** A record of the metadata table as text, without empty fields. */
export function recordText(record: MetadataRecord): string {
  return JSON.stringify(record, (key, value: unknown) => {
    if (value instanceof Map) {
      return Object.fromEntries(value);
    }
    if (value instanceof Uint8Array) {
      return `${value.length} bytes`;
    }
    if (value === null || key === "key" || key.startsWith("_hoodie_")) {
      return undefined;
    }
    return typeof value === "bigint" ? String(value) : value;
  });
}
