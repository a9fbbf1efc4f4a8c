/**
 * Decides which cells of a family a client sees (docs/spec/hbase-table.md#62-scan-and-get and docs/spec/hbase-table.md#64-raw-scan).
 * Cells come in the order of the merge; {@link VersionRules.accept} decides each one.
 */
import { cellTtl } from "./cell-tags.js";
import { DELETE, DELETE_COLUMN, DELETE_FAMILY, DELETE_FAMILY_VERSION, isMarker } from "./cell-type.js";
import type { StoreCursor } from "./store-cursor.js";

/** A 64-bit integer in two halves: signed upper, unsigned lower. */
export interface Split64 {
  readonly high: number;
  readonly low: number;
}

/** @param value from -2^63 to 2^63 */
export function split64(value: bigint): Split64 {
  return { high: Number(value >> 32n), low: Number(value & 0xffff_ffffn) };
}

/** Settings of the rules of a family. */
export interface RuleSettings {
  /** The family's `VERSIONS`. */
  readonly maxVersions: number;
  readonly minVersions: number;
  /** Whether markers beyond the scan's time range are ignored. */
  readonly keepsDeletedCells: boolean;
  /** Cells with timestamps before this have expired; -Infinity for none. */
  readonly oldestTimestamp: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Number of versions that the scan requests; Infinity for all. */
  readonly versions: number;
  /** Timestamps from `from`, inclusive, to `to`, exclusive. */
  readonly from: Split64;
  readonly to: Split64;
  /** Whether markers are returned and delete nothing. */
  readonly raw: boolean;
  /** Whether the scan names columns of the family, which follow a slightly different rule for expired cells. */
  readonly namesColumns: boolean;
}

/** The state of the rules in a row and a column. */
export class VersionRules {
  /** Whether the first version of a column is returned if it is ordinary, without tags, and the row {@link isUnmarked}. */
  readonly takesOrdinary: boolean;
  protected readonly settings: RuleSettings;
  private readonly limit: number;
  /** Timestamp up to which the family is deleted. */
  private familyHigh = 0;
  private familyLow = 0;
  private hasFamilyStamp = false;
  /** Timestamps at which the family is deleted. */
  private readonly familyVersions = new Set<bigint>();
  /** The column's marker that applies: its type, or 0. */
  private markerType = 0;
  private markerHigh = 0;
  private markerLow = 0;
  private count = 0;
  private isDone = false;
  /** Timestamp and type of the last version; type 0 before the first. */
  private lastHigh = 0;
  private lastLow = 0;
  private lastType = 0;

  constructor(settings: RuleSettings) {
    this.settings = settings;
    this.limit = settings.raw ? settings.versions : Math.min(settings.versions, settings.maxVersions);
    const { raw, namesColumns, oldestTimestamp, from, to } = settings;
    const isAllTime = from.high === -(2 ** 31) && to.high === 2 ** 31;
    const isForever = oldestTimestamp === Number.NEGATIVE_INFINITY;
    this.takesOrdinary = !raw && !namesColumns && isAllTime && isForever && this.limit > 0;
  }

  /** Whether no marker so far deletes cells of the row regardless of their columns. */
  get isUnmarked(): boolean {
    return !this.hasFamilyStamp && this.familyVersions.size === 0;
  }

  /** Forgets the previous row and column. */
  beginRow(): void {
    this.hasFamilyStamp = false;
    if (this.familyVersions.size > 0) {
      this.familyVersions.clear();
    }
    this.beginColumn();
  }

  /** Forgets the previous column. */
  beginColumn(): void {
    this.markerType = 0;
    this.count = 0;
    this.isDone = false;
    this.lastType = 0;
  }

