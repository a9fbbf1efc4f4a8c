/** A Parquet file: its column chunks, and its columns as rows, with nulls where pages are lost. */
import { CFileError, findingOf } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import { alignBatches } from "@cfile/encodings/batches";
import type { ByteNote } from "@cfile/format/blocks";
import type { ByteSource } from "@cfile/io";
import { openParquet, type ParquetFile, type ParquetReport } from "@cfile/parquet";
import { recoverParquet } from "@cfile/parquet/recover";
import type {
  CheckView,
  Exported,
  ExportRequest,
  HealthView,
  MapView,
  PartDetail,
  ProfileView,
  RowsView,
} from "../../protocol.js";
import { cellsOf, columnView, countText, rowsOfColumns, sizeText } from "../cells.js";
import { type CFileMap, mapOf, partOf } from "../cfile/cfile-map.js";
import { errorView, partHealth } from "../error-view.js";
import { StreamedRows } from "../export/streamed-rows.js";
import { Doc, type DocDescription, describe, type Work } from "./doc.js";
import { shownBytes, storedPart } from "./stored-part.js";
import { unclosable } from "./unclosable.js";

const MOST_PAGES = 500;

export async function openParquetDoc(source: ByteSource, title: string, size: number): Promise<Doc> {
  return new ParquetDoc(source, await openParquet(source), title, size);
}

interface ChunkPart {
  readonly leaf: number;
  readonly group: number;
}

class ParquetDoc extends Doc {
  readonly view: DocDescription;
  private readonly source: ByteSource;
  private readonly file: ParquetFile;
  private readonly size: number;
  private readonly mapped: CFileMap;
  private readonly chunks = new Map<number, ChunkPart>();
  private readonly streamed: StreamedRows<never>;

  constructor(source: ByteSource, file: ParquetFile, title: string, size: number) {
    super();
    this.source = source;
    this.file = file;
    this.size = size;
    this.mapped = this.chunkMap();
    this.streamed = new StreamedRows(() => this.read());
    const { created_by: writer, row_groups: groups } = file.metadata;
    this.view = describe({
      title,
      kind: "parquet",
      tabs: ["map", "data", "profile"],
      columns: file.columns.map(({ name, type, array, nullable }) => columnView(name, type, array, nullable)),
      rowCount: file.rowCount,
      facts: [
        { label: "Rows", value: countText(file.rowCount) },
        { label: "Row groups", value: String(groups.length) },
        { label: "Size", value: sizeText(size) },
        ...(writer === undefined ? [] : [{ label: "Written by", value: writer }]),
        ...file.refused.map(({ name, reason }) => ({ label: `Not shown: ${name}`, value: reason })),
      ],
    });
  }

  override async map(): Promise<MapView> {
    return { fileSize: this.size, parts: this.mapped.parts, trees: [] };
  }

  override async part(index: number, { signal }: Work): Promise<PartDetail> {
    const part = partOf(this.mapped, index);
    const bytes = await shownBytes(this.source, part, signal);
    const chunk = this.chunks.get(part.offset);
    const leaf = chunk && this.file.leaves[chunk.leaf];
    const meta = chunk && leaf && this.file.metadata.row_groups[chunk.group]?.columns[leaf.index]?.meta_data;
    return storedPart(part, bytes, {
      fields:
        meta === undefined
          ? [{ label: "Bytes", value: countText(part.size) }]
          : [
              { label: "Type", value: String(meta.type) },
              { label: "Codec", value: String(meta.codec) },
              { label: "Encodings", value: meta.encodings.join(", ") },
              { label: "Values", value: countText(Number(meta.num_values)) },
              { label: "Expanded bytes", value: countText(Number(meta.total_uncompressed_size)) },
            ],
      explanation:
        chunk === undefined
          ? "A Parquet file begins and ends with PAR1; in front of the last are the footer, a Thrift message, and its length."
          : "A column chunk: the pages of one column in one row group. Each page has a Thrift header with its sizes and, perhaps, a CRC; a dictionary page comes first.",
      notes:
        chunk === undefined ? frameNotes(part.kind, bytes) : await this.pageNotes(chunk, part, bytes.length),
    });
  }

  override async check(work: Work<HealthView>): Promise<CheckView> {
    const report: ParquetReport = await this.file.verify({ signal: work.signal });
    const { parts } = this.mapped;
    const told = parts.map(({ index, offset, size }) => {
      const loss = report.losses.find(({ offset: at = -1 }) => at >= offset && at < offset + size);
      return partHealth(index, loss?.error.reason);
    });
    work.progress({ checked: parts.length, total: parts.length, parts: told });
    const lostValues = report.losses.reduce((sum, { values = 0 }) => sum + values, 0);
    return {
      ok: report.ok,
      checksums: report.checkedPages > 0,
      problems: report.losses.map(({ error, column, page }) => ({
        ...errorView(error),
        place: `${column}, page ${page}, byte ${error.offset ?? 0}`,
      })),
      recovery: report.ok
        ? undefined
        : {
            rowsKept: report.readableValues,
            rowsLost: lostValues,
            rowsUnverified: 0,
            rowsTotal: report.readableValues + lostValues,
            lost: report.losses.map(
              ({ column, part, page, values }) => `${column}: ${part} ${page}, ${values} values`,
            ),
          },
    };
  }

