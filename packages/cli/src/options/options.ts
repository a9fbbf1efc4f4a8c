/** Options and arguments that several commands share: one definition of each. */
import { UsageError } from "../program/exit-code.js";
import {
  choice,
  flag,
  list,
  type Option,
  required,
  text,
  toggle,
  type Values,
  value,
  withDefault,
  withShort,
} from "../program/option.js";
import { nameList } from "./csv-list.js";
import { parseHybridTime } from "./hybrid-time.js";
import { COMPRESSION_NAMES, compressionOfName, ENCODING_NAMES, encodingOfName } from "./names.js";
import { blockCount, byteSize, rowRange, wholeNumber } from "./option-values.js";

export const FILE = required(text("FILE", "CFile or HFile: path or URL"));
export const PATHS = required(
  list(
    "FILE",
    "CFiles, Bloom files, delta files, HFiles or Parquet files as paths or URLs; directories of table stores",
  ),
);
export const NEW_FILE = required(text("FILE", "path of the new file"));
export const TABLE_STORE = required(text("DIR", "directory of a table store"));
export const READ_TABLE_STORE = required(
  text("DIR", "directory of a table store, or a .json file that lists the files of DiskRowSets"),
);
export const KEYS = list("KEY", "keys; separate columns with commas; put keys that start with '-' after --");

/** A file or directory to write. */
export const output = (hint: string, summary: string): Option<string> =>
  withShort("o", required(text(hint, summary)));

export const JSON_OPTION = flag("print JSON; errors are JSON, too");
export const BLOCKS = withDefault(
  value("N", 'maximum number of blocks to list per section, or "all"', blockCount),
  "20",
);
export const SYNC: Option<boolean> = {
  ...toggle("wait until the data is on disk", "on"),
  read: (_, given) => given.at(-1) !== false,
};
export const COLOR = toggle("use colors", "on a terminal, unless NO_COLOR is set");
export const HEX = flag("the key is hexadecimal");
export const ROWS = value("FROM:TO", "row numbers, TO exclusive, like 100:200 or :5", rowRange, "all");
export const COLUMNS = value("NAMES", "columns, separated by commas", nameList, "all");
export const WHERE = list(
  "CONDITION",
  "condition: NAME OP VALUE with =, <, <=, >, >= or prefix; NAME in (V, V); NAME is [not] null; may be repeated, all must hold",
);
export const LIMIT = value("N", "maximum number of rows", wholeNumber, "no limit");
export const SCHEMA = text(
  "COLUMNS",
  'columns and types, like "id:int64,note:string?", or a .json file',
  "from the values",
);
const TIME_TEXT = "hybrid timestamp or a time like 2024-02-29T12:00:00Z";
export const AS_OF = value("TIME", `read the snapshot before TIME: ${TIME_TEXT}`, parseHybridTime, "latest");
export const TIMESTAMP = (summary: string, preset: string): Option<bigint | undefined> =>
  value("TIME", summary, parseHybridTime, preset);
export const FROM = value("TIME", `start, inclusive: ${TIME_TEXT}`, parseHybridTime);
export const TO = value("TIME", "end, exclusive", parseHybridTime);
export const SCALE = value("N", "digits after the decimal point of decimal values", (name, digits) =>
  wholeNumber(name, digits, 0, 38),
);
export const DECODE = flag("print dates, timestamps, floats and UTF-8 as readable text");
export const JOBS = withShort(
  "j",
  value("N", "number of threads", (name, digits) => wholeNumber(name, digits, 1), "one per core, at most 8"),
);

/** How a new column is stored. */
export const CODING = {
  encoding: {
    ...value("NAME", "encoding of the new file", (option, name) => encodingOfName(name, option)),
    choices: ENCODING_NAMES,
  },
  compression: {
    ...value("NAME", "compression of the new file", (option, name) => compressionOfName(name, option)),
    choices: COMPRESSION_NAMES,
  },
};

