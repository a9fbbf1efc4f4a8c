/** How each column of a table is written: from the schema and the command line. */
import type { CompressionType, EncodingType, WriterOptions } from "cfile";
import { COMPRESSION_NAMES, compressionOfName, ENCODING_NAMES, encodingOfName } from "../options/names.js";
import { splitAssignment } from "../options/option-values.js";
import { type WriterFlags, writerOptionsOfFlags } from "../options/options.js";
import { UsageError } from "../program/exit-code.js";
import type { ColumnSpec } from "./schema.js";
import type { TableColumn } from "./table-writer.js";

/** Options of the commands that make columns of a table. */
export const COLUMN_FLAGS = {
  schema: {
    type: "string",
    requiresArg: true,
    describe: "columns and types, as text or a .json file [default: from the values]",
  },
  encoding: {
    type: "string",
    array: true,
    requiresArg: true,
    describe: `${ENCODING_NAMES}, or COLUMN=NAME; can be repeated`,
  },
  compression: {
    type: "string",
    array: true,
    requiresArg: true,
    describe: `${COMPRESSION_NAMES}, or COLUMN=NAME; can be repeated`,
  },
} as const;

export interface ColumnFlags extends WriterFlags {
  /** `NAME` for all columns, `COLUMN=NAME` for one. */
  readonly encoding?: readonly string[] | undefined;
  readonly compression?: readonly string[] | undefined;
  /** Columns that are sorted and get a value index. */
  readonly key?: readonly string[] | undefined;
}

/**
 * What is said of a single column on the command line goes before the schema, that before what is said of all.
 *
 * @throws UsageError for names that are none
 */
export function tableColumns(specs: readonly ColumnSpec[], flags: ColumnFlags): TableColumn[] {
  const encodings = settings("--encoding", flags.encoding, specs, encodingOfName);
  const compressions = settings("--compression", flags.compression, specs, compressionOfName);
  const keys = flags.key ?? [];
  for (const name of keys) {
    requireColumn("--key", name, specs);
  }
  const { blockSize, ...shared } = writerOptionsOfFlags(flags);
  return specs.map((spec) => {
    const { name, type, nullable, array } = spec;
    const encoding: EncodingType | undefined =
      encodings.ofColumn.get(name) ?? spec.encoding ?? encodings.ofAll;
    const compression: CompressionType | undefined =
      compressions.ofColumn.get(name) ?? spec.compression ?? compressions.ofAll;
    const options: WriterOptions = {
      ...shared,
      type,
      nullable,
      array,
      encoding,
      compression,
      blockSize: spec.blockSize ?? blockSize,
      validx: keys.includes(name) || (spec.key ?? false),
    };
    return { spec, options };
  });
}

interface Settings<T> {
  readonly ofAll: T | undefined;
  readonly ofColumn: ReadonlyMap<string, T>;
}

function settings<T>(
  option: string,
  texts: readonly string[] | undefined,
  specs: readonly ColumnSpec[],
  parse: (name: string) => T,
): Settings<T> {
  let ofAll: T | undefined;
  const ofColumn = new Map<string, T>();
  for (const { key, value } of (texts ?? []).map(splitAssignment)) {
    if (key === undefined) {
      ofAll = parse(value);
    } else {
      requireColumn(option, key, specs);
      ofColumn.set(key, parse(value));
    }
  }
  return { ofAll, ofColumn };
}

function requireColumn(option: string, name: string, specs: readonly ColumnSpec[]): void {
  if (!specs.some((spec) => spec.name === name)) {
    throw new UsageError(
      `${option}: there is no column "${name}"; there are ${specs.map((spec) => spec.name).join(", ")}`,
    );
  }
}
