/** A CFile: a column, or a Bloom or delta file, which are CFiles too. */
import { CFileError, DEFAULT_LIMITS, findingOf, isCFileError, MemoryArena } from "@cfile/bytes";
import { cellParser } from "@cfile/cell-text";
import { DATA_TYPES } from "@cfile/encodings";
import { BlockReader, type CFileReader, openCFile } from "@cfile/format";
import { IndexBlock } from "@cfile/index-btree";
import type {
  CellView,
  CheckView,
  CompareView,
  Exported,
  ExportRequest,
  FoundView,
  HealthView,
  MapView,
  PartDetail,
  ProfileView,
  RowsView,
  TreeNodeView,
} from "../../protocol.js";
import { cellsOf, columnView } from "../cells.js";
import { Doc, type DocDescription, describe, type Work } from "../docs/doc.js";
import { recordingSource } from "../recording-source.js";
import { type CFileMap, partOf, readMap } from "./cfile-map.js";
import { columnFacts } from "./column-facts.js";

const MOST_ENTRIES = 1000;

export class CFileDoc extends Doc {
  readonly view: DocDescription;
  readonly file: CFileReader;
  readonly blocks: BlockReader;
  private mapped: Promise<CFileMap> | undefined;

  constructor(file: CFileReader, title: string, own: Partial<DocDescription> = {}) {
    super();
    this.file = file;
    this.blocks = new BlockReader(file.source, file.structure, DEFAULT_LIMITS, true);
    const { kind, type, array, nullable } = file;
    const isColumn = kind === "column";
    this.view = describe({
      title,
      kind,
      facts: columnFacts(file),
      tabs: isColumn ? ["map", "data", "profile", "compare"] : ["map", "data"],
      columns: isColumn ? [columnView("value", type, array, nullable)] : [],
      rowCount: file.rowCount,
      searchHint: isColumn && !array ? searchHint(file) : undefined,
      ...own,
    });
  }

  parts({ signal }: Work<never>): Promise<CFileMap> {
    this.mapped ??= readMap(this.file, signal);
    this.mapped.catch(() => {
      this.mapped = undefined;
    });
    return this.mapped;
  }

  override async map(work: Work): Promise<MapView> {
    const { fileSize } = this.file.structure;
    try {
      const { parts, trees } = await this.parts(work);
      return { fileSize, parts, trees };
    } catch (error) {
      if (!isCFileError(error) || this.file.kind !== "column") {
        throw error;
      }
      const { surveyedMap } = await import("./survey-map.js");
      const map = await surveyedMap(this.file.source, work);
      this.mapped = Promise.resolve(map);
      return { fileSize, parts: map.parts, trees: [] };
    }
  }

  override async treeNode(tree: number, part: number, work: Work): Promise<TreeNodeView> {
    const { parts, trees, at } = await this.parts(work);
    const node = parts[part];
    const view = trees[tree];
    if (node === undefined || view === undefined) {
      throw new CFileError("E_NOT_FOUND", `no node ${part}`);
    }
    const block = IndexBlock.parse(await this.blocks.read(node, { signal: work.signal }));
    const { keyView } = await import("./part-detail.js");
    const entries = Array.from({ length: Math.min(MOST_ENTRIES, block.count) }, (_, i) => {
      const { offset, size } = block.pointer(i);
      return { key: keyView(this.file, view.kind, block.key(i)), part: at.get(offset) ?? -1, offset, size };
    });
    return { part, leaf: block.isLeaf, entries, entryCount: block.count };
  }

  override async part(part: number, work: Work): Promise<PartDetail> {
    const found = partOf(await this.parts(work), part);
    const { partDetail } = await import("./part-detail.js");
    return partDetail(this.file, this.blocks, found, work.signal);
  }

  override async check(work: Work<HealthView>): Promise<CheckView> {
    const { checkCFile } = await import("./check-cfile.js");
    const { parts } = await this.parts(work);
    return checkCFile(this.file, this.blocks, parts, work);
  }

