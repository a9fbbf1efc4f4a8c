/**
 * Values in MOB files (docs/spec/hbase-table.md#9-mob). A cell with the tag 5 has, instead of its value, the value's length (i32) and the
 * name of a file with the whole cell. The tag 6 says which table has the file, in the folder of a region with the start key `.mob`.
 */
import { corrupt, equalBytes, utf8Bytes, withErrorContext } from "@cfile/bytes";
import type { CellBatch, HFileReader } from "@cfile/hfile";
import type { FileTree, ReadOptions } from "@cfile/io";
import type { CellOutput } from "../cells/cell-output.js";
import { MOB_REFERENCE_TAG, MOB_TABLE_TAG, tagValue } from "../cells/cell-tags.js";
import { isMobFileName } from "../files/file-name.js";
import { firstPresent, mobCandidatePaths } from "../files/file-places.js";
import { openTreeHFile, type StoreMemory } from "../files/store-file.js";
import { encodedRegionName } from "../root/region-info.js";
import { storedTableName, type TableName, tableNameText } from "../root/table-name.js";

const MOB_START_KEY = /* @__PURE__ */ utf8Bytes(".mob");
/** Length of the value, before the name of its file. */
const LENGTH_BYTES = 4;
const MAX_OPEN = 64;

/** The location of a cell's value. */
export interface MobReference {
  readonly table: TableName;
  readonly file: string;
  readonly length: number;
}

/** The encoded name of the region whose folder has a table's MOB files. */
function mobRegionName(table: TableName): string {
  return encodedRegionName(table, MOB_START_KEY, 0);
}

/**
 * The reference in a cell; `undefined` for a cell with its own value.
 * @param table the table that is read; used if no tag names a table
 * @throws {CFileError} `E_CORRUPT` for a malformed reference
 */
export function mobReference(batch: CellBatch, index: number, table: TableName): MobReference | undefined {
  if (tagValue(batch, index, MOB_REFERENCE_TAG) === undefined) {
    return undefined;
  }
  const value = batch.value(index);
  const text = new TextDecoder();
  const file = text.decode(value.subarray(LENGTH_BYTES));
  if (value.length < LENGTH_BYTES || !isMobFileName(file)) {
    throw corrupt("a reference to a MOB file has no valid file name", {
      field: "MOB reference",
      actual: file,
    });
  }
  const stated = tagValue(batch, index, MOB_TABLE_TAG);
  return {
    table: stated === undefined ? table : storedTableName(text.decode(stated), "MOB table"),
    file,
    length: new DataView(value.buffer, value.byteOffset, LENGTH_BYTES).getInt32(0),
  };
}

/** Reads values from MOB files. The last few files stay open. */
export class MobValues {
  private readonly tree: FileTree;
  private readonly table: TableName;
  private readonly memory: StoreMemory;
  /** Most recently used last. */
  private readonly files = new Map<string, Promise<HFileReader>>();

  constructor(tree: FileTree, table: TableName, memory: StoreMemory) {
    this.tree = tree;
    this.table = table;
    this.memory = memory;
  }

  /**
   * The values of cells that refer to MOB files, by position.
   * @param families names of the families by rank; `undefined` for those without MOB files
   * @throws {CFileError} `E_BLOCK_MISSING` for a missing file, `E_CORRUPT` for a missing cell
   */
  async resolve(
    output: CellOutput,
    families: readonly (string | undefined)[],
    options: ReadOptions,
  ): Promise<ReadonlyMap<number, Uint8Array>> {
    const values = new Map<number, Uint8Array>();
    for (const [run, batch] of output.batches.entries()) {
      const family = families[output.families[run] as number];
      if (family === undefined) {
        continue;
      }
      const start = output.starts[run] as number;
      const end = output.starts[run + 1] ?? output.length;
      let index = output.firsts[run] as number;
      for (let i = start; i < end; i++, index++) {
        const reference = mobReference(batch, index, this.table);
        if (reference !== undefined) {
          values.set(i, await this.value(reference, family, batch.cell(index).key, options));
        }
      }
    }
    return values;
  }

  /** The value of the cell with a key. */
  async value(
    { table, file, length }: MobReference,
    family: string,
    key: Uint8Array,
    options: ReadOptions,
  ): Promise<Uint8Array> {
    const hfile = await this.open(table, family, file);
    const row = key.subarray(2, 2 + (((key[0] as number) << 8) | (key[1] as number)));
    const cell = (await hfile.getAll(row, options)).find((each) => equalBytes(each.key, key));
    return withErrorContext({ path: hfile.source.name }, () => {
      if (cell === undefined) {
        throw corrupt("the MOB file lacks a cell that refers to it", { field: "MOB reference" });
      }
      if (cell.value.length !== length) {
        const details = { field: "MOB reference", expected: length, actual: cell.value.length };
        throw corrupt("a value in a MOB file has a length that differs from its reference", details);
      }
      return cell.value;
    });
  }

  async close(): Promise<void> {
    const files = [...this.files.values()];
    this.files.clear();
    await Promise.all(files.map(closeFile));
  }

  private async open(table: TableName, family: string, file: string): Promise<HFileReader> {
    const key = `${tableNameText(table)}/${family}/${file}`;
    const opening = this.files.get(key) ?? this.openFile(table, family, file);
    this.files.delete(key);
    this.files.set(key, opening);
    try {
      return await opening;
    } catch (error) {
      this.files.delete(key);
      throw error;
    } finally {
      await this.closeOldest();
    }
  }

  private openFile(table: TableName, family: string, hfile: string): Promise<HFileReader> {
    const paths = mobCandidatePaths({ table, region: mobRegionName(table), hfile }, family);
    return firstPresent(this.tree, paths, (path) => openTreeHFile(this.tree, path, this.memory));
  }

  private async closeOldest(): Promise<void> {
    for (const [key, opening] of this.files) {
      if (this.files.size <= MAX_OPEN) {
        return;
      }
      this.files.delete(key);
      await closeFile(opening);
    }
  }
}

async function closeFile(opening: Promise<HFileReader>): Promise<void> {
  const file = await opening.catch(() => undefined);
  await file?.close();
}
