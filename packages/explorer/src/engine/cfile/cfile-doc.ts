/** A CFile: a column, a Bloom file or a delta file. */
import { CFileError, DEFAULT_LIMITS, findingOf, isCFileError, MemoryArena } from "@cfile/bytes";
import { cellParser } from "@cfile/cell-text";
import { BlockReader, type CFileReader, openCFile } from "@cfile/format";
import { IndexBlock } from "@cfile/index-btree";
import type { CellView, FoundView } from "../../protocol.js";
import { cellsOf, columnView, countText } from "../cells.js";
import { type Doc, type DocDescription, describe, type Work } from "../docs/doc.js";
import { recordingSource } from "../recording-source.js";
import { type CFileMap, partOf, readMap } from "./cfile-map.js";
import { columnFacts } from "./column-facts.js";

const MAX_ENTRIES = 1000;

type ReadParts = (signal: AbortSignal) => Promise<CFileMap>;

/** @param own properties that Bloom and delta files override */
export function cfileDoc(file: CFileReader, title: string, own: Partial<DocDescription> = {}): Doc {
  const blocks = new BlockReader(file.source, file.structure, DEFAULT_LIMITS, true);
  const isColumn = file.kind === "column";
  let mapped: Promise<CFileMap> | undefined;
  const parts: ReadParts = (signal) => {
    mapped ??= readMap(file, signal);
    mapped.catch(() => {
      mapped = undefined;
    });
    return mapped;
  };
  return {
    view: describe({
      title,
      kind: file.kind,
      facts: columnFacts(file),
      tabs: isColumn ? ["map", "data", "profile", "compare"] : ["map", "data"],
      columns: isColumn ? [columnView(file)] : [],
      rowCount: file.rowCount,
      searchHint: isColumn && !file.array ? searchHint(file) : undefined,
      ...own,
    }),
    map: async (_, { signal }) => {
      const { fileSize } = file.structure;
      try {
        const { parts: found, trees } = await parts(signal);
        return { fileSize, parts: found, trees };
      } catch (error) {
        if (!isCFileError(error) || !isColumn) {
          throw error;
        }
        const { scannedMap } = await import("./recovery-map.js");
        mapped = scannedMap(file.source, signal);
        return { fileSize, parts: (await mapped).parts, trees: [] };
      }
    },
    tree: async ({ tree, part }, { signal }) => {
      const { parts: found, trees, at } = await parts(signal);
      const [node, view] = [found[part], trees[tree]];
      if (node === undefined || view === undefined) {
        throw new CFileError("E_NOT_FOUND", `no index block ${part}`);
      }
      const block = IndexBlock.parse(await blocks.read(node, { signal }));
      const { keyText } = await import("./part-detail.js");
      const entries = Array.from({ length: Math.min(MAX_ENTRIES, block.count) }, (_, i) => {
        const { offset } = block.pointer(i);
        return { key: keyText(file, view.kind, block.key(i)), part: at.get(offset) ?? -1, offset };
      });
      return { leaf: block.isLeaf, entries, entryCount: block.count };
    },
    part: async ({ part }, { signal }) => {
      const found = partOf(await parts(signal), part);
      const { partDetail } = await import("./part-detail.js");
      return partDetail(file, blocks, found, signal);
    },
    check: async (_, work) => {
      const { checkCFile } = await import("./check-cfile.js");
      return checkCFile(file, blocks, (await parts(work.signal)).parts, work);
    },
    rows: async ({ from, to }, { signal }) => {
      const end = Math.min(to, file.rowCount);
      return { rows: await rowsOf(file, parts, from, end, signal), end: end === file.rowCount };
    },
    find: ({ text }, work) => findValue(file, parts, text, work),
    profile: async (_, work) => {
      const { profileBatches } = await import("../profile/profile.js");
      const batches = file.scan({ signal: work.signal, arena: new MemoryArena() });
      return profileBatches(batches, file.type, file.rowCount, work);
    },
    compare: async (_, work) => (await import("../profile/compare.js")).compareColumn(file, work),
    export: async (request, work) =>
      (await import("../export/export.js")).exportColumn(file, title, request, work),
    recover: async (_, work) =>
      (await import("./recover.js")).recoverBlob(file.source, title, undefined, work),
  };
}

async function rowsOf(
  file: CFileReader,
  parts: ReadParts,
  from: number,
  end: number,
  signal: AbortSignal,
): Promise<CellView[][]> {
  const rows: CellView[][] = [];
  for (let row = from; row < end; ) {
    try {
      const block = await file.dataBlockOf(row, { signal });
      const last = Math.min(block.rows, end - block.firstRow);
      rows.push(...cellsOf(block.decode(row - block.firstRow, last)).map((cell) => [cell]));
      row = block.firstRow + last;
    } catch (error) {
      const { code, reason } = findingOf(error);
      const lost = [{ lost: `${code}: ${reason}` }];
      for (const next = Math.min(end, await endOfBlock(parts, row, signal)); row < next; row++) {
        rows.push(lost);
      }
    }
  }
  return rows;
}

/** The end of the block that should contain `row`; the next row if the block is unknown. */
async function endOfBlock(parts: ReadParts, row: number, signal: AbortSignal): Promise<number> {
  try {
    for (const { firstRow = Number.POSITIVE_INFINITY, rows = 0 } of (await parts(signal)).parts) {
      if (row >= firstRow && row < firstRow + rows) {
        return firstRow + rows;
      }
    }
  } catch {
    // The index itself is damaged.
  }
  return row + 1;
}

async function findValue(
  file: CFileReader,
  readParts: ReadParts,
  text: string,
  { signal, progress }: Work,
): Promise<FoundView> {
  const value = cellParser({ type: file.type })(text);
  if (file.structure.footer.validx === undefined) {
    const where = { op: "=", value } as const;
    for await (const { firstRow } of file.scan({ where, limit: 1, signal, onProgress: progress })) {
      return { row: firstRow, text: `Row ${firstRow}: found. No value index: blocks read in order.` };
    }
    return { text: "Not in the file. No value index: all blocks read." };
  }
  const source = recordingSource(file.source);
  const fresh = await openCFile(source, { cacheBytes: 0, signal });
  source.reads.length = 0;
  const found = await fresh.find(typeof value === "boolean" ? Number(value) : value, { signal });
  const { parts } = await readParts(signal);
  const touched = source.reads.flatMap(({ offset, length }) =>
    parts
      .filter((part) => part.offset < offset + length && part.offset + part.size > offset)
      .map(({ index }) => index),
  );
  const bytes = source.reads.reduce((sum, { length }) => sum + length, 0);
  const result =
    found === undefined
      ? "All values are smaller"
      : `Row ${found.row}: ${found.exact ? "found" : "the next value; it is not in the file"}`;
  return {
    row: found?.row,
    text: `${result}. ${touched.length} of ${parts.length} blocks read, ${countText(bytes)} bytes.`,
    touched: [...new Set(touched)],
  };
}

function searchHint({ type, structure }: CFileReader): string {
  const how = structure.footer.validx === undefined ? "no value index: slow" : "uses the value index";
  return `${type === "BINARY" ? "hex digits" : "value"} (${how})`;
}
