/** An HFile: its blocks, and its cells as rows. Of a damaged one, what can be recovered. */
import { type CFileError, findingOf } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import { CELL_TYPES, type CellBatch, type HFileReader, isHFile, openHFile } from "@cfile/hfile";
import { recoverHFile } from "@cfile/hfile/recover";
import { type ByteSource, sizeOf } from "@cfile/io";
import type {
  CheckView,
  Fact,
  FoundView,
  HealthView,
  MapView,
  PartDetail,
  RowsView,
} from "../../protocol.js";
import { countText, cut, sizeText } from "../cells.js";
import { type CFileMap, partOf } from "../cfile/cfile-map.js";
import { errorView, partHealth, placeText } from "../error-view.js";
import { StreamedRows } from "../export/streamed-rows.js";
import { Doc, type DocDescription, describe, type Work } from "./doc.js";
import { readHFileMap } from "./hfile-map.js";
import { annotateHFileBlock } from "./hfile-notes.js";
import { shownBytes, storedPart } from "./stored-part.js";

const COLUMNS = ["Row", "Column", "Timestamp", "Type", "Value"].map((name) => ({
  name,
  type: "",
  align: name === "Timestamp" ? ("right" as const) : ("left" as const),
}));

/** Whether the end of a file is an HFile's. */
export async function looksLikeHFile(source: ByteSource): Promise<boolean> {
  try {
    return await isHFile(source);
  } catch {
    return false;
  }
}

export async function openHFileDoc(source: ByteSource, title: string, { signal }: Work): Promise<HFileDoc> {
  const size = await sizeOf(source, { signal });
  try {
    return new HFileDoc(source, title, size, await openHFile(source, { signal }), undefined);
  } catch (error) {
    return new HFileDoc(source, title, size, undefined, findingOf(error));
  }
}

export class HFileDoc extends Doc {
  readonly view: DocDescription;
  private readonly source: ByteSource;
  private readonly size: number;
  private readonly file: HFileReader | undefined;
  private readonly cells: StreamedRows<never>;
  private mapped: Promise<CFileMap> | undefined;

  constructor(
    source: ByteSource,
    title: string,
    size: number,
    file: HFileReader | undefined,
    problem: CFileError | undefined,
  ) {
    super();
    this.source = source;
    this.size = size;
    this.file = file;
    this.cells = new StreamedRows(() => this.read());
    this.view = describe({
      title,
      kind: "hfile",
      facts: [{ label: "Size", value: sizeText(size) }, ...(file === undefined ? [] : factsOf(file))],
      tabs: ["map", "data"],
      columns: COLUMNS,
      rowCount: file?.entryCount,
      searchHint: file?.structure.bytewise ? "row key as text" : undefined,
      problem: problem && errorView(problem),
    });
  }

  private parts({ signal }: Work<never>): Promise<CFileMap> {
    this.mapped ??= readHFileMap(this.source, this.size, signal);
    return this.mapped;
  }

  override async map(work: Work): Promise<MapView> {
    return { fileSize: this.size, parts: (await this.parts(work)).parts, trees: [] };
  }

  override async part(index: number, work: Work): Promise<PartDetail> {
    const part = partOf(await this.parts(work), index);
    const bytes = await shownBytes(this.source, part, work.signal);
    const notes = annotateHFileBlock(bytes, part.kind);
    return storedPart(part, bytes, {
      fields: notes
        .filter(({ text, role }) => text !== undefined && role !== "value")
        .map(({ label, text = "" }) => ({ label, value: text })),
      explanation:
        part.kind === "footer"
          ? "The last 4096 bytes: a magic, a protobuf message that says where everything stands, zeros, the version."
          : "A block: a header of 33 bytes, big-endian, then the body, which may be compressed, then a checksum for every few bytes of it.",
      notes,
    });
  }

