/**
 * DiskRowSets whose files a `.json` file lists by role, as a Kudu server keeps them:
 *
 * | field | |
 * | --- | --- |
 * | `schema` | the columns, key first: `{"id", "name", "type"}` with types as in `schema.ts`; optional: `"key": true`, and `"default"`, the cell, as text, of rows written before the column was added |
 * | `row_sets` | objects: `columns`, an object from column ID to file; optional: `bloom`, `adhoc_index`, `redo` (oldest first), `undo` (newest first) |
 *
 * Files are URLs, or paths relative to the `.json` file.
 */
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { ByteSource } from "@cfile/io";
import type { RowSetColumn, RowSetFiles, RowSetReader, RowSetSchema } from "@cfile/rowset";
import { openRowSet, TabletReader } from "@cfile/rowset";
import { type RowSetVerifyOptions, type RowSetVerifyReport, verifyRowSet } from "@cfile/rowset/verify";
import { givenCellParser } from "../options/given-cell.js";
import { UsageError } from "../program/exit-code.js";
import { columnId, isRecord, parseSchemaJson, parseType } from "../table/schema.js";

type Json = Readonly<Record<string, unknown>>;
type Open = (location: string) => Promise<ByteSource>;

/** An open table of such DiskRowSets. */
export class RoleTable extends TabletReader {
  /**
   * @param open opens a path or URL
   * @throws UsageError naming the invalid field
   * @throws {CFileError} as `openRowSet`
   */
  static async open(path: string, open: Open): Promise<RoleTable> {
    const json = parseSchemaJson(await readFile(path, "utf8"), path);
    const schema = schemaOf(json, path);
    const opened: ByteSource[] = [];
    const locate = async (file: string): Promise<ByteSource> => {
      const source = await open(/^[a-z]+:\/\//i.test(file) ? file : resolve(dirname(path), file));
      opened.push(source);
      return source;
    };
    try {
      const readers: RowSetReader[] = [];
      for (const entry of listOf(json["row_sets"], `${path}: "row_sets"`)) {
        readers.push(await openRowSet(await filesOf(entry, path, locate), schema));
      }
      return new RoleTable(schema, readers);
    } catch (error) {
      await Promise.all(opened.map((source) => source.close?.()));
      throw error;
    }
  }

  /** As `TableStore.verify`. */
  async verify(options: RowSetVerifyOptions = {}): Promise<RowSetVerifyReport[]> {
    const reports: RowSetVerifyReport[] = [];
    for (const { files } of this.rowSets) {
      reports.push(await verifyRowSet(files, this.schema, options));
    }
    return reports;
  }
}

function schemaOf(json: Json, path: string): RowSetSchema {
  return { columns: listOf(json["schema"], `${path}: "schema"`).map((entry) => columnOf(entry, path)) };
}

function columnOf(entry: unknown, path: string): RowSetColumn {
  const { id, name, type, key = false, default: text, ...unknown } = isRecord(entry) ? entry : {};
  if (typeof id !== "number" || typeof name !== "string" || typeof type !== "string") {
    throw new UsageError(
      `${path}: a column must have id, name and type, like {"id": 11, "name": "price", "type": "int64?"}`,
    );
  }
  const where = `${path}: column "${name}"`;
  refuseUnknown(unknown, where);
  if (typeof key !== "boolean" || !(text === undefined || text === null || typeof text === "string")) {
    throw new UsageError(`${where}: "key" must be true or false, "default" text`);
  }
  const spec = { name, ...parseType(name, type) };
  const readDefault = typeof text === "string" ? givenCellParser(`${path}: "default"`, spec)(text) : text;
  return { ...spec, id: columnId(id, name), isKey: key, readDefault };
}

async function filesOf(entry: unknown, path: string, open: Open): Promise<RowSetFiles> {
  const files = isRecord(entry) ? entry : {};
  const { columns, bloom, adhoc_index: adhocIndex, redo = [], undo = [], ...unknown } = files;
  refuseUnknown(unknown, `${path}: DiskRowSet`);
  if (!isRecord(columns)) {
    throw new UsageError(`${path}: DiskRowSet: missing "columns", an object from ID to file`);
  }
  const one = async (role: string, file: unknown): Promise<ByteSource> => {
    if (typeof file !== "string") {
      throw new UsageError(`${path}: "${role}" must be a path or URL`);
    }
    return open(file);
  };
  const optional = async (role: string, file: unknown): Promise<ByteSource | undefined> =>
    file === undefined || file === null ? undefined : one(role, file);
  const all = (role: string, list: unknown): Promise<ByteSource[]> =>
    Promise.all(listOf(list, `${path}: "${role}"`).map((file) => one(role, file)));
  const sources = new Map<number, ByteSource>();
  for (const [id, file] of Object.entries(columns)) {
    sources.set(columnId(Number(id), id), await one("columns", file));
  }
  return {
    columns: sources,
    bloom: await optional("bloom", bloom),
    adhocIndex: await optional("adhoc_index", adhocIndex),
    redo: await all("redo", redo),
    undo: await all("undo", undo),
  };
}

function refuseUnknown(fields: Json, where: string): void {
  const [name] = Object.keys(fields);
  if (name !== undefined) {
    throw new UsageError(`${where}: unknown field "${name}"`);
  }
}

function listOf(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) {
    throw new UsageError(`${what} must be a list`);
  }
  return value;
}
