/** A Parquet file: its column chunks, and its columns as rows, with nulls for lost pages. */
import { findingOf } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import { alignBatches } from "@cfile/encodings/batches";
import type { ByteNote } from "@cfile/format/blocks";
import type { ByteSource } from "@cfile/io";
import { openParquet, type ParquetFile } from "@cfile/parquet";
import { recoverParquet } from "@cfile/parquet/recover";
import type { CheckView, Fact, HealthView, PartView, RowView } from "../../protocol.js";
import { columnView, fact, rowsOfBatches, sizeText } from "../cells.js";
import { mapOf, partAt, partOf, type UnnumberedPart } from "../cfile/cfile-map.js";
import { errorView, partHealth } from "../error-view.js";
import { streamedRows } from "../export/streamed-rows.js";
import { type Doc, type DocDescription, describe, type Work } from "./doc.js";
import { positionFacts, shownBytes, storedPart, unclosable } from "./stored-part.js";

const MAX_PAGES = 500;
const FRAME =
  "A Parquet file starts and ends with PAR1; before the last are the footer, a Thrift message, and its length.";
const CHUNK =
  "A column chunk: the pages of one column in one row group. Each page has a Thrift header with its sizes and an optional CRC; a dictionary page comes first.";

interface Chunk {
  readonly leaf: number;
  readonly group: number;
}

export async function openParquetDoc(source: ByteSource, title: string, size: number): Promise<Doc> {
  const file = await openParquet(source);
  const recovered = () => recoverParquet(unclosable(source));
  const chunks = new Map<number, Chunk>();
  const map = mapOf(partsOf(file, size, chunks));
  return {
    view: viewOf(file, title, size),
    map: async () => ({ fileSize: size, parts: map.parts, trees: [] }),
    part: async ({ part: index }, { signal }) => {
      const part = partOf(map, index);
      const bytes = await shownBytes(source, part, signal);
      const chunk = chunks.get(part.offset);
      return storedPart(part, bytes, {
        fields: [...positionFacts(part), ...chunkFacts(file, chunk)],
        explanation: chunk === undefined ? FRAME : CHUNK,
        notes:
          chunk === undefined
            ? frameNotes(part.kind, bytes.length)
            : await pageNotes(file, chunk, part, bytes.length),
      });
    },
    check: (_, work) => checkParquet(file, map.parts, work),
    rows: streamedRows<never>(() => readRows(file, recovered), file.rowCount),
    profile: async ({ column }, work) => {
      const { columnAt, profileBatches } = await import("../profile/profile.js");
      const chosen = columnAt(file.columns, column);
      const run = (batches: AsyncIterable<ColumnBatch>) =>
        profileBatches(batches, chosen.type, file.rowCount, work);
      try {
        return await run(file.column(chosen.name));
      } catch (error) {
        findingOf(error);
        return run((await recovered()).column(chosen.name));
      }
    },
    export: async (request, work) => {
      const { exportTable } = await import("../export/export.js");
      const table = { columns: file.columns, rows: file.scan(), rowsTotal: file.rowCount };
      return exportTable(table, title.replace(/\.parquet$/, ""), request, work);
    },
  };
}

function viewOf(file: ParquetFile, title: string, size: number): DocDescription {
  const { created_by: writer, row_groups: groups } = file.metadata;
  return describe({
    title,
    kind: "parquet",
    tabs: ["map", "data", "profile"],
    columns: file.columns.map(columnView),
    rowCount: file.rowCount,
    facts: [
      fact("Rows", file.rowCount),
      fact("Row groups", groups.length),
      fact("Size", sizeText(size)),
      ...(writer === undefined ? [] : [fact("Written by", writer)]),
      ...file.refused.map(({ name, reason }) => fact(`Not shown: ${name}`, reason)),
    ],
  });
}

/** @param chunks gets the column chunks by offset */
function partsOf(
  { metadata, leaves }: ParquetFile,
  size: number,
  chunks: Map<number, Chunk>,
): UnnumberedPart[] {
  const found: UnnumberedPart[] = [{ ...partAt("header", { offset: 0, size: 4 }, "Magic"), health: "valid" }];
  let end = 4;
  let firstRow = 0;
  for (const [group, { columns, num_rows }] of metadata.row_groups.entries()) {
    const rows = Number(num_rows);
    for (const [leaf, { index, path }] of leaves.entries()) {
      const meta = columns[index]?.meta_data;
      const offset = Number(meta?.dictionary_page_offset ?? meta?.data_page_offset ?? 0);
      const length = Number(meta?.total_compressed_size ?? 0);
      if (offset >= 4 && length > 0 && offset + length <= size) {
        const label = `Column chunk ${path}, row group ${group}`;
        found.push({ ...partAt("data", { offset, size: length }, label), firstRow, rows });
        chunks.set(offset, { leaf, group });
        end = Math.max(end, offset + length);
      }
    }
    firstRow += rows;
  }
  const footer = partAt("footer", { offset: end, size: size - end }, "Indexes and footer");
  return [...found, { ...footer, health: "valid" }];
}

