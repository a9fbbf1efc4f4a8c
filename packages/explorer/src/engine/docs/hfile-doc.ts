/** An HFile: its blocks, and its cells as rows. A damaged one shows what can be recovered. */
import { findingOf } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import {
  CELL_TYPES,
  type CellBatch,
  type HFileCell,
  type HFileReader,
  isHFile,
  openHFile,
} from "@cfile/hfile";
import { recoverHFile } from "@cfile/hfile/recover";
import { type ByteSource, sizeOf } from "@cfile/io";
import type { CheckView, Fact, FoundView, HealthView } from "../../protocol.js";
import { cut, fact, sizeText } from "../cells.js";
import { type CFileMap, partOf } from "../cfile/cfile-map.js";
import { errorView, partHealth, positionText } from "../error-view.js";
import { streamedRows } from "../export/streamed-rows.js";
import { type Doc, describe, type Work } from "./doc.js";
import { readHFileMap } from "./hfile-map.js";
import { annotateHFileBlock } from "./hfile-notes.js";
import { shownBytes, storedPart } from "./stored-part.js";

export const CELL_COLUMNS = ["Row", "Column", "Timestamp", "Type", "Value"].map((name) => ({
  name,
  type: "",
  align: name === "Timestamp" ? ("right" as const) : ("left" as const),
}));
const TRAILER =
  "The last 4096 bytes: a magic, a protobuf message with the offsets of all sections, zeros, the version.";
const BLOCK =
  "A block: a header of 33 bytes, big-endian, then the body, which may be compressed, then a checksum for each chunk of it.";

/** The parts of a cell that are shown. */
export interface ShownCell extends Pick<HFileCell, "row" | "qualifier" | "timestamp" | "type" | "value"> {
  readonly family: Uint8Array | string;
}

/** Whether a file ends like an HFile. */
export async function looksLikeHFile(source: ByteSource): Promise<boolean> {
  return isHFile(source).catch(() => false);
}

/** @param rowText makes a row key readable */
export async function openHFileDoc(
  source: ByteSource,
  title: string,
  { signal }: Work,
  rowText: (row: string) => string = (row) => row,
): Promise<Doc> {
  const size = await sizeOf(source, { signal });
  const { file, problem } = await openHFile(source, { signal }).then(
    (reader) => ({ file: reader, problem: undefined }),
    (error: unknown) => ({ file: undefined, problem: errorView(findingOf(error)) }),
  );
  let mapped: Promise<CFileMap> | undefined;
  const mapOf = (signal: AbortSignal): Promise<CFileMap> => {
    mapped ??= readHFileMap(source, size, signal);
    return mapped;
  };
  return {
    view: describe({
      title,
      kind: "hfile",
      facts: [fact("Size", sizeText(size)), ...(file === undefined ? [] : factsOf(file))],
      tabs: ["map", "data"],
      columns: CELL_COLUMNS,
      rowCount: file?.entryCount,
      searchHint: file?.structure.bytewise ? "row key as text" : undefined,
      problem,
    }),
    map: async (_, work) => ({ fileSize: size, parts: (await mapOf(work.signal)).parts, trees: [] }),
    part: async ({ part: index }, work) => {
      const part = partOf(await mapOf(work.signal), index);
      const bytes = await shownBytes(source, part, work.signal);
      const notes = annotateHFileBlock(bytes, part.kind);
      return storedPart(part, bytes, {
        fields: notes
          .filter(({ text, role }) => text !== undefined && role !== "value")
          .map(({ label, text = "" }) => fact(label, text)),
        explanation: part.kind === "footer" ? TRAILER : BLOCK,
        notes,
      });
    },
    check: async (_, work) => {
      const map = await mapOf(work.signal);
      return file === undefined
        ? { ...(await checkDamaged(source, map, work)), problems: problem === undefined ? [] : [problem] }
        : checkHFile(file, map, work);
    },
    rows: streamedRows<never>(() => readRows(source, file, rowText), file?.entryCount),
    ...(file && { find: ({ text }: { readonly text: string }, work: Work) => findRow(file, text, work) }),
  };
}

