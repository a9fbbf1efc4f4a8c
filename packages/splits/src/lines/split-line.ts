/**
 * A split as one line of JSON:
 *
 * | field | |
 * | --- | --- |
 * | `cfileSplit` | 1, the format version |
 * | `id` | first 16 bytes of the SHA-256 of the other fields, sorted by name |
 * | `number` | index among the splits of one plan |
 * | `kind` | `cfiles`, `rowset`, `kudu`, `tablet`, `hbase` or `hudi` |
 * | `schema`, `columns` | columns as in `rowset.json`; names of the requested ones |
 * | `where` | `column`, `op`, and `value` or `values`: hexadecimal bytes of cells, as in change lists |
 * | `asOf`, `dirs` | a decimal timestamp; the roots of a Kudu server |
 * | `withLog`, `partialHistory` | for tablets: true or false; `withLog` also for HBase |
 * | `writes` | for tablets of a cluster: `confirmed`, `possible` (default) or `unconfirmed` |
 * | `root`, `table`, `snapshot` | for HBase: the root directory, and either a table or a snapshot |
 * | `cells`, `now`, `timeRange` | for HBase: types of columns as text; milliseconds since 1970; decimal timestamps `from` and `to` |
 * | `table`, `instant` | for Hudi tables: path or URL; the instant to read as of |
 * | `rows`, `bytes` | estimates |
 * | `pieces` | `files` and `rows`; or `tablet`, `rowSet`, `blocks`, `columns`, `adhocIndex`, `redo`, `undo` and `rows`; or `tablet`, `blocks`, `from` and `to`; or `region`, `files`, `from` and `to`; or `partition`, `fileId`, `instant`, `base` and `logs` |
 *
 * A file has `path`, `size`, `version`, and on a Kudu server `block` and `offset`.
 */
import { CFileError, isCFileError, toHex } from "@cfile/bytes";
import { decodeCell, encodeCell } from "@cfile/deltafile";
import type { CellValue } from "@cfile/encodings";
import type { ConditionOp, NamedCondition } from "@cfile/encodings/conditions";
import type { WriteScope } from "@cfile/kudu-dir";
import type { RowSetColumn } from "@cfile/rowset";
import { columnJson, JsonFields, parseColumn } from "@cfile/rowset/store";
import {
  fileJson,
  optional,
  parseFilePiece,
  parseRegionPiece,
  parseRowSetPiece,
  parseSlicePiece,
  parseTabletPiece,
  regionPieceJson,
  rowSetPieceJson,
  slicePieceJson,
  tabletPieceJson,
} from "./piece-json.js";
import type { RegionSplit, Split, SplitContent } from "./split.js";
import { columnNamed } from "./split-columns.js";

/** The format version that `splitLine` writes. */
export const SPLIT_VERSION = 1;

const KINDS = { cfiles: true, rowset: true, kudu: true, tablet: true, hbase: true, hudi: true } as const;
const OPS: Readonly<Record<ConditionOp, true>> = {
  "=": true,
  "<": true,
  "<=": true,
  ">": true,
  ">=": true,
  in: true,
  prefix: true,
  isNull: true,
  isNotNull: true,
};
const WRITES: Readonly<Record<WriteScope, true>> = { confirmed: true, possible: true, unconfirmed: true };
const ID = /^[0-9a-f]{32}$/;
const ID_LENGTH = 32;

/** Adds the ID of a split. */
export async function identifiedSplit<C extends SplitContent>(
  content: C,
): Promise<C & { readonly id: string }> {
  return { ...content, id: await splitId(contentJson(content)) };
}

/** The digest of the content, independent of the order of fields. */
export async function splitId(content: unknown): Promise<string> {
  const sorted = JSON.stringify(content, (_key, field: unknown) =>
    typeof field === "object" && field !== null && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).sort(([left], [right]) => (left < right ? -1 : 1)))
      : field,
  );
  return (await digest(sorted)).slice(0, ID_LENGTH);
}

/** The hexadecimal SHA-256 of a text. */
export async function digest(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return toHex(new Uint8Array(hash));
}

