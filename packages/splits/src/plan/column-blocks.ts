/**
 * Finds rows at which columns with the same rows can be divided, and the stored bytes between them. Blocks of different columns end at
 * different rows: rows are divided at the block boundaries of the largest column.
 */
import { corrupt } from "@cfile/bytes";
import type { CFileReader } from "@cfile/format";

/** Data blocks of a column. */
interface Blocks {
  /** First row of each block, then the number of rows. */
  readonly starts: readonly number[];
  /** Stored bytes before each block, then of all blocks. */
  readonly bytes: readonly number[];
}

/** Ranges of rows between block boundaries. */
export interface Stretches {
  /** First row of each range, then the number of rows. */
  readonly starts: readonly number[];
  /** Estimated stored bytes of each range, of all columns. */
  readonly sizes: Float64Array;
}

/**
 * @param total stored bytes of all files, including indexes and changes
 * @returns `undefined` without a positional index that has at least two blocks
 * @throws {CFileError} `E_CORRUPT` for an invalid index; as for reading it
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
        const details = { path: column.path, field: "posidx", actual: firstRow };
        throw corrupt(`invalid first row of a data block: ${firstRow}`, details);
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

/** Estimated bytes before a row of block `at`, if all rows of a block have the same size. */
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