async function checkHFile(
  file: HFileReader,
  { parts, at }: CFileMap,
  work: Work<HealthView>,
): Promise<CheckView> {
  const report = await file.verify({ signal: work.signal });
  const problems = new Map(
    report.problems.map(({ block, offset = -1, reason }) => {
      const hit = parts.find((part) => offset >= part.offset && offset < part.offset + part.size);
      return [(block && at.get(block.offset)) ?? hit?.index ?? -1, reason] as const;
    }),
  );
  sendHealth(work, parts.length, (index) => problems.get(index));
  return {
    ok: report.ok,
    checksums: report.chunks > 0,
    problems: report.problems.map((problem) => ({ ...problem, position: positionText(problem) })),
    recovery: undefined,
  };
}

async function checkDamaged(
  source: ByteSource,
  { parts }: CFileMap,
  work: Work<HealthView>,
): Promise<Omit<CheckView, "problems">> {
  const { signal } = work;
  const recovered = await recoverHFile(source, { signal });
  let rowsKept = 0;
  for await (const batch of recovered.batches({ signal })) {
    rowsKept += batch.length;
  }
  const { lost } = recovered;
  sendHealth(work, parts.length, (index) => {
    const { offset: start = 0, size: length = 0 } = parts[index] ?? {};
    return lost.find(({ offset, size }) => offset < start + length && offset + size > start)?.reason;
  });
  return {
    ok: false,
    checksums: true,
    recovery: {
      rowsKept,
      rowsLost: 0,
      rowsUnverified: 0,
      rowsTotal: undefined,
      lost: lost.map(({ offset, size, reason }) => `${size} bytes at ${offset}: ${reason}`),
    },
  };
}

function sendHealth(
  work: Work<HealthView>,
  total: number,
  problemOf: (index: number) => string | undefined,
): void {
  const parts = Array.from({ length: total }, (_, index) => partHealth(index, problemOf(index)));
  work.progress({ checked: total, total, parts });
}

async function findRow(file: HFileReader, text: string, { signal }: Work): Promise<FoundView> {
  const found = await file.seek(text, { signal });
  if (found.result === "found") {
    const cells = await file.getAll(text, { signal });
    const value = JSON.stringify(cut(printable(found.cell.valueText)));
    return { text: `Found: ${cells.length} cell${cells.length === 1 ? "" : "s"}; the first is ${value}.` };
  }
  const next = "ceiling" in found ? `the next row is ${found.ceiling.rowText}` : "no row follows";
  return { text: `Not in the file; ${next}.` };
}

async function* readRows(
  source: ByteSource,
  file: HFileReader | undefined,
  rowText: (row: string) => string,
): AsyncGenerator<{ rows: string[][] }, void, void> {
  for await (const batch of file?.scan() ?? (await recoverHFile(source)).batches()) {
    yield { rows: cellRows(batch, rowText) };
  }
}

function cellRows(batch: CellBatch, rowText: (row: string) => string): string[][] {
  return Array.from({ length: batch.length }, (_, i) => cellRow(batch.cell(i), rowText));
}

/** A cell as a row of {@link CELL_COLUMNS}. */
export function cellRow(
  { row, family, qualifier, timestamp, type, value }: ShownCell,
  rowText: (row: string) => string = (text) => text,
): string[] {
  const decoded = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  const text = (bytes: Uint8Array): string => cut(printable(decoded(bytes)));
  const column = `${typeof family === "string" ? family : text(family)}:${text(qualifier)}`;
  return [
    cut(printable(rowText(decoded(row)))),
    column,
    String(timestamp),
    CELL_TYPES[type] ?? String(type),
    text(value),
  ];
}

function factsOf({ trailer, profile, metaBlockNames }: HFileReader): Fact[] {
  return [
    fact("Written by", profile === "hudi" ? "Hudi" : "HBase"),
    fact("Cells", trailer.entryCount),
    fact("Compression", trailer.codec),
    fact("Index levels", trailer.indexLevels),
    fact("Version", `${trailer.majorVersion}.${trailer.minorVersion}`),
    ...(metaBlockNames.length === 0 ? [] : [fact("Meta blocks", metaBlockNames.join(", "))]),
  ];
}
