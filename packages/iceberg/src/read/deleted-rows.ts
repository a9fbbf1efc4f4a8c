/** The rows deleted by the delete files of a snapshot. Their positions and keys are kept in memory, so each file is read once. */
import { corrupt, toHex } from "@cfile/bytes";
import type { CellValue, ColumnBatch } from "@cfile/encodings";
import type { TableBatch } from "@cfile/encodings/batches";
import type { TableColumn } from "@cfile/format";
import type { ParquetFile } from "@cfile/parquet";
import { fileColumns } from "./file-columns.js";
import type { SnapshotFile } from "./snapshot-files.js";

/** Finds the rows that are not deleted. */
export interface RowDeletes {
  /** The key columns that are required, with their types in delete files. */
  readonly keys: readonly { readonly id: number; readonly column: TableColumn }[];
  /** @param columns of the rows, by ID */
  liveRows(batch: TableBatch, columns: ReadonlyMap<number | undefined, ColumnBatch>): Uint32Array;
}

interface DeletedKeys {
  readonly columns: RowDeletes["keys"];
  readonly keys: ReadonlySet<string>;
}

export class DeletedRows {
  private readonly open: (name: string) => Promise<ParquetFile>;
  /** Positions by path of their data file. */
  private readonly positions = new Map<string, Promise<ReadonlyMap<string, ReadonlySet<number>>>>();
  private readonly keys = new Map<string, Promise<DeletedKeys>>();

  /** @param open opens a file of the folder `data` */
  constructor(open: (name: string) => Promise<ParquetFile>) {
    this.open = open;
  }

  /** The deletes of a data file; `undefined` without any. */
  async of(
    { path, deletes }: SnapshotFile,
    signal: AbortSignal | undefined,
  ): Promise<RowDeletes | undefined> {
    const positions: ReadonlySet<number>[] = [];
    const keys: DeletedKeys[] = [];
    for (const { name, equalityIds: ids } of deletes) {
      if (ids === undefined) {
        const byPath = await once(this.positions, name, () => this.readPositions(name, signal));
        const deleted = byPath.get(path);
        positions.push(...(deleted === undefined ? [] : [deleted]));
      } else {
        keys.push(await once(this.keys, name, () => this.readKeys(name, ids, signal)));
      }
    }
    if (positions.length === 0 && keys.length === 0) {
      return undefined;
    }
    return {
      keys: keys.flatMap(({ columns }) => columns),
      liveRows: (batch, columns) => {
        const isDeleted = keys.map(({ columns: ofKey, keys: deleted }) =>
          keyTexts(
            ofKey.map(({ id }) => columns.get(id)),
            batch.length,
          ).map((text) => deleted.has(text)),
        );
        return Uint32Array.from({ length: batch.length }, (_, row) => row).filter(
          (row) =>
            !positions.some((deleted) => deleted.has(batch.firstRow + row)) &&
            !isDeleted.some((rows) => rows[row]),
        );
      },
    };
  }

  private async readPositions(path: string, signal: AbortSignal | undefined) {
    const byPath = new Map<string, Set<number>>();
    const file = await this.open(path);
    try {
      requireColumn(file, "file_path", "STRING", path);
      requireColumn(file, "pos", "INT64", path);
      for await (const { columns, length } of file.scan({ columns: ["file_path", "pos"], signal })) {
        if (columns.some(({ nullCount }) => nullCount > 0)) {
          throw corrupt("a file of position deletes has nulls", { path, field: "pos" });
        }
        const [paths = [], positions = []] = columns.map((column) => column.toArray({ int64: "number" }));
        for (let row = 0; row < length; row++) {
          const name = String(paths[row]);
          const deleted = byPath.get(name) ?? new Set();
          byPath.set(name, deleted.add(Number(positions[row])));
        }
      }
    } finally {
      await file.close();
    }
    return byPath;
  }

  private async readKeys(path: string, ids: readonly number[], signal: AbortSignal | undefined) {
    const keys = new Set<string>();
    const file = await this.open(path);
    try {
      const names = fileColumns(file);
      const columns = ids.map((id) => {
        const column = file.columns.find(({ name }) => name === names.get(id));
        if (column === undefined) {
          throw corrupt(`a file of equality deletes lacks column ${id}`, { path, field: "equality_ids" });
        }
        return { id, column };
      });
      for await (const batch of file.scan({ columns: columns.map(({ column }) => column.name), signal })) {
        for (const text of keyTexts(batch.columns, batch.length)) {
          keys.add(text);
        }
      }
      return { columns, keys };
    } finally {
      await file.close();
    }
  }
}

function requireColumn(file: ParquetFile, name: string, type: TableColumn["type"], path: string): void {
  const column = file.columns.find((one) => one.name === name);
  if (column?.type !== type || column.array) {
    const details = { path, field: name, expected: type, actual: column?.type };
    throw corrupt(`a file of position deletes lacks ${name} of type ${type}`, details);
  }
}

function once<T>(known: Map<string, Promise<T>>, name: string, read: () => Promise<T>): Promise<T> {
  const value = known.get(name) ?? read();
  known.set(name, value);
  return value;
}

/** One text per row, equal for rows with equal cells. A missing column has only nulls. */
function keyTexts(columns: readonly (ColumnBatch | undefined)[], length: number): string[] {
  const texts = new Array<string>(length).fill("");
  for (const column of columns) {
    const cells = column?.toArray({ strings: "bytes" }) ?? [];
    for (let row = 0; row < length; row++) {
      texts[row] += `${cellText(cells[row] ?? null)} `;
    }
  }
  return texts;
}

function cellText(cell: CellValue): string {
  return cell instanceof Uint8Array ? `x${toHex(cell)}` : Object.is(cell, -0) ? "-0" : String(cell);
}