  override async check(work: Work<HealthView>): Promise<CheckView> {
    const { parts, at } = await this.parts(work);
    if (this.file === undefined) {
      return this.checkDamaged(work);
    }
    const report = await this.file.verify(work);
    const bad = new Map(
      report.problems.flatMap(({ block, offset, reason }) => {
        const part = block === undefined ? undefined : at.get(block.offset);
        const other =
          offset === undefined
            ? undefined
            : parts.find((one) => offset >= one.offset && offset < one.offset + one.size)?.index;
        const index = part ?? other;
        return index === undefined ? [] : [[index, reason] as const];
      }),
    );
    this.tell(work, parts.length, (index) => bad.get(index));
    return {
      ok: report.ok,
      checksums: report.chunks > 0,
      problems: report.problems.map((problem) => ({ ...problem, place: placeText(problem) })),
      recovery: undefined,
    };
  }

  private async checkDamaged(work: Work<HealthView>): Promise<CheckView> {
    const { parts } = await this.parts(work);
    const recovered = await recoverHFile(this.source, { signal: work.signal });
    let cells = 0;
    for await (const batch of recovered.batches({ signal: work.signal })) {
      cells += batch.length;
    }
    const lost = recovered.lost;
    this.tell(work, parts.length, (index) => {
      const part = parts[index];
      return lost.find(
        ({ offset, size }) =>
          part !== undefined && offset < part.offset + part.size && offset + size > part.offset,
      )?.reason;
    });
    return {
      ok: false,
      checksums: true,
      problems: this.view.problem === undefined ? [] : [this.view.problem],
      recovery: {
        rowsKept: cells,
        rowsLost: 0,
        rowsUnverified: 0,
        rowsTotal: undefined,
        lost: lost.map(({ offset, size, reason }) => `${size} bytes at ${offset}: ${reason}`),
      },
    };
  }

  private tell(
    work: Work<HealthView>,
    total: number,
    problemOf: (index: number) => string | undefined,
  ): void {
    const parts = Array.from({ length: total }, (_, index) => partHealth(index, problemOf(index)));
    work.progress({ checked: total, total, parts });
  }

  override rows(from: number, to: number, work: Work): Promise<RowsView> {
    return this.cells.rows(from, to, work, this.view.rowCount);
  }

  override async find(text: string, work: Work): Promise<FoundView> {
    if (this.file === undefined) {
      return super.find(text, work);
    }
    const found = await this.file.seek(text, work);
    if (found.result === "found") {
      const cells = await this.file.getAll(text, work);
      const value = JSON.stringify(cut(printable(found.cell.valueText)));
      const count = `${cells.length} cell${cells.length === 1 ? "" : "s"}`;
      return { row: undefined, exact: true, text: `Found: ${count}, the first is ${value}.`, touched: [] };
    }
    const next = "ceiling" in found ? `the next row is ${found.ceiling.rowText}` : "nothing follows it";
    return { row: undefined, exact: false, text: `It is not in the file; ${next}.`, touched: [] };
  }

  private async *read(): AsyncGenerator<{ rows: string[][] }, void, void> {
    const recovered = this.file === undefined ? await recoverHFile(this.source) : undefined;
    for await (const batch of recovered?.batches() ?? this.file?.scan() ?? []) {
      yield { rows: cellRows(batch) };
    }
  }
}

function cellRows(batch: CellBatch): string[][] {
  const text = (bytes: Uint8Array): string => cut(printable(new TextDecoder().decode(bytes)));
  return Array.from({ length: batch.length }, (_, i) => {
    const { row, family, qualifier, timestamp, type, value } = batch.cell(i);
    return [
      text(row),
      `${text(family)}:${text(qualifier)}`,
      String(timestamp),
      CELL_TYPES[type] ?? String(type),
      text(value),
    ];
  });
}

function factsOf({ trailer, profile, metaBlockNames }: HFileReader): Fact[] {
  return [
    { label: "Written by", value: profile === "hudi" ? "Hudi" : "HBase" },
    { label: "Cells", value: countText(trailer.entryCount) },
    { label: "Compression", value: trailer.codec },
    { label: "Index levels", value: String(trailer.indexLevels) },
    { label: "Version", value: `${trailer.majorVersion}.${trailer.minorVersion}` },
    ...(metaBlockNames.length === 0 ? [] : [{ label: "Meta blocks", value: metaBlockNames.join(", ") }]),
  ];
}
