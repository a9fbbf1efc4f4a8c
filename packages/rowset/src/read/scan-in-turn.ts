/** Reads several row sets one after the other. During the scan of one, the next one is opened and its first rows are read. */
import type { TableBatch } from "@cfile/encodings/batches";
import type { RowSetReader } from "./row-set-reader.js";
import { checkLimit, type RowScanOptions } from "./scan-options.js";

/** A scan whose first batch is being read. */
interface BegunScan {
  readonly batches: AsyncGenerator<TableBatch, void, void>;
  readonly first: Promise<IteratorResult<TableBatch, void>>;
}

/**
 * Yields the rows of one row set after the other, each in key order; nothing is compared. `rows` of a batch are numbers in its row
 * set.
 *
 * @param rowSets of one schema; with a limit, each is requested only after the previous one has been read
 * @throws {CFileError} as `RowSetReader.scan`
 */
export async function* scanInTurn(
  rowSets: Iterable<RowSetReader> | AsyncIterable<RowSetReader>,
  options: RowScanOptions = {},
): AsyncGenerator<TableBatch, void, void> {
  let left = checkLimit(options.limit);
  const isLimited = left < Number.POSITIVE_INFINITY;
  const readers = readersOf(rowSets);
  let turn = 0;
  const begin = async (): Promise<BegunScan | undefined> => {
    const { done, value } = await readers.next();
    if (done === true) {
      return undefined;
    }
    // Two scans overlap, and each requires its own memory.
    const arena = options.arena?.part(turn++ % 2 === 0 ? "even" : "odd");
    const batches = value.scan({ ...options, limit: left, arena });
    return { batches, first: quiet(batches.next()) };
  };
  let ahead: Promise<BegunScan | undefined> | undefined;
  try {
    while (left > 0) {
      const scan = await (ahead ?? begin());
      ahead = undefined;
      if (scan === undefined) {
        return;
      }
      try {
        let next = await scan.first;
        ahead = isLimited ? undefined : quiet(begin());
        for (; next.done !== true; next = await scan.batches.next()) {
          left -= next.value.length;
          yield next.value;
        }
      } finally {
        await scan.batches.return();
      }
    }
  } finally {
    const unused = await ahead?.catch(() => undefined);
    await unused?.batches.return();
    await readers.return?.();
  }
}

function readersOf(
  rowSets: Iterable<RowSetReader> | AsyncIterable<RowSetReader>,
): Iterator<RowSetReader> | AsyncIterator<RowSetReader> {
  return Symbol.asyncIterator in rowSets ? rowSets[Symbol.asyncIterator]() : rowSets[Symbol.iterator]();
}

/** A rejection is reported when the promise is awaited, or not at all if the scan ends earlier. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