/** The split as a line, without a line end. */
export function splitLine(split: Split): string {
  const { cfileSplit, ...content } = contentJson(split);
  return JSON.stringify({ cfileSplit, id: split.id, ...content });
}

/**
 * Parses a line. Every field is checked.
 *
 * @param place the name of the line in errors
 * @throws {CFileError} with the field. `E_CORRUPT`: not JSON, an invalid, missing or unknown field, an ID that does not match the
 *   content; `E_UNSUPPORTED`: an unknown version or kind
 */
export async function parseSplit(line: string, place: string): Promise<Split> {
  const parsed = parseJson(line, place);
  const json = new JsonFields(parsed, place);
  const version = json.integer("cfileSplit");
  if (version !== SPLIT_VERSION) {
    const reason = `unsupported split version: ${version} (must be ${SPLIT_VERSION})`;
    throw unsupported(place, "cfileSplit", reason);
  }
  const kind = kindOf(json, place);
  const id = json.string("id");
  const { id: _, ...content } = parsed as Record<string, unknown>;
  if (!ID.test(id) || id !== (await splitId(content).catch(() => undefined))) {
    throw json.wrong("id", "ID mismatch: the line is incomplete or was changed", id);
  }
  const schema = json.objects("schema").map(parseColumn);
  const columns = json.strings("columns");
  const known = new Set(schema.map(({ name }) => name));
  const unknown = columns.find((name, i) => !known.has(name) || columns.indexOf(name) < i);
  if (columns.length === 0 || unknown !== undefined) {
    throw json.wrong("columns", "must be distinct column names of the schema", unknown);
  }
  const common = {
    id,
    number: json.integer("number"),
    schema,
    columns,
    where: json.objects("where").map((fields) => parsePredicate(fields, schema)),
    rows: json.integer("rows"),
    bytes: json.integer("bytes"),
  };
  const split = splitOfKind(kind, common, json);
  json.finish();
  if ((split.kind === "kudu" || split.kind === "tablet") && (split.dirs ?? []).length === 0) {
    throw json.wrong("dirs", "must name the directories of the server");
  }
  return split;
}

function kindOf(json: JsonFields, place: string): keyof typeof KINDS {
  const kind = json.string("kind");
  if (!Object.hasOwn(KINDS, kind)) {
    const known = Object.keys(KINDS).join(", ");
    const reason = `unsupported kind of split: ${JSON.stringify(kind.slice(0, 80))} (must be one of ${known})`;
    throw unsupported(place, "kind", reason);
  }
  return kind as keyof typeof KINDS;
}

function splitOfKind(
  kind: keyof typeof KINDS,
  common: Omit<Split, "kind" | "pieces">,
  json: JsonFields,
): Split {
  const pieces = json.objects("pieces");
  if (kind === "cfiles") {
    const names = common.schema.map(({ name }) => name);
    return { ...common, kind, pieces: pieces.map((piece) => parseFilePiece(piece, names)) };
  }
  if (kind === "hbase") {
    return { ...common, kind, ...parseRoot(json), pieces: pieces.map(parseRegionPiece) };
  }
  if (kind === "hudi") {
    const instant = optional(json, "instant", () => json.string("instant"));
    return { ...common, kind, table: json.string("table"), instant, pieces: pieces.map(parseSlicePiece) };
  }
  const asOf = optional(json, "asOf", () => json.unsigned64("asOf"));
  const dirs = optional(json, "dirs", () => json.strings("dirs"));
  if (kind !== "tablet") {
    return { ...common, kind, asOf, dirs, pieces: pieces.map(parseRowSetPiece) };
  }
  const settings = {
    withLog: json.boolean("withLog"),
    writes: optional(json, "writes", () => json.oneOf("writes", WRITES)),
    partialHistory: json.boolean("partialHistory"),
  };
  return { ...common, kind, asOf, dirs: dirs ?? [], ...settings, pieces: pieces.map(parseTabletPiece) };
}

