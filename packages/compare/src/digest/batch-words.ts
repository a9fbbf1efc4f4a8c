/** The cells of a batch as words, column by column. */
import { invalidArgument } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import type { HashedCells } from "@cfile/kernels/rows";
import { CellWordMaker } from "./cell-words.js";
import { textWords } from "./string-hashes.js";

export class BatchWords {
  private readonly columns: readonly {
    readonly name: string;
    readonly isKey: boolean;
    readonly seed: readonly [number, number];
    readonly maker: CellWordMaker;
  }[];

  /**
   * @param names the columns
   * @param keyNames the key columns; if empty, all columns are the key
   */
  constructor(names: readonly string[], keyNames: readonly string[]) {
    this.columns = names.map((name) => ({
      name,
      isKey: keyNames.length === 0 || keyNames.includes(name),
      seed: textWords(name),
      maker: new CellWordMaker(),
    }));
  }

  /**
   * @returns words in memory that the next call reuses
   * @throws {CFileError} `E_INVALID_ARGUMENT` for a batch that lacks a column
   */
  of(batch: TableBatch): HashedCells[] {
    return this.columns.map(({ name, isKey, seed, maker }) => {
      const column = batch.columns[batch.names.indexOf(name)];
      if (column === undefined) {
        throw invalidArgument("a batch lacks a column of its table", { field: name });
      }
      const { words, form } = maker.of(column);
      return { words, form, validity: column.nullCount > 0 ? column.validity : undefined, seed, isKey };
    });
  }
}
