/**
 * Random tables: all types, encodings, codecs, block sizes, key shapes and partitions that Kudu's client
 * supports.
 */
import type { Random } from "../random.js";

export type ColumnType =
  | "BOOL"
  | "INT8"
  | "INT16"
  | "INT32"
  | "INT64"
  | "UNIXTIME_MICROS"
  | "DATE"
  | "FLOAT"
  | "DOUBLE"
  | "STRING"
  | "VARCHAR"
  | "BINARY"
  | "DECIMAL";

export interface PlannedColumn {
  readonly name: string;
  readonly type: ColumnType;
  /** 2: key of a table with non-unique keys. */
  readonly key: 0 | 1 | 2;
  readonly nullable: boolean;
  readonly encoding: string;
  readonly compression: string;
  readonly blockSize: number;
  /** A cell in the text format of the driver; "?" means no default. */
  readonly defaultCell: string;
  readonly precision: number;
  readonly scale: number;
  readonly length: number;
  /** Whether the cells of a row never change. Default: no. */
  readonly immutable?: boolean | undefined;
}

export interface PlannedTable {
  readonly name: string;
  readonly columns: readonly PlannedColumn[];
  /** Hash partitions, each as `buckets:seed:name,name`. */
  readonly hashes: readonly string[];
  /** Cells of the first key column. */
  readonly splits: readonly string[];
  /** Cells of the first key column, lower and upper bounds. Default: one unbounded range. */
  readonly ranges?: readonly (readonly [string, string])[] | undefined;
  /** Seconds of retained history. Default: that of the server. */
  readonly historySeconds?: number | undefined;
}

/** Name of the column in which the server numbers the rows of a table with non-unique keys. */
export const COUNTER = "auto_incrementing_id";
const NUMBERS = ["AUTO_ENCODING", "PLAIN_ENCODING", "BIT_SHUFFLE", "RLE"];
const FLOATS = ["AUTO_ENCODING", "PLAIN_ENCODING", "BIT_SHUFFLE"];
const TEXTS = ["AUTO_ENCODING", "PLAIN_ENCODING", "PREFIX_ENCODING", "DICT_ENCODING"];
const KEY_TYPES: readonly ColumnType[] = [
  "INT8", "INT16", "INT32", "INT64", "UNIXTIME_MICROS", "DATE", "STRING", "VARCHAR", "BINARY", "DECIMAL",
]; // biome-ignore format: one line
const TYPES: readonly ColumnType[] = ["BOOL", "FLOAT", "DOUBLE", ...KEY_TYPES];
export const COMPRESSIONS = ["DEFAULT_COMPRESSION", "NO_COMPRESSION", "SNAPPY", "LZ4", "ZLIB"];
export const BLOCK_SIZES = [0, 0, 0, 512, 700, 1024, 4096, 65536];
const SPLIT_TYPES: readonly ColumnType[] = ["INT8", "INT16", "INT32", "INT64", "STRING", "BINARY"];

export function encodingsOf(type: ColumnType): readonly string[] {
  if (type === "BOOL") {
    return ["AUTO_ENCODING", "PLAIN_ENCODING", "RLE"];
  }
  if (type === "FLOAT" || type === "DOUBLE") {
    return FLOATS;
  }
  return isText(type) ? TEXTS : type === "DECIMAL" ? FLOATS : NUMBERS;
}

export function isText(type: ColumnType): boolean {
  return type === "STRING" || type === "VARCHAR" || type === "BINARY";
}

export function planColumn(random: Random, name: string, key: 0 | 1 | 2): PlannedColumn {
  const type = random.pick(key === 0 ? TYPES : KEY_TYPES);
  const precision = random.pick([1, 5, 9, 10, 18, 19, 38]);
  const column = {
    name,
    type,
    key,
    nullable: key === 0 && random.below(5) < 3,
    encoding: random.pick(encodingsOf(type)),
    compression: random.pick(COMPRESSIONS),
    blockSize: random.pick(BLOCK_SIZES),
    precision,
    scale: random.below(precision + 1),
    length: random.pick([1, 7, 40, 300]),
  };
  const hasDefault = key === 0 && random.once(4);
  return { ...column, defaultCell: hasDefault ? randomCell(random, column) : "?" };
}

/**
 * A cell that fits the column, in the text format of the driver. Often from a small set of values, sometimes the
 * minimum or maximum.
 */
