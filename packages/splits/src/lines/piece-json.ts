/** Reads and writes the pieces of splits as JSON; see `split-line.ts`. */
import { toHex } from "@cfile/bytes";
import type { JsonFields } from "@cfile/rowset/store";
import type {
  FilePiece,
  RegionPiece,
  RowRange,
  RowSetPiece,
  SlicePiece,
  SplitFile,
  TabletPiece,
} from "./split.js";

const MAX_ROWS = 0xffffffff;
const MAX_COLUMN_ID = 0x7fffffff;

/** The value of an optional field. */
export function optional<T>(json: JsonFields, name: string, read: () => T): T | undefined {
  return json.has(name) ? read() : undefined;
}

export function fileJson({ path, size, version, block }: SplitFile): Record<string, unknown> {
  return { path, size, version, block: block?.id.toString(), offset: block?.offset };
}

export function rowSetPieceJson(piece: RowSetPiece): Record<string, unknown> {
  return {
    tablet: piece.tablet,
    rowSet: piece.rowSet.toString(),
    blocks: piece.blocks,
    columns: [...piece.columns].map(([id, file]) => ({ id, ...fileJson(file) })),
    adhocIndex: piece.adhocIndex && fileJson(piece.adhocIndex),
    redo: piece.redo.map(fileJson),
    undo: piece.undo.map(fileJson),
    rows: piece.rows,
  };
}

/** @param columns each must have one file */
export function parseFilePiece(json: JsonFields, columns: readonly string[]): FilePiece {
  const files = json.objects("files").map((file) => ({ column: file.string("column"), ...parseFile(file) }));
  const named = new Set(files.map(({ column }) => column));
  const isComplete = named.size === files.length && columns.every((name) => named.has(name));
  if (files.length === 0 || !isComplete) {
    throw json.wrong("files", "must have one file per column", [...named].join(", "));
  }
  const piece = { files, rows: parseRows(json) };
  json.finish();
  return piece;
}

export function parseRowSetPiece(json: JsonFields): RowSetPiece {
  const columns = new Map<number, SplitFile>();
  for (const fields of json.objects("columns")) {
    columns.set(fields.integer("id", MAX_COLUMN_ID), parseFile(fields));
  }
  const piece = {
    tablet: optional(json, "tablet", () => json.string("tablet")),
    rowSet: json.unsigned64("rowSet"),
    blocks: optional(json, "blocks", () => json.string("blocks")),
    columns,
    adhocIndex: optional(json, "adhocIndex", () => parseFile(json.object("adhocIndex"))),
    redo: json.objects("redo").map(parseFile),
    undo: json.objects("undo").map(parseFile),
    rows: parseRows(json),
  };
  json.finish();
  return piece;
}

export function tabletPieceJson({ tablet, blocks, from, to }: TabletPiece): Record<string, unknown> {
  return { tablet, blocks, from: from && toHex(from), to: to && toHex(to) };
}

export function parseTabletPiece(json: JsonFields): TabletPiece {
  return { tablet: json.string("tablet"), blocks: json.string("blocks"), ...parseKeys(json) };
}

export function regionPieceJson({ region, files, from, to }: RegionPiece): Record<string, unknown> {
  return { region, files, from: from && toHex(from), to: to && toHex(to) };
}

export function parseRegionPiece(json: JsonFields): RegionPiece {
  return { region: json.string("region"), files: json.string("files"), ...parseKeys(json) };
}

/** Parses the last fields of a piece, its key range. */
function parseKeys(json: JsonFields): Pick<TabletPiece, "from" | "to"> {
  const keys = {
    from: optional(json, "from", () => json.bytes("from")),
    to: optional(json, "to", () => json.bytes("to")),
  };
  json.finish();
  return keys;
}

export function slicePieceJson({ base, logs, ...slice }: SlicePiece): Record<string, unknown> {
  return { ...slice, base: base && fileJson(base), logs: logs.map(fileJson) };
}

export function parseSlicePiece(json: JsonFields): SlicePiece {
  const piece = {
    partition: json.string("partition"),
    fileId: json.string("fileId"),
    instant: json.string("instant"),
    base: optional(json, "base", () => parseFile(json.object("base"))),
    logs: json.objects("logs").map(parseFile),
  };
  json.finish();
  return piece;
}

function parseFile(json: JsonFields): SplitFile {
  const file = {
    path: json.string("path"),
    size: json.integer("size"),
    version: optional(json, "version", () => json.string("version")),
    block: optional(json, "block", () => ({ id: json.unsigned64("block"), offset: json.integer("offset") })),
  };
  json.finish();
  return file;
}

function parseRows(json: JsonFields): RowRange | undefined {
  if (!json.has("rows")) {
    return undefined;
  }
  const fields = json.object("rows");
  const rows = { from: fields.integer("from", MAX_ROWS), to: fields.integer("to", MAX_ROWS) };
  fields.finish();
  if (rows.from > rows.to) {
    throw json.wrong("rows", "the range of rows ends before it starts");
  }
  return rows;
}