  override async rows(from: number, to: number, work: Work): Promise<RowsView> {
    const rows: CellView[][] = [];
    const end = Math.min(to, this.file.rowCount);
    for (let row = from; row < end; ) {
      try {
        const block = await this.file.dataBlockOf(row, { signal: work.signal });
        const first = row - block.firstRow;
        const last = Math.min(block.rows, end - block.firstRow);
        rows.push(...cellsOf(block.decode(first, last)).map((cell) => [cell]));
        row = block.firstRow + last;
      } catch (error) {
        const { code, reason } = findingOf(error);
        const next = Math.min(end, await this.endOfBlockWith(row, work));
        const lost = { lost: `${code}: ${reason}` };
        for (; row < next; row++) {
          rows.push([lost]);
        }
      }
    }
    return { from, rows, end: end === this.file.rowCount };
  }

  /** Where the rows of the block end that should hold `row`; the next row when nobody knows. */
  private async endOfBlockWith(row: number, work: Work): Promise<number> {
    try {
      for (const { firstRow, rows = 0 } of (await this.parts(work)).parts) {
        if (firstRow !== undefined && row >= firstRow && row < firstRow + rows) {
          return firstRow + rows;
        }
      }
    } catch {
      // The index is what is damaged.
    }
    return row + 1;
  }

  override async find(text: string, work: Work): Promise<FoundView> {
    const { type } = this.file;
    const value = cellParser({ type })(text);
    if (this.file.structure.footer.validx === undefined) {
      return this.scanFor(value, work);
    }
    const source = recordingSource(this.file.source);
    const fresh = await openCFile(source, { cacheBytes: 0, signal: work.signal });
    source.reads.length = 0;
    const found = await fresh.find(value as number, { signal: work.signal });
    const { parts } = await this.parts(work);
    const touched = source.reads.flatMap(({ offset, length }) =>
      parts
        .filter((part) => part.offset < offset + length && part.offset + part.size > offset)
        .map(({ index }) => index),
    );
    const where = found === undefined ? "All values are before it" : `Row ${found.row}`;
    const how =
      found === undefined ? "" : found.exact ? ": found" : ": the next value; it is not in the file";
    const blocks = `${touched.length} of ${parts.length} blocks read, ${source.reads.reduce((sum, { length }) => sum + length, 0)} bytes`;
    return {
      row: found?.row,
      exact: found?.exact ?? false,
      text: `${where}${how}. ${blocks}.`,
      touched: [...new Set(touched)],
    };
  }

  /** Without a value index the blocks are looked through from the first on. */
  private async scanFor(value: unknown, { signal, progress }: Work): Promise<FoundView> {
    const where = { op: "=", value: value as number } as const;
    for await (const { firstRow: row } of this.file.scan({ where, limit: 1, signal, onProgress: progress })) {
      return {
        row,
        exact: true,
        text: `Row ${row}: found. There is no value index: blocks were read from the first on.`,
        touched: [],
      };
    }
    return {
      row: undefined,
      exact: false,
      text: "It is not in the file. There is no value index: all blocks were read.",
      touched: [],
    };
  }

  override async profile(_column: number, work: Work): Promise<ProfileView> {
    const { profileBatches } = await import("../profile/profile.js");
    const { file } = this;
    return profileBatches(
      file.scan({ signal: work.signal, arena: new MemoryArena() }),
      file.type,
      file.rowCount,
      work,
    );
  }

  override async compare(_column: number, work: Work): Promise<CompareView> {
    const { compareColumn } = await import("../profile/compare.js");
    return compareColumn(this.file, work);
  }

  override async export(request: ExportRequest, work: Work): Promise<Exported> {
    const { exportColumn } = await import("../export/export.js");
    return exportColumn(this.file, this.view.title, request, work);
  }

  override async recover(_type: string | undefined, work: Work): Promise<Exported> {
    const { recoverBlob } = await import("./recover.js");
    return recoverBlob(this.file.source, this.view.title, undefined, work);
  }
}

function searchHint({ type, structure }: CFileReader): string | undefined {
  const how =
    structure.footer.validx === undefined ? "no value index: reads block by block" : "by the value index";
  return DATA_TYPES[type].physical === "BINARY" && type === "BINARY"
    ? `hex digits (${how})`
    : `value (${how})`;
}