export function randomCell(
  random: Random,
  { type, precision, length }: Pick<PlannedColumn, "type" | "precision" | "length">,
): string {
  switch (type) {
    case "BOOL":
      return String(random.below(2));
    case "INT8":
      return whole(random, 8);
    case "INT16":
      return whole(random, 16);
    case "INT32":
      return whole(random, 32);
    case "INT64":
    case "UNIXTIME_MICROS":
      return whole(random, 64);
    case "DATE":
      // 0001-01-01 to 9999-12-31
      return String(random.pick([-719162, 2932896, 0, random.below(40) + 19000, random.below(2932896)]));
    case "FLOAT":
      return random.pick([
        "00000000",
        "80000000",
        "7f800000",
        "ff800000",
        "7fc00000",
        "3f800000",
        hex32(random),
      ]);
    case "DOUBLE":
      return random.pick([
        "0000000000000000",
        "8000000000000000",
        "7ff8000000000000",
        "3ff0000000000000",
        hex64(random),
      ]);
    case "DECIMAL":
      return decimal(random, precision);
    default:
      return text(random, type, length);
  }
}

function whole(random: Random, bits: number): string {
  const most = (1n << BigInt(bits - 1)) - 1n;
  return String(
    random.pick([BigInt(random.below(20)), random.signed(bits), random.pick([most, -most - 1n, 0n, -1n])]),
  );
}

function decimal(random: Random, precision: number): string {
  const most = 10n ** BigInt(precision) - 1n;
  const any = random.signed(128) % (most + 1n);
  return String(random.pick([most, -most, 0n, any, any, BigInt(random.below(10))]));
}

function text(random: Random, type: ColumnType, length: number): string {
  const size = random.pick([0, 1, random.below(12), random.below(12), random.below(12), random.below(120)]);
  if (type === "BINARY") {
    const bytes = random.once(3)
      ? Uint8Array.from({ length: size }, () => random.below(3))
      : random.bytes(size);
    return `x${Buffer.from(bytes).toString("hex")}`;
  }
  const letters = random.pick(["ab", "abcdefghij", "aé€😀\0"]);
  const chosen = Array.from({ length: type === "VARCHAR" ? Math.min(size, length) : size }, () =>
    random.pick([...letters]),
  );
  return `x${Buffer.from(chosen.join("")).toString("hex")}`;
}

function hex32(random: Random): string {
  // Java converts all NaN values to a single one.
  const bits = BigInt.asUintN(32, random.signed(32)) & 0xff7fffffn;
  return bits.toString(16).padStart(8, "0");
}

function hex64(random: Random): string {
  const bits = BigInt.asUintN(64, random.signed(64)) & 0xffefffffffffffffn;
  return bits.toString(16).padStart(16, "0");
}

export function planTable(random: Random, name: string): PlannedTable {
  const isUnique = !random.once(8);
  const keyCount = random.pick([1, 1, 2, 3, random.between(1, 6)]);
  const keys = Array.from({ length: keyCount }, (_, i) => planColumn(random, `k${i}`, isUnique ? 1 : 2));
  const others = Array.from({ length: random.pick([0, 1, 4, 8, 14]) }, (_, i) =>
    planColumn(random, `c${i}`, 0),
  );
  const hashed = random.shuffled(keys.map((column) => column.name)).slice(0, random.between(1, keyCount));
  const isHashed = random.once(3);
  const [first] = keys;
  const isSplit = first !== undefined && SPLIT_TYPES.includes(first.type) && random.once(3);
  const splits = new Set<string>();
  if (isSplit) {
    for (let i = 0; i < 2; i++) {
      const cell = randomCell(random, first);
      // The minimum value would make an empty range.
      if (cell !== "x" && !/^-(128|32768|2147483648|9223372036854775808)$/.test(cell)) {
        splits.add(cell);
      }
    }
  }
  return {
    name,
    columns: [...keys, ...others],
    hashes: isHashed ? [`${random.between(2, 3)}:${random.below(100)}:${hashed.join(",")}`] : [],
    splits: [...splits],
  };
}

/** The columns with the numbers of the rows, which follow a key that is not unique. */
export function withCounter(columns: readonly PlannedColumn[]): PlannedColumn[] {
  const [last] = columns.filter(({ key }) => key !== 0).slice(-1);
  return columns.flatMap((column) =>
    column === last && column.key === 2
      ? [column, { ...column, name: COUNTER, type: "INT64" as const }]
      : [column],
  );
}

/** In the format of the driver. */
export function columnText(column: PlannedColumn): string {
  const {
    name,
    type,
    key,
    nullable,
    encoding,
    compression,
    blockSize,
    defaultCell,
    precision,
    scale,
    length,
    immutable = false,
  } = column;
  return [
    name,
    type,
    key,
    nullable ? 1 : 0,
    encoding,
    compression,
    blockSize,
    defaultCell,
    precision,
    scale,
    length,
    immutable ? 1 : 0,
  ].join(",");
}
