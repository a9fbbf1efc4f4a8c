/** A table, limited to the tablets that have a replica on the server. */
import { type CFileError, isCFileError } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import type { DiffBatch, RowCells, RowKey } from "@cfile/rowset";
import type { Partition } from "../catalog/partition-message.js";
import type { KuduTablet } from "./kudu-tablet.js";
import type {
  TabletChangeOptions,
  TabletLookUpOptions,
  TabletScanOptions,
  Tolerance,
} from "./tablet-options.js";

/** Rows, and their tablet. */
export type OfTablet<B> = B & { readonly tablet: KuduTablet };

/** A tablet that cannot be read, and why. */
export interface MissingTablet {
  /** Its ID, or a description of the tablet if the ID is unknown. */
  readonly id: string;
  /** `undefined` if its superblock is damaged and there is no master. */
  readonly partition: Partition | undefined;
  readonly error: CFileError;
}

/** The parts of a {@link KuduTable}. */
export interface KuduTableParts {
  readonly name: string;
  readonly id: string;
  /** Ordered by partition. */
  readonly tablets: readonly KuduTablet[];
  /** Tablets that the table has, or may have. */
  readonly missing: readonly MissingTablet[];
}

/**
 * A table, limited to the tablets on this server: scans, lookups and diffs of its rows. A tablet with a damaged superblock may belong to
 * any table of the server: it is an error, or is reported to `onUnreadable`.
 */
export class KuduTable {
  readonly name: string;
  readonly id: string;
  /** Ordered by partition. */
  readonly tablets: readonly KuduTablet[];
  /** Tablets that cannot be read. */
  readonly missing: readonly MissingTablet[];

  constructor({ name, id, tablets, missing }: KuduTableParts) {
    this.name = name;
    this.id = id;
    this.tablets = tablets;
    this.missing = missing;
  }

  /**
   * The rows, tablet after tablet; in each tablet in key order unless `order` is `any`.
   *
   * @throws {CFileError} as `KuduTablet.scan`
   */
  async *scan(options: TabletScanOptions = {}): AsyncGenerator<OfTablet<TableBatch>, void, void> {
    this.requireTablets(options);
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
   * @throws {CFileError} as `KuduTablet.diff`
   */
  async *diff(
    from: bigint,
    to: bigint,
    options: TabletChangeOptions = {},
  ): AsyncGenerator<OfTablet<DiffBatch>, void, void> {
    this.requireTablets(options);
    for (const tablet of this.tablets) {
      for await (const batch of tolerantly(tablet, tablet.diff(from, to, options), options)) {
        yield Object.assign(batch, { tablet });
      }
    }
  }

  /**
   * One row by its key, from any tablet.
   *
   * @throws {CFileError} as `KuduTablet.get`
   */
  async get(key: RowKey, options: TabletLookUpOptions = {}): Promise<RowCells | undefined> {
    for (const tablet of this.tablets) {
      try {
        const row = await tablet.get(key, options);
        if (row !== undefined) {
          return row;
        }
      } catch (error) {
        leaveOut(tablet, error, options);
      }
    }
    this.requireTablets(options);
    return undefined;
  }

  private requireTablets({ onUnreadable }: Tolerance): void {
    for (const { id, error } of this.missing) {
      if (onUnreadable === undefined) {
        throw error;
      }
      onUnreadable({ tablet: id, rowSet: undefined, error });
    }
  }
}

async function* tolerantly<B>(
  tablet: KuduTablet,
  batches: AsyncGenerator<B, void, void>,
  tolerance: Tolerance,
): AsyncGenerator<B, void, void> {
  try {
    yield* batches;
  } catch (error) {
    leaveOut(tablet, error, tolerance);
  }
}

/** Reports a tablet without data to `onUnreadable`. @throws every other error */
function leaveOut(tablet: KuduTablet, error: unknown, { onUnreadable, anyState = false }: Tolerance): void {
  const isWithoutData = tablet.state !== "ready" && !anyState;
  if (onUnreadable === undefined || !isWithoutData || !isCFileError(error)) {
    throw error;
  }
  onUnreadable({ tablet: tablet.id, rowSet: undefined, error });
}