  override rows(from: number, to: number, work: Work): Promise<RowsView> {
    return this.streamed.rows(from, to, work, this.file.rowCount);
  }

  override async profile(column: number, work: Work): Promise<ProfileView> {
    const { profileBatches } = await import("../profile/profile.js");
    const chosen = this.file.columns[column];
    if (chosen === undefined) {
      throw new CFileError("E_NOT_FOUND", `no column ${column}`);
    }
    const run = (batches: AsyncIterable<ColumnBatch>): Promise<ProfileView> =>
      profileBatches(batches, chosen.type, this.file.rowCount, work);
    try {
      return await run(this.file.column(chosen.name));
    } catch (error) {
      findingOf(error);
      return run((await this.recovered()).column(chosen.name));
    }
  }

  override async export(request: ExportRequest, work: Work): Promise<Exported> {
    const { exportTable } = await import("../export/export.js");
    const { columns, rowCount } = this.file;
    const base = this.view.title.replace(/\.parquet$/, "");
    return exportTable({ columns, rows: this.file.scan(), rowsTotal: rowCount }, base, request, work);
  }

  private recovered(): ReturnType<typeof recoverParquet> {
    return recoverParquet(unclosable(this.source));
  }

  /** The rows; from the first damage on those that can be saved, with nulls for the others. */
  private async *read() {
    let done = 0;
    try {
      for await (const { columns, length } of this.file.scan()) {
        yield { rows: rowsOfColumns(columns.map(cellsOf)) };
        done += length;
      }
    } catch (error) {
      findingOf(error);
      const saved = await this.recovered();
      const named = saved.columns.map(({ name }) => [name, saved.column(name)] as const);
      let at = 0;
      for await (const { columns, length } of alignBatches(Object.fromEntries(named))) {
        const rows = rowsOfColumns(columns.map(cellsOf)).slice(Math.max(0, done - at));
        at += length;
        if (rows.length > 0) {
          yield { rows };
        }
      }
    }
  }

  private chunkMap(): CFileMap {
    const { metadata, leaves } = this.file;
    const found: Parameters<typeof mapOf>[0][number][] = [
      { kind: "header", offset: 0, size: 4, label: "Magic", health: "sound" },
    ];
    let end = 4;
    let firstRow = 0;
    for (const [group, { columns, num_rows: rows }] of metadata.row_groups.entries()) {
      for (const [leaf, { index, path }] of leaves.entries()) {
        const meta = columns[index]?.meta_data;
        const offset = Number(meta?.dictionary_page_offset ?? meta?.data_page_offset ?? 0);
        const size = Number(meta?.total_compressed_size ?? 0);
        if (meta !== undefined && offset >= 4 && size > 0 && offset + size <= this.size) {
          const label = `Column chunk ${path}, row group ${group}`;
          found.push({
            kind: "data",
            offset,
            size,
            label,
            firstRow,
            rows: Number(rows),
            health: "unchecked",
          });
          this.chunks.set(offset, { leaf, group });
          end = Math.max(end, offset + size);
        }
      }
      firstRow += Number(rows);
    }
    found.push({
      kind: "footer",
      offset: end,
      size: this.size - end,
      label: "Indexes and footer",
      health: "sound",
    });
    return mapOf(found);
  }

  private async pageNotes({ leaf, group }: ChunkPart, part: { offset: number; size: number }, shown: number) {
    const found = this.file.leaves[leaf];
    const starts: { readonly at: number; readonly label: string; readonly problem: string | undefined }[] =
      [];
    try {
      for await (const visit of found === undefined ? [] : this.file.pages(found, group)) {
        const label =
          visit.kind === "data"
            ? `data page ${visit.page}`
            : visit.kind === "dictionary"
              ? "dictionary page"
              : "rest of the chunk";
        starts.push({
          at: visit.offset - part.offset,
          label: `${label}, ${visit.valueCount} values`,
          problem: visit.error?.reason,
        });
        if (starts.length >= MOST_PAGES) {
          break;
        }
      }
    } catch (error) {
      findingOf(error);
    }
    return starts.flatMap(({ at, label, problem }, i): ByteNote[] => {
      const end = Math.min(shown, starts[i + 1]?.at ?? part.size);
      const role = problem === undefined ? (i % 2 === 0 ? "value" : "key") : "problem";
      return at >= 0 && end > at ? [{ start: at, end, role, label, text: problem }] : [];
    });
  }
}

function frameNotes(kind: string, bytes: Uint8Array): ByteNote[] {
  if (kind === "header") {
    return [{ start: 0, end: bytes.length, role: "magic", label: "magic", text: "PAR1" }];
  }
  const end = bytes.length;
  return [
    { start: 0, end: Math.max(0, end - 8), role: "field", label: "page indexes and Thrift message" },
    { start: end - 8, end: end - 4, role: "length", label: "length of the message" },
    { start: end - 4, end, role: "magic", label: "magic", text: "PAR1" },
  ];
}