  /** Whether the cell has expired by a time to live and counts as absent. */
  isGone(cell: StoreCursor): boolean {
    const { settings } = this;
    if (!settings.raw && settings.minVersions === 0 && timestampOf(cell) < settings.oldestTimestamp) {
      return true;
    }
    if (!cell.batch.layout.tags) {
      return false;
    }
    const ttl = cellTtl(cell.batch, cell.index);
    return ttl !== undefined && timestampOf(cell) + ttl < settings.now;
  }

  /** Whether the client sees the cell. */
  accept(cell: StoreCursor, isNamed: boolean): boolean {
    if (this.isGone(cell)) {
      return false;
    }
    const { type } = cell;
    if (!this.settings.raw) {
      if (isMarker(type)) {
        if (this.isNoted(cell)) {
          this.note(cell);
        }
        return false;
      }
      if (!isNamed || this.isDone || this.isDeleted(cell)) {
        return false;
      }
    }
    return isNamed && !this.isDone && this.isInRange(cell) && this.isVersion(cell);
  }

  /** Whether a marker counts in the scan's time range. */
  protected isNoted(cell: StoreCursor): boolean {
    const { keepsDeletedCells, from, to } = this.settings;
    return !isBefore(cell, from) && (!keepsDeletedCells || isBefore(cell, to));
  }

  protected isInRange(cell: StoreCursor): boolean {
    const { from, to } = this.settings;
    return isBefore(cell, to) && !isBefore(cell, from);
  }

  private note(cell: StoreCursor): void {
    const { timestampHigh: high, timestampLow: low, type } = cell;
    if (this.hasFamilyStamp && !isAfter(high, low, this.familyHigh, this.familyLow)) {
      return;
    }
    if (type === DELETE_FAMILY) {
      this.hasFamilyStamp = true;
      this.familyHigh = high;
      this.familyLow = low;
    } else if (type === DELETE_FAMILY_VERSION) {
      this.familyVersions.add(joined(high, low));
    } else if ((type === DELETE || type === DELETE_COLUMN) && type >= this.markerType) {
      this.markerType = type;
      this.markerHigh = high;
      this.markerLow = low;
    }
  }

  private isDeleted({ timestampHigh: high, timestampLow: low }: StoreCursor): boolean {
    return (
      (this.hasFamilyStamp && !isAfter(high, low, this.familyHigh, this.familyLow)) ||
      (this.familyVersions.size > 0 && this.familyVersions.has(joined(high, low))) ||
      this.markerType === DELETE_COLUMN ||
      (this.markerType === DELETE && this.markerHigh === high && this.markerLow === low)
    );
  }

  /** Counts a version, unless an equal one was counted. */
  private isVersion(cell: StoreCursor): boolean {
    const { timestampHigh: high, timestampLow: low, type } = cell;
    if (this.lastType === type && this.lastHigh === high && this.lastLow === low) {
      return false;
    }
    if (!isMarker(type)) {
      this.count++;
    }
    const { minVersions, namesColumns, raw } = this.settings;
    const isExpired = !raw && timestampOf(cell) < this.settings.oldestTimestamp;
    if (namesColumns) {
      this.isDone = this.count >= this.limit || (this.count >= minVersions && isExpired);
    } else if (this.count > this.limit || (isExpired && this.count > minVersions)) {
      this.isDone = true;
      return false;
    }
    this.lastHigh = high;
    this.lastLow = low;
    this.lastType = type;
    return true;
  }
}

/** The timestamp, rounded above 2^53; the order against smaller integers is exact. */
export function timestampOf({ timestampHigh, timestampLow }: StoreCursor): number {
  return timestampHigh * 2 ** 32 + timestampLow;
}

export function joined(high: number, low: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low);
}

function isBefore({ timestampHigh, timestampLow }: StoreCursor, { high, low }: Split64): boolean {
  return timestampHigh < high || (timestampHigh === high && timestampLow < low);
}

function isAfter(high: number, low: number, otherHigh: number, otherLow: number): boolean {
  return high > otherHigh || (high === otherHigh && low > otherLow);
}