function parseRoot(json: JsonFields): Omit<RegionSplit, "id" | "pieces" | keyof SplitContent> {
  const fields = {
    root: json.string("root"),
    table: optional(json, "table", () => json.string("table")),
    snapshot: optional(json, "snapshot", () => json.string("snapshot")),
    cells: json.string("cells"),
    withLog: json.boolean("withLog"),
    now: json.integer("now"),
    timeRange: optional(json, "timeRange", () => {
      const range = json.object("timeRange");
      const found = { from: range.unsigned64("from"), to: range.unsigned64("to") };
      range.finish();
      return found;
    }),
  };
  if ((fields.table === undefined) === (fields.snapshot === undefined)) {
    throw json.wrong("table", "must name either a table or a snapshot");
  }
  return fields;
}

function parseJson(line: string, place: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CFileError("E_CORRUPT", `not JSON: ${reason}`, { path: place, field: "JSON", cause });
  }
}

function unsupported(path: string, field: string, reason: string): CFileError {
  return new CFileError("E_UNSUPPORTED", reason, { path, field });
}

function contentJson(split: SplitContent): Record<string, unknown> {
  const { number, kind, schema, columns, where, rows, bytes } = split;
  const common = {
    cfileSplit: SPLIT_VERSION,
    number,
    kind,
    schema: schema.map(columnJson),
    columns,
    where: where.map((predicate) => predicateJson(predicate, schema)),
    rows,
    bytes,
  };
  if (split.kind === "cfiles") {
    const pieces = split.pieces.map((piece) => ({
      files: piece.files.map((file) => ({ column: file.column, ...fileJson(file) })),
      rows: piece.rows,
    }));
    return { ...common, pieces };
  }
  if (split.kind === "hbase") {
    const { root, table, snapshot, cells, withLog, now, timeRange } = split;
    const range = timeRange && { from: String(timeRange.from), to: String(timeRange.to) };
    const pieces = split.pieces.map(regionPieceJson);
    return { ...common, root, table, snapshot, cells, withLog, now, timeRange: range, pieces };
  }
  if (split.kind === "hudi") {
    return {
      ...common,
      table: split.table,
      instant: split.instant,
      pieces: split.pieces.map(slicePieceJson),
    };
  }
  const snapshot = { ...common, asOf: split.asOf?.toString(), dirs: split.dirs };
  if (split.kind !== "tablet") {
    return { ...snapshot, pieces: split.pieces.map(rowSetPieceJson) };
  }
  const { withLog, writes, partialHistory } = split;
  return { ...snapshot, withLog, writes, partialHistory, pieces: split.pieces.map(tabletPieceJson) };
}

function predicateJson(predicate: NamedCondition, schema: readonly RowSetColumn[]): Record<string, unknown> {
  const { column: name, op } = predicate;
  const column = { ...columnNamed(schema, name), nullable: false };
  const cell = (value: CellValue): string => toHex(encodeCell(column, value) ?? new Uint8Array(0));
  return {
    column: name,
    op,
    value: "value" in predicate ? cell(predicate.value) : undefined,
    values: "values" in predicate ? predicate.values.map(cell) : undefined,
  };
}

function parsePredicate(json: JsonFields, schema: readonly RowSetColumn[]): NamedCondition {
  const name = json.string("column");
  const found = schema.find((candidate) => candidate.name === name);
  if (found === undefined) {
    throw json.wrong("column", "unknown column of a condition", name);
  }
  const column = { ...found, nullable: false };
  const op = json.oneOf("op", OPS);
  const cell = (data: Uint8Array): CellValue => {
    try {
      return decodeCell(column, { isNull: false, data, start: 0, end: data.length }, { strings: "bytes" });
    } catch (error) {
      throw isCFileError(error) ? json.wrong("value", error.reason) : error;
    }
  };
  const predicate = predicateOf(name, op, json, cell);
  json.finish();
  return predicate;
}

function predicateOf(
  column: string,
  op: ConditionOp,
  json: JsonFields,
  cell: (data: Uint8Array) => CellValue,
): NamedCondition {
  switch (op) {
    case "in":
      return { column, op, values: json.byteStrings("values").map(cell) };
    case "isNull":
    case "isNotNull":
      return { column, op };
    case "prefix":
      return { column, op, value: json.bytes("value") };
    default:
      return { column, op, value: cell(json.bytes("value")) };
  }
}
