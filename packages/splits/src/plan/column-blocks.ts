/**
 * Where the data blocks of columns with the same rows begin, and how many stored bytes there are up to each row. Blocks of several
 * columns end at different rows: rows are divided where blocks of the largest column end.
 */
import { corrupt } from "@cfile/bytes";
import type { CFileReader } from "@cfile/format";

/** Data blocks of a column. */
interface Blocks {
  /** Row with which each block begins, and the number of rows at the end. */
  readonly starts: readonly number[];
  /** Stored bytes before each block, and of all at the end. */
  readonly bytes: readonly number[];
}

/** Rows that are read together, between borders of blocks. */
export interface Stretches {
  /** Row with which each begins, and the number of rows at the end. */
  readonly starts: readonly number[];
  /** About the stored bytes of each, of all columns together. */
  readonly sizes: Float64Array;
}

/**
 * @param total stored bytes of all files, those of indexes and changes too
 * @returns `undefined` when no positional index tells where blocks begin
 * @throws CFileError `E_CORRUPT` for an index that is none, and what reading it throws
 */
export async function stretchesOf(
  columns: readonly CFileReader[],
  total: number,
  signal: AbortSignal | undefined,
): Promise<Stretches | undefined> {
  const blocks: Blocks[] = [];
  for (const column of columns) {
    blocks.push(await blocksOf(column, signal));
  }
  const indexed = blocks.filter(({ starts }) => starts.length > 2);
  const [first] = indexed;
  if (first === undefined) {
    return undefined;
  }
  const largest = indexed.reduce((a, b) => (totalOf(b) > totalOf(a) ? b : a), first);
  const { starts } = largest;
  const sizes = new Float64Array(starts.length - 1);
  for (const column of blocks) {
    let before = 0;
    let at = 0;
    for (let i = 0; i < sizes.length; i++) {
      const end = starts[i + 1] as number;
      while ((column.starts[at + 1] ?? end) < end) {
        at++;
      }
      const upTo = bytesUpTo(column, at, end);
      sizes[i] = (sizes[i] as number) + upTo - before;
      before = upTo;
    }
  }
  const sum = sizes.reduce((all, size) => all + size, 0);
  const scale = sum > 0 ? total / sum : 0;
  return { starts, sizes: sizes.map((size) => size * scale) };
}

async function blocksOf(column: CFileReader, signal: AbortSignal | undefined): Promise<Blocks> {
  const { rowCount, structure } = column;
  const starts: number[] = [];
  const bytes = [0];
  let sum = 0;
  if (structure.footer.posidx !== undefined) {
    for (const { firstRow = 0, size } of await column.listDataBlocks({ signal })) {
      if (firstRow >= rowCount || firstRow !== Math.max(firstRow, (starts.at(-1) ?? -1) + 1)) {
        throw corrupt(`a data block that begins with row ${firstRow}`, {
          path: column.path,
          field: "posidx",
          actual: firstRow,
        });
      }
      starts.push(firstRow);
      sum += size;
      bytes.push(sum);
    }
  }
  return starts.length > 0
    ? { starts: [...starts, rowCount], bytes }
    : { starts: [0, rowCount], bytes: [0, structure.fileSize] };
}

/** Bytes before a row of block `at`, as if the bytes of a block were spread evenly over its rows. */
function bytesUpTo({ starts, bytes }: Blocks, at: number, row: number): number {
  const start = starts[at] ?? 0;
  const rows = (starts[at + 1] ?? row) - start;
  const before = bytes[at] ?? 0;
  const size = (bytes[at + 1] ?? before) - before;
  return rows > 0 ? before + (size * Math.min(rows, row - start)) / rows : before;
}

function totalOf({ bytes }: Blocks): number {
  return bytes.at(-1) ?? 0;
}
