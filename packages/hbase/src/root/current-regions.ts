/**
 * Finds the regions on disk that hold a table's rows (docs/spec/hbase-table.md#32-which-regions-count). After a split or merge, the old
 * regions' folders remain, and nothing in them says so: a region is replaced when a newer one overlaps its rows.
 */
import { compareBytes } from "@cfile/bytes";
import type { RegionInfo } from "./region-info.js";

/** The regions that count, in order of their rows. */
export function currentRegions(regions: readonly RegionInfo[]): readonly RegionInfo[] {
  const sorted = regions.filter(({ replicaId }) => replicaId === 0).sort(compareRegions);
  const replaced = new Set<RegionInfo>();
  let open: RegionInfo[] = [];
  for (const region of sorted) {
    open = open.filter(({ endKey }) => endKey.length === 0 || compareBytes(endKey, region.startKey) > 0);
    for (const other of open) {
      if (other.regionId !== region.regionId) {
        replaced.add(other.regionId < region.regionId ? other : region);
      }
    }
    open.push(region);
  }
  return sorted.filter((region) => !replaced.has(region));
}

function compareRegions(left: RegionInfo, right: RegionInfo): number {
  return compareBytes(left.startKey, right.startKey) || left.regionId - right.regionId;
}

/** A gap between regions, or rows that two regions have. */
export interface RegionBoundaryProblem {
  readonly kind: "hole" | "overlap";
  /** Rows from here, inclusive, to `to`, exclusive; empty keys are unbounded. */
  readonly from: Uint8Array;
  readonly to: Uint8Array;
  /** Encoded names of the regions on both sides; `undefined` at the ends of the table. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Gaps and overlaps between the regions of a table, which must be in order. */
export function boundaryProblems(regions: readonly RegionInfo[]): readonly RegionBoundaryProblem[] {
  const problems: RegionBoundaryProblem[] = [];
  /** The region that reaches furthest so far. */
  let last: RegionInfo | undefined;
  for (const region of regions) {
    const { startKey } = region;
    const isUnbounded = last?.endKey.length === 0;
    const end = last === undefined ? new Uint8Array(0) : last.endKey;
    const order = isUnbounded ? -1 : compareBytes(startKey, end);
    if (order !== 0) {
      const names = { before: last?.encodedName, after: region.encodedName };
      problems.push(
        order > 0
          ? { kind: "hole", from: end, to: startKey, ...names }
          : { kind: "overlap", from: startKey, to: smallerEnd(end, region.endKey), ...names },
      );
    }
    if (last === undefined || (!isUnbounded && reachesFurther(region, last))) {
      last = region;
    }
  }
  if (last !== undefined && last.endKey.length > 0) {
    const names = { before: last.encodedName, after: undefined };
    problems.push({ kind: "hole", from: last.endKey, to: new Uint8Array(0), ...names });
  }
  return problems;
}

function reachesFurther(region: RegionInfo, last: RegionInfo): boolean {
  return region.endKey.length === 0 || compareBytes(region.endKey, last.endKey) > 0;
}

function smallerEnd(left: Uint8Array, right: Uint8Array): Uint8Array {
  if (left.length === 0) {
    return right;
  }
  return right.length === 0 || compareBytes(left, right) < 0 ? left : right;
}
