/** The descriptor of a table (docs/spec/hbase-table.md#2-descriptor): its families and their attributes, all stored as text. */
import { CFileError, corrupt } from "@cfile/bytes";
import type { FileTree } from "@cfile/io";
import {
  type Attribute,
  decodeTableSchema,
  type FamilySchema,
  type TableSchema,
} from "../generated/decode.js";
import { pbufMessage } from "./pbuf.js";
import { isNamePart, type TableName, tableNameOf } from "./table-name.js";
import { filesIn, parseFile } from "./tree-files.js";

/** Attributes by name, in stored order. */
export type Attributes = ReadonlyMap<string, string>;

/** A column family, with the attributes that decide what a client sees. */
export interface FamilyDescriptor {
  readonly name: string;
  /** Versions that are kept per column. Default 1. */
  readonly maxVersions: number;
  /** Versions that are kept although they have expired. Default 0. */
  readonly minVersions: number;
  /** Age in seconds at which cells expire; `undefined` for never. */
  readonly ttlSeconds: number | undefined;
  readonly keepDeletedCells: "FALSE" | "TRUE" | "TTL";
  readonly newVersionBehavior: boolean;
  /** Whether long values are in separate files (medium-sized objects). */
  readonly mob: boolean;
  readonly attributes: Attributes;
  readonly configuration: Attributes;
}

/** A table's descriptor. */
export interface TableDescriptor {
  readonly name: TableName;
  readonly attributes: Attributes;
  readonly configuration: Attributes;
  /** In byte order of their names. */
  readonly families: readonly FamilyDescriptor[];
}

/** Seconds of a TTL that never ends. */
const FOREVER = 2 ** 31 - 1;
const FILE_NAME = /^\.tableinfo\.(\d{10})(?:\.\d+)?$/;

/**
 * The newest descriptor in a table's folder.
 * @throws {CFileError} `E_NOT_FOUND` without a descriptor, `E_CORRUPT`
 */
export async function readDescriptor(tree: FileTree, folder: string): Promise<TableDescriptor> {
  const path = `${folder}/.tabledesc`;
  const newest = (await filesIn(tree, path))
    .filter((name) => FILE_NAME.test(name))
    .sort((a, b) => sequenceOf(a) - sequenceOf(b))
    .at(-1);
  if (newest === undefined) {
    throw new CFileError("E_NOT_FOUND", "the table has no descriptor", { path: `${tree.name}/${path}` });
  }
  return parseFile(tree, `${path}/${newest}`, (bytes) =>
    describeTable(decodeTableSchema(pbufMessage(bytes, "table descriptor"))),
  );
}

function sequenceOf(name: string): number {
  return Number(FILE_NAME.exec(name)?.[1]);
}

/** @throws {CFileError} `E_CORRUPT` for invalid names and attributes */
export function describeTable(schema: TableSchema): TableDescriptor {
  const families = schema.families.map(describeFamily);
  // Names of families are printable ASCII, for which this is byte order.
  families.sort((a, b) => (a.name < b.name ? -1 : 1));
  const repeated = families.find(({ name }, i) => families[i - 1]?.name === name);
  if (repeated !== undefined) {
    throw corrupt(`family ${JSON.stringify(repeated.name)} is described twice`, { field: "column families" });
  }
  return {
    name: tableNameOf(schema.tableName, "table name"),
    attributes: attributesOf(schema.attributes),
    configuration: settingsOf(schema.configuration),
    families,
  };
}

function describeFamily({ name: bytes, attributes: stored, configuration }: FamilySchema): FamilyDescriptor {
  const name = new TextDecoder().decode(bytes);
  if (!isNamePart(name)) {
    throw corrupt(`invalid family name: ${JSON.stringify(name)}`, { field: "column family name" });
  }
  const attributes = attributesOf(stored);
  const integer = (key: string, fallback: number): number => {
    const text = attributes.get(key)?.trim() ?? String(fallback);
    const value = Number(text);
    if (!(/^\d+$/.test(text) && Number.isSafeInteger(value))) {
      throw corrupt(`family ${JSON.stringify(name)} has an invalid ${key}: ${JSON.stringify(text)}`, {
        field: key,
      });
    }
    return value;
  };
  const flag = (key: string): boolean => attributes.get(key)?.toLowerCase() === "true";
  const keep = attributes.get("KEEP_DELETED_CELLS")?.toUpperCase() ?? "FALSE";
  if (keep !== "FALSE" && keep !== "TRUE" && keep !== "TTL") {
    throw corrupt(
      `family ${JSON.stringify(name)} has an invalid KEEP_DELETED_CELLS: ${JSON.stringify(keep)}`,
      {
        field: "KEEP_DELETED_CELLS",
      },
    );
  }
  const ttl = integer("TTL", FOREVER);
  return {
    name,
    maxVersions: integer("VERSIONS", 1),
    minVersions: integer("MIN_VERSIONS", 0),
    ttlSeconds: ttl >= FOREVER ? undefined : ttl,
    keepDeletedCells: keep,
    newVersionBehavior: flag("NEW_VERSION_BEHAVIOR"),
    mob: flag("IS_MOB"),
    attributes,
    configuration: settingsOf(configuration),
  };
}

function attributesOf(pairs: readonly Attribute[]): Attributes {
  const text = new TextDecoder();
  return new Map(pairs.map(({ key, value }) => [text.decode(key), text.decode(value)]));
}

function settingsOf(
  pairs: readonly { readonly name?: string | undefined; readonly value?: string | undefined }[],
): Attributes {
  return new Map(pairs.map(({ name = "", value = "" }) => [name, value]));
}
