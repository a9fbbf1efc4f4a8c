/**
 * Decides which cells of a family with NEW_VERSION_BEHAVIOR a client sees (docs/spec/hbase-table.md#65-new-version-behaviour): markers
 * delete only what was written before them. That depends on all cells of a column, which are collected until the column ends.
 */
import type { CellBatch } from "@cfile/hfile";
import type { CellOutput } from "./cell-output.js";
import { DELETE_COLUMN, DELETE_FAMILY, DELETE_FAMILY_VERSION, isMarker } from "./cell-type.js";
import type { StoreCursor } from "./store-cursor.js";
import { joined, type RuleSettings, timestampOf, VersionRules } from "./version-rules.js";

interface Version {
  readonly batch: CellBatch;
  readonly index: number;
  readonly timestamp: bigint;
  readonly sequenceId: number;
  readonly isExpired: boolean;
  readonly isInRange: boolean;
  isGone: boolean;
}

interface Marker {
  readonly type: number;
  readonly timestamp: bigint;
  readonly sequenceId: number;
}

/** The state of the rules in a row and a column. */
export class NewVersionRules extends VersionRules {
  override readonly takesOrdinary = false;
  private familyMarkers: Marker[] = [];
  private columnMarkers: Marker[] = [];
  private versions: Version[] = [];

  constructor(settings: RuleSettings) {
    super(settings);
  }

  override beginRow(): void {
    this.familyMarkers = [];
    this.beginColumn();
  }

  override beginColumn(): void {
    this.columnMarkers = [];
    this.versions = [];
  }

  /** Collects the cell: {@link endColumn} returns the visible ones. */
  override accept(cell: StoreCursor, isNamed: boolean): boolean {
    if (this.isGone(cell)) {
      return false;
    }
    const { type, sequenceId, batch, index } = cell;
    const timestamp = joined(cell.timestampHigh, cell.timestampLow);
    if (isMarker(type)) {
      if (this.isNoted(cell)) {
        const isFamily = type === DELETE_FAMILY || type === DELETE_FAMILY_VERSION;
        (isFamily ? this.familyMarkers : this.columnMarkers).push({ type, timestamp, sequenceId });
      }
    } else if (isNamed) {
      const isExpired = timestampOf(cell) < this.settings.oldestTimestamp;
      const isInRange = this.isInRange(cell);
      this.versions.push({ batch, index, timestamp, sequenceId, isExpired, isInRange, isGone: false });
    }
    return false;
  }

  /** Adds the visible cells of the column. */
  endColumn(output: CellOutput, family: number): void {
    if (this.versions.length === 0) {
      return;
    }
    const markers = [...this.familyMarkers, ...this.columnMarkers].sort(
      (a, b) => a.sequenceId - b.sequenceId,
    );
    for (let i = 0; i < markers.length; ) {
      const { sequenceId } = markers[i] as Marker;
      this.dropOldVersions(sequenceId);
      for (; markers[i]?.sequenceId === sequenceId; i++) {
        this.apply(markers[i] as Marker);
      }
    }
    this.dropOldVersions(Number.POSITIVE_INFINITY);
    this.addVisible(output, family);
    this.beginColumn();
  }

  /** Drops equal timestamps and versions beyond the family's maximum, as of a sequence ID. */
  private dropOldVersions(moment: number): void {
    const seen = new Set<number>();
    let last: bigint | undefined;
    for (const version of this.versions) {
      if (version.isGone || version.sequenceId > moment) {
        continue;
      }
      if (version.timestamp === last || seen.size >= this.settings.maxVersions) {
        version.isGone = true;
      } else {
        seen.add(version.sequenceId);
      }
      last = version.timestamp;
    }
  }

  private apply({ type, timestamp, sequenceId }: Marker): void {
    const isRange = type === DELETE_FAMILY || type === DELETE_COLUMN;
    for (const version of this.versions) {
      if (version.sequenceId <= sequenceId) {
        version.isGone ||= isRange ? version.timestamp <= timestamp : version.timestamp === timestamp;
      }
    }
  }

  private addVisible(output: CellOutput, family: number): void {
    const { versions, maxVersions, minVersions } = this.settings;
    const limit = Math.min(versions, maxVersions);
    let count = 0;
    for (const { batch, index, isGone, isInRange, isExpired } of this.versions) {
      if (isGone || !isInRange) {
        continue;
      }
      count++;
      if (count > limit || (isExpired && count > minVersions)) {
        return;
      }
      output.add(batch, index, family);
    }
  }
}
