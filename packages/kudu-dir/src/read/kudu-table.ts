/** A table: those of its tablets of which the server has a replica. */

import { isCFileError } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import type { DiffBatch, RowCells, RowKey } from "@cfile/rowset";
import type {
  KuduTablet,
  TabletChangeOptions,
  TabletLookUpOptions,
  TabletScanOptions,
  Tolerance,
} from "./kudu-tablet.js";

/** Rows, and the tablet they are in. */
export type OfTablet<B> = B & { readonly tablet: KuduTablet };

/** A table, as far as its tablets are on this server: scans, look-ups, versions and diffs of its rows. */
export class KuduTable {
  readonly name: string;
  readonly id: string;
  /** In the order of their partitions. */
  readonly tablets: readonly KuduTablet[];

  constructor(name: string, id: string, tablets: readonly KuduTablet[]) {
    this.name = name;
    this.id = id;
    this.tablets = tablets;
  }

  /**
   * The rows, tablet after tablet, of each in key order unless `order` says that any will do.
   *
   * @throws CFileError as `KuduTablet.scan`
   */
  async *scan(options: TabletScanOptions = {}): AsyncGenerator<OfTablet<TableBatch>, void, void> {
    let left = options.limit ?? Number.POSITIVE_INFINITY;
    for (const tablet of this.tablets) {
      for await (const batch of tolerantly(tablet, tablet.scan({ ...options, limit: left }), options)) {
        left -= batch.length;
        yield Object.assign(batch, { tablet });
      }
      if (left <= 0) {
        return;
      }
    }
  }

  /**
   * The rows that changed, tablet after tablet.
   *
   * @throws CFileError as `KuduTablet.diff`
   */
  async *diff(
    from: bigint,
    to: bigint,
    options: TabletChangeOptions = {},
  ): AsyncGenerator<OfTablet<DiffBatch>, void, void> {
    for (const tablet of this.tablets) {
      for await (const batch of tolerantly(tablet, tablet.diff(from, to, options), options)) {
        yield Object.assign(batch, { tablet });
      }
    }
  }

  /**
   * One row by its key, in whichever tablet it is.
   *
   * @throws CFileError as `KuduTablet.get`
   */
  async get(key: RowKey, options: TabletLookUpOptions = {}): Promise<RowCells | undefined> {
    for (const tablet of this.tablets) {
      const row = await tablet.get(key, options);
      if (row !== undefined) {
        return row;
      }
    }
    return undefined;
  }
}

/** A tablet without data is one that cannot be read; when somebody listens, it is left out. */
async function* tolerantly<B>(
  tablet: KuduTablet,
  batches: AsyncGenerator<B, void, void>,
  { onUnreadable, anyState = false }: Tolerance,
): AsyncGenerator<B, void, void> {
  try {
    yield* batches;
  } catch (error) {
    const isWithoutData = tablet.state !== "ready" && !anyState;
    if (onUnreadable === undefined || !isWithoutData || !isCFileError(error)) {
      throw error;
    }
    onUnreadable({ tablet: tablet.id, rowSet: undefined, error });
  }
}
