/**
 * The partition of a tablet in the words of `kudu table list` (docs/spec/kudu-cluster.md#2-the-catalog):
 * `HASH (id) PARTITION 1, RANGE (region) PARTITION "row/c" <= VALUES < "row/m"`.
 *
 * | bytes of a partition key | part |
 * | --- | --- |
 * | 4 for each hash partitioning | bucket, u32 big-endian |
 * | the rest | the encoded key of the range columns; empty where the range is unbounded |
 */
import { isCFileError, toHex } from "@cfile/bytes";
import { dateText, isDecimal, isText, printable, timestampText } from "@cfile/cell-text";
import { decodeCell } from "@cfile/deltafile";
import type { CellValue } from "@cfile/encodings";
import { decodeCompositeKey, type KeyValue } from "@cfile/encodings/keys";
import { hashOfRange, type KuduColumn, rangeEnd, rangeStart, type Superblock } from "@cfile/kudu-dir/catalog";

export function partitionText({
  partition,
  partitionSchema,
  schema,
}: Pick<Superblock, "partition" | "partitionSchema" | "schema">): string {
  const columnOf = (id: number): KuduColumn | undefined => schema.columns.find((column) => column.id === id);
  const names = (ids: readonly number[]): string =>
    ids.map((id) => printable(columnOf(id)?.name ?? `id ${id}`)).join(", ");
  const hashes = partitionSchema === undefined ? [] : hashOfRange(partitionSchema, partition);
  const parts = partition.hashBuckets.map(
    (bucket, i) => `HASH (${names(hashes[i]?.columnIds ?? [])}) PARTITION ${bucket}`,
  );
  const keyIds = schema.columns.filter(({ isKey }) => isKey).map(({ id }) => id);
  const rangeIds = partitionSchema?.rangeColumnIds ?? keyIds;
  if (rangeIds.length > 0) {
    const range = rangeText(rangeIds.map(columnOf), rangeStart(partition), rangeEnd(partition));
    parts.push(`RANGE (${names(rangeIds)}) PARTITION ${range}`);
  }
  return parts.join(", ");
}

/** A cell as Kudu's tools print it: a value, or its stored bytes. */
export function cellText(column: KuduColumn, cell: CellValue): string {
  if (cell instanceof Uint8Array && !isText(column.type) && column.type !== "BINARY") {
    return cellText(column, decodeCell(column, { isNull: false, data: cell, start: 0, end: cell.length }));
  }
  if (typeof cell === "string") {
    return valueText(column, new TextEncoder().encode(cell));
  }
  return typeof cell === "number" || typeof cell === "bigint" || cell instanceof Uint8Array
    ? valueText(column, cell)
    : String(cell);
}

/** The partition as JSON, keys in hexadecimal. */
export function partitionJson({ partition }: Superblock) {
  const { hashBuckets, keyStart, keyEnd } = partition;
  return { hash_buckets: hashBuckets, key_start: toHex(keyStart), key_end: toHex(keyEnd) };
}

function rangeText(columns: readonly (KuduColumn | undefined)[], from: Uint8Array, to: Uint8Array): string {
  if (from.length === 0 && to.length === 0) {
    return "UNBOUNDED";
  }
  const lower = from.length === 0 ? "" : `${boundText(columns, from)} <= `;
  const upper = to.length === 0 ? "" : ` < ${boundText(columns, to)}`;
  return `${lower}VALUES${upper}`;
}

function boundText(columns: readonly (KuduColumn | undefined)[], key: Uint8Array): string {
  const known = columns.filter((column) => column !== undefined);
  if (known.length < columns.length) {
    return `0x${toHex(key)}`;
  }
  try {
    const values = decodeCompositeKey(
      known.map(({ type }) => type),
      key,
    );
    const texts = known.map((column, i) => valueText(column, values[i] ?? 0));
    return texts.length === 1 ? texts.join() : `(${texts.join(", ")})`;
  } catch (error) {
    if (isCFileError(error)) {
      return `0x${toHex(key)}`;
    }
    throw error;
  }
}

function valueText({ type }: KuduColumn, value: KeyValue): string {
  if (value instanceof Uint8Array) {
    return `"${isText(type) ? escapedText(value) : escapedBytes(value)}"`;
  }
  if (type === "DATE") {
    return dateText(Number(value));
  }
  if (type === "UNIXTIME_MICROS") {
    // Years of more digits have neither a plus sign nor leading zeros.
    return timestampText(BigInt(value)).replace(/^(?:\+|(-))0*(?=\d{4})/, "$1");
  }
  if (type === "FLOAT" || type === "DOUBLE") {
    return type === "FLOAT"
      ? numberText(Number(value), 6, 8, Math.fround)
      : numberText(Number(value), 15, 17, Number);
  }
  // Decimals are unscaled: 0.25 is 25_D32.
  return isDecimal(type) ? `${value}_D${type.slice("DECIMAL".length)}` : String(value);
}

/** As C prints it with `%g` in the smaller precision, or in the larger one if the smaller one loses digits. */
function numberText(value: number, less: number, more: number, rounded: (value: number) => number): string {
  if (!Number.isFinite(value)) {
    return Number.isNaN(value) ? "nan" : value < 0 ? "-inf" : "inf";
  }
  const precision = rounded(Number(value.toPrecision(less))) === value ? less : more;
  const [digits = "", exponent = "0"] = value.toExponential(precision - 1).split("e");
  const power = Number(exponent);
  const sign = Object.is(value, -0) ? "-" : "";
  if (power >= -4 && power < precision) {
    return `${sign}${trimmed(value.toFixed(precision - 1 - power))}`;
  }
  return `${trimmed(digits)}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

function trimmed(digits: string): string {
  return digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  '"': '\\"',
  "'": "\\'",
  "\\": "\\\\",
};

/** Keeps valid UTF-8 except control characters. */
function escapedText(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return [...text].map((character) => ESCAPES[character] ?? controlText(character)).join("");
  } catch {
    return escapedBytes(bytes);
  }
}

/** ASCII control characters in octal; others that terminals interpret as `printable` shows them. */
function controlText(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x20 || code === 0x7f ? `\\${code.toString(8).padStart(3, "0")}` : printable(character);
}

/** In C, a hexadecimal escape has any number of digits: a digit after one is also escaped. */
function escapedBytes(bytes: Uint8Array): string {
  let text = "";
  let isAfterHex = false;
  for (const byte of bytes) {
    const character = String.fromCharCode(byte);
    const isPlain: boolean = byte >= 0x20 && byte < 0x7f && !(isAfterHex && /[0-9a-f]/i.test(character));
    const named = ESCAPES[character];
    isAfterHex = named === undefined && !isPlain;
    text += named ?? (isPlain ? character : `\\x${byte.toString(16).padStart(2, "0")}`);
  }
  return text;
}
