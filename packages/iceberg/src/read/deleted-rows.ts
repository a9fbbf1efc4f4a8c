/** The rows that the delete files of a snapshot delete. Their positions and keys are kept in memory: each file is read once. */
import { corrupt, toHex } from "@cfile/bytes";
import type { CellValue, ColumnBatch } from "@cfile/encodings";
import type { TableBatch } from "@cfile/encodings/batches";
import type { ParquetFile } from "@cfile/parquet";
import { fileColumns } from "./file-columns.js";
import type { DeleteFile, SnapshotFile } from "./snapshot-files.js";

/** Finds the rows that are left. */
export interface RowDeletes {
  /** IDs of the columns that are needed. */
  readonly ids: readonly number[];
  /** @param columns of the rows, by ID */
  liveRows(batch: TableBatch, columns: ReadonlyMap<number, ColumnBatch>): Uint32Array;
}

interface DeletedKeys {
  readonly ids: readonly number[];
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

  /** What is deleted of a data file; `undefined` if nothing is. */
  async of(
    { path, deletes }: SnapshotFile,
    signal: AbortSignal | undefined,
  ): Promise<RowDeletes | undefined> {
    const positions: ReadonlySet<number>[] = [];
    const keys: DeletedKeys[] = [];
    for (const file of deletes) {
      if (file.equalityIds === undefined) {
        const deleted = (await once(this.positions, file.name, () => this.readPositions(file, signal))).get(
          path,
        );
        positions.push(...(deleted === undefined ? [] : [deleted]));
      } else {
        const { equalityIds: ids } = file;
        keys.push(await once(this.keys, file.name, () => this.readKeys(file, ids, signal)));
      }
    }
    if (positions.length === 0 && keys.length === 0) {
      return undefined;
    }
    return {
      ids: keys.flatMap(({ ids }) => ids),
      liveRows: (batch, columns) => {
        const deletedKeys = keys.map(({ ids, keys: deleted }) => ({
          texts: keyTexts(
            ids.map((id) => columns.get(id)),
            batch.length,
          ),
          deleted,
        }));
        return Uint32Array.from({ length: batch.length }, (_, row) => row).filter(
          (row) =>
            !positions.some((deleted) => deleted.has(batch.firstRow + row)) &&
            !deletedKeys.some(({ texts, deleted }) => deleted.has(texts[row] ?? "")),
        );
      },
    };
  }

  private async readPositions({ name }: DeleteFile, signal: AbortSignal | undefined) {
    const byPath = new Map<string, Set<number>>();
    const file = await this.open(name);
    try {
      for await (const { columns, length } of file.scan({ columns: ["file_path", "pos"], signal })) {
        const [paths = [], positions = []] = columns.map((column) => column.toArray({ int64: "number" }));
        for (let row = 0; row < length; row++) {
          const path = String(paths[row]);
          const deleted = byPath.get(path) ?? new Set();
          byPath.set(path, deleted.add(Number(positions[row])));
        }
      }
    } finally {
      await file.close();
    }
    return byPath;
  }

  private async readKeys({ name }: DeleteFile, ids: readonly number[], signal: AbortSignal | undefined) {
    const keys = new Set<string>();
    const file = await this.open(name);
    try {
      const names = fileColumns(file);
      const columns = ids.map((id) => names.get(id)?.name ?? "");
      if (columns.includes("")) {
        throw corrupt("a file of equality deletes lacks a column", { path: name, field: "equality_ids" });
      }
      for await (const batch of file.scan({ columns, signal })) {
        for (const text of keyTexts(batch.columns, batch.length)) {
          keys.add(text);
        }
      }
    } finally {
      await file.close();
    }
    return { ids, keys };
  }
}

function once<T>(known: Map<string, Promise<T>>, name: string, read: () => Promise<T>): Promise<T> {
  const value = known.get(name) ?? read();
  known.set(name, value);
  return value;
}

/** Text that rows with equal cells have in common. */
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
