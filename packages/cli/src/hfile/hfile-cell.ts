/** Cells of HFiles as JSON and as lines. Parts that Hudi leaves empty are omitted from cells that lack them. */
import { CFileError, fromHex, toHex } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import { CELL_TYPES, type HFileCell, type HFileCellInput } from "@cfile/hfile";

/** The cells of Hudi have this timestamp and are puts. */
const NO_TIMESTAMP = 2n ** 63n - 1n;
const PUT = 4;
const FIELDS = ["row", "family", "qualifier", "timestamp", "type", "mvcc", "tags", "value"];
/** Row and value only. */
const PLAIN_FIELDS = ["row", "value"];

export type CellJson = Readonly<Record<string, string>>;

/** @param decode prints rows, families, qualifiers and values as text; otherwise they are hexadecimal, as tags always are */
export function cellJson(cell: HFileCell, decode: boolean): CellJson {
  const { row, family, qualifier, timestamp, type, mvcc, tags, value } = cell;
  const bytes = decode ? (part: Uint8Array) => new TextDecoder().decode(part) : toHex;
  const hasColumn = family.length + qualifier.length > 0 || timestamp !== NO_TIMESTAMP || type !== PUT;
  return {
    row: bytes(row),
    ...(hasColumn && {
      family: bytes(family),
      qualifier: bytes(qualifier),
      timestamp: `${timestamp}`,
      type: CELL_TYPES[type] ?? `${type}`,
    }),
    ...((hasColumn || mvcc !== 0n) && { mvcc: `${mvcc}` }),
    ...(tags.length > 0 && { tags: toHex(tags) }),
    value: bytes(value),
  };
}

/** One line, parts separated by tabs. */
export function cellLine(cell: HFileCell, decode: boolean): string {
  return Object.values(cellJson(cell, decode)).map(printable).join("\t");
}

/**
 * Parses a cell in the form of `cellJson`.
 *
 * @param line from 1, for messages
 * @throws {CFileError} `E_INVALID_ARGUMENT` naming line and field
 */
export function parseCellJson(text: string, line: number, decode: boolean): HFileCellInput {
  const fields = parseFields(text, line);
  const bytes = (name: string): Uint8Array => {
    const part = fields.get(name) ?? "";
    if (decode && name !== "tags") {
      return new TextEncoder().encode(part);
    }
    if (!/^(?:[0-9a-f]{2})*$/i.test(part)) {
      throw wrongLine(line, name, "must be pairs of hexadecimal digits (or use --text)");
    }
    return fromHex(part);
  };
  const number = (name: string, fallback: bigint): bigint => {
    const part = fields.get(name) ?? `${fallback}`;
    if (!/^-?\d{1,19}$/.test(part)) {
      throw wrongLine(line, name, `found "${printable(part)}" (must be a 64-bit integer)`);
    }
    return BigInt(part);
  };
  return {
    row: bytes("row"),
    family: bytes("family"),
    qualifier: bytes("qualifier"),
    timestamp: number("timestamp", NO_TIMESTAMP),
    type: typeCode(fields.get("type"), line),
    mvcc: number("mvcc", 0n),
    tags: bytes("tags"),
    value: bytes("value"),
  };
}

/** Fields by name, as text; also accepts integers that a JSON number holds exactly. */
function parseFields(text: string, line: number): Map<string, string> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw wrongLine(line, undefined, "not valid JSON", cause);
  }
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    throw wrongLine(line, undefined, "must be a JSON object");
  }
  const fields = new Map<string, string>();
  for (const [name, value] of Object.entries(json)) {
    if (!FIELDS.includes(name)) {
      throw wrongLine(line, name, `unknown field (fields: ${FIELDS.join(", ")})`);
    }
    if (typeof value !== "string" && !Number.isSafeInteger(value)) {
      throw wrongLine(line, name, "must be a string");
    }
    fields.set(name, String(value));
  }
  for (const name of PLAIN_FIELDS) {
    if (!fields.has(name)) {
      throw wrongLine(line, name, "missing");
    }
  }
  return fields;
}

function typeCode(text: string | undefined, line: number): number {
  if (text === undefined) {
    return PUT;
  }
  const named = Object.entries(CELL_TYPES).find(([, name]) => name.toLowerCase() === text.toLowerCase());
  const code = Number(named?.[0] ?? text);
  if (!Number.isInteger(code) || code < 0 || code > 255) {
    const known = Object.values(CELL_TYPES).join(", ");
    throw wrongLine(line, "type", `found "${printable(text)}" (must be one of ${known})`);
  }
  return code;
}

function wrongLine(line: number, field: string | undefined, reason: string, cause?: unknown): CFileError {
  const where = `line ${line}${field === undefined ? "" : `, field "${printable(field)}"`}`;
  return new CFileError("E_INVALID_ARGUMENT", `${where}: ${reason}`, { field, cause });
}