/** How each column of a new table is stored: `NAME` for all, `COLUMN=NAME` for one. */
export const COLUMN_CODING = {
  encoding: {
    ...list("[COLUMN=]NAME", "encoding; may be repeated"),
    preset: "auto",
    choices: ENCODING_NAMES,
  },
  compression: {
    ...list("[COLUMN=]NAME", "compression; may be repeated"),
    preset: "none",
    choices: COMPRESSION_NAMES,
  },
};

export const WRITER = {
  blockSize: value("SIZE", "encoded bytes per data block, like 65536 or 64K", byteSize, "256K"),
  indexBlockSize: value("SIZE", "bytes per index block", byteSize, "32K"),
  restartInterval: value(
    "N",
    "entries between restarts of prefix blocks",
    (name, digits) => wholeNumber(name, digits, 1),
    "16",
  ),
  batchRows: value(
    "N",
    "rows per call of the encoder; plain, RLE and bitmap blocks end after such a batch",
    (name, digits) => wholeNumber(name, digits, 1),
    "100",
  ),
  posidx: toggle("write a positional index", "on"),
  optimizeIndexKeys: toggle("shorten value index keys to what separates blocks", "on"),
  checksums: toggle("write checksums", "on"),
};

/** The values of {@link WRITER}. */
export type WriterValues = Partial<Values<typeof WRITER>>;

export type CellFormat = "text" | "json" | "ndjson" | "csv";
export type RecordFormat = "table" | "json" | "ndjson" | "csv";

function formats<const F extends string>(plain: F, json: string) {
  return {
    format: choice("output format", [plain, "json", "ndjson", "csv"], plain),
    json: flag(`same as --format json: ${json}; errors are JSON, too`),
    ndjson: flag("same as --format ndjson: one JSON value per line"),
    csv: flag("same as --format csv"),
  };
}

/** Options of commands that read a Kudu server's directories. */
export const SERVER = {
  serverKey: text("HEX", "server key, if a key management service wraps the one on disk"),
  historyMaxAge: value(
    "SECONDS",
    "history that the server retained",
    wholeNumber,
    "that of the table, else 604800",
  ),
};
export const TABLETS = {
  table: text("NAME", "table, by name or id"),
  tablet: text("ID", "tablet, by id"),
};
export const PARTIAL_HISTORY = flag(
  "allow snapshots older than the retained history (results may be incomplete)",
);
/** Options of commands that read tables, including those of Kudu servers. */
export const TABLE_READ = {
  ...TABLETS,
  columns: COLUMNS,
  where: WHERE,
  asOf: AS_OF,
  partialHistory: PARTIAL_HISTORY,
  ...SERVER,
};
export type TableReadValues = Values<typeof TABLE_READ> & { readonly dirs: readonly string[] };
export const WITH_LOG = flag("include unflushed writes from the write-ahead log");

export const CELL_FORMATS = formats("text", "one JSON array");
export const RECORD_FORMATS = formats("table", "one JSON array of objects");
export const KUDU_ROW_FORMATS = formats("table", "one JSON object with the columns, and the rows by tablet");

export interface FormatValues<F extends string> {
  readonly format?: F | undefined;
  readonly json?: boolean;
  readonly ndjson?: boolean;
  readonly csv?: boolean;
}

/** @throws UsageError when more than one format is given */
export function formatOf<F extends string>(
  { format, json = false, ndjson = false, csv = false }: FormatValues<F>,
  plain: F,
): F | "json" | "ndjson" | "csv" {
  const short = { json, ndjson, csv };
  const given = (["json", "ndjson", "csv"] as const).filter((name) => short[name]);
  if (given.length + (format === undefined ? 0 : 1) > 1) {
    const names = [format ?? [], given].flat().join(", ");
    throw new UsageError(
      `more than one output format: ${names} (give one of --format, --json, --ndjson, --csv)`,
    );
  }
  return format ?? given[0] ?? plain;
}