function chunkFacts({ metadata, leaves }: ParquetFile, chunk: Chunk | undefined): Fact[] {
  const leaf = chunk && leaves[chunk.leaf];
  const meta = chunk && leaf && metadata.row_groups[chunk.group]?.columns[leaf.index]?.meta_data;
  return meta === undefined
    ? []
    : [
        fact("Type", String(meta.type)),
        fact("Codec", String(meta.codec)),
        fact("Encodings", meta.encodings.join(", ")),
        fact("Values", Number(meta.num_values)),
        fact("Expanded bytes", Number(meta.total_uncompressed_size)),
      ];
}

async function checkParquet(
  file: ParquetFile,
  parts: readonly PartView[],
  { signal, progress }: Work<HealthView>,
): Promise<CheckView> {
  const { ok, losses, checkedPages, readableValues } = await file.verify({ signal });
  const health = parts.map(({ index, offset, size }) => {
    const loss = losses.find(({ offset: at = -1 }) => at >= offset && at < offset + size);
    return partHealth(index, loss?.error.reason);
  });
  progress({ checked: parts.length, total: parts.length, parts: health });
  const rowsLost = losses.reduce((sum, { values = 0 }) => sum + values, 0);
  const lost = losses.map(({ column, part, page, values }) => `${column}: ${part} ${page}, ${values} values`);
  const rowsTotal = readableValues + rowsLost;
  return {
    ok,
    checksums: checkedPages > 0,
    problems: losses.map(({ error, column, page }) => ({
      ...errorView(error),
      position: `${column}, page ${page}, byte ${error.offset ?? 0}`,
    })),
    recovery: ok ? undefined : { rowsKept: readableValues, rowsLost, rowsUnverified: 0, rowsTotal, lost },
  };
}

/** All rows. After the first damage, those that can be recovered, with nulls for lost cells. */
async function* readRows(
  file: ParquetFile,
  recover: () => ReturnType<typeof recoverParquet>,
): AsyncGenerator<{ rows: RowView[] }, void, void> {
  let done = 0;
  try {
    for await (const { columns, length } of file.scan()) {
      yield { rows: rowsOfBatches(columns, file.columns) };
      done += length;
    }
  } catch (error) {
    findingOf(error);
    const recovered = await recover();
    const named = recovered.columns.map(({ name }) => [name, recovered.column(name)] as const);
    let at = 0;
    for await (const { columns, length } of alignBatches(Object.fromEntries(named))) {
      const rows = rowsOfBatches(columns, recovered.columns).slice(Math.max(0, done - at));
      at += length;
      if (rows.length > 0) {
        yield { rows };
      }
    }
  }
}

async function pageNotes(
  file: ParquetFile,
  { leaf, group }: Chunk,
  { offset, size }: PartView,
  shown: number,
): Promise<ByteNote[]> {
  const found = file.leaves[leaf];
  const pages: { readonly at: number; readonly label: string; readonly text: string | undefined }[] = [];
  try {
    for await (const { kind, page, valueCount, error, offset: at } of found ? file.pages(found, group) : []) {
      const name = kind === "data" ? `data page ${page}` : "dictionary page";
      pages.push({ at: at - offset, label: `${name}, ${valueCount} values`, text: error?.reason });
      if (pages.length >= MAX_PAGES) {
        break;
      }
    }
  } catch (error) {
    findingOf(error);
  }
  return pages.flatMap(({ at, label, text }, i): ByteNote[] => {
    const end = Math.min(shown, pages[i + 1]?.at ?? size);
    const role = text === undefined ? (i % 2 === 0 ? "value" : "key") : "problem";
    return at >= 0 && end > at ? [{ start: at, end, role, label, text }] : [];
  });
}

function frameNotes(kind: string, end: number): ByteNote[] {
  const magic = { role: "magic", label: "magic", text: "PAR1" } as const;
  return kind === "header"
    ? [{ start: 0, end, ...magic }]
    : [
        { start: 0, end: Math.max(0, end - 8), role: "field", label: "page indexes and Thrift message" },
        { start: end - 8, end: end - 4, role: "length", label: "length of the message" },
        { start: end - 4, end, ...magic },
      ];
}
