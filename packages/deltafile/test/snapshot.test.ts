import { describe, expect, it } from "vitest";
import {
  aliveAfter,
  appliedTimestamps,
  compareDiffEntries,
  DELETE,
  type DiffEntry,
  isApplied,
  isNeededForDiff,
  isNeededForSnapshot,
  isReportedInDiff,
  LATEST_TIMESTAMP,
  mayDelete,
  mayTouchColumn,
  REINSERT,
  RowChain,
  UPDATE,
} from "../src/index.js";
import type { DeltaStatistics } from "../src/write.js";

const statistics = (minTimestamp: bigint, maxTimestamp: bigint, rest = {}): DeltaStatistics => ({
  minTimestamp,
  maxTimestamp,
  deleteCount: 0,
  reinsertCount: 0,
  updateCounts: new Map(),
  ...rest,
});

describe("a snapshot", () => {
  it.each([
    ["redo", 9n, true],
    ["redo", 10n, false],
    ["redo", 11n, false],
    ["undo", 9n, false],
    ["undo", 10n, true],
    ["undo", 11n, true],
  ] as const)("at 10 applies a %s entry of %i: %s", (kind, timestamp, applies) => {
    expect(isApplied(kind, timestamp, 10n)).toBe(applies);
    const { from, to } = appliedTimestamps(kind, 10n);
    expect((from === undefined || timestamp >= from) && (to === undefined || timestamp < to)).toBe(applies);
  });

  it.each([
    ["redo", 10n, 20n, 10n, false],
    ["redo", 10n, 20n, 11n, true],
    ["redo", 10n, 20n, LATEST_TIMESTAMP, true],
    ["undo", 10n, 20n, 20n, true],
    ["undo", 10n, 20n, 21n, false],
    ["undo", 10n, 20n, LATEST_TIMESTAMP, false],
  ] as const)("requires a %s file of timestamps %i to %i at %i: %s", (kind, min, max, at, needed) => {
    expect(isNeededForSnapshot(kind, statistics(min, max), at)).toBe(needed);
  });

  it("requires a file for a column or for deleted rows only if it touches them", () => {
    const updates = statistics(1n, 2n, { updateCounts: new Map([[3, 1]]) });
    expect([mayTouchColumn(updates, 3), mayTouchColumn(updates, 4), mayDelete(updates)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(mayTouchColumn(statistics(1n, 2n, { deleteCount: 1 }), 4)).toBe(true);
    expect(mayTouchColumn(statistics(1n, 2n, { reinsertCount: 1 }), 4)).toBe(true);
    expect(mayDelete(statistics(1n, 2n, { deleteCount: 1 }))).toBe(true);
  });

  it("tracks whether a row exists after each change", () => {
    expect([aliveAfter(DELETE, true), aliveAfter(REINSERT, false), aliveAfter(UPDATE, false)]).toEqual([
      false,
      true,
      false,
    ]);
  });
});

describe("a diff", () => {
  it.each([
    [5n, 10n, false],
    [5n, 11n, true],
    [20n, 30n, true],
    [21n, 30n, false],
  ])("from %i to %i requires a file of timestamps 10 to 20: %s", (from, to, needed) => {
    expect(isNeededForDiff(statistics(10n, 20n), from, to)).toBe(needed);
  });

  const entry = (kind: "redo" | "undo", type: 1 | 2 | 3, timestamp = 1n, ordinal = 0): DiffEntry => ({
    kind,
    type,
    timestamp,
    ordinal,
  });

  it("orders changes by timestamp, UNDO before REDO, UNDO entries in reverse", () => {
    const entries = [
      entry("redo", 1, 2n, 1),
      entry("redo", 1, 2n, 0),
      entry("undo", 1, 2n, 0),
      entry("undo", 1, 2n, 1),
      entry("redo", 1, 1n, 5),
    ];
    const [a, b, c, d, e] = entries;
    expect([...entries].sort(compareDiffEntries)).toEqual([e, d, c, b, a]);
  });

  it.each([
    ["redo", REINSERT, "redo", DELETE, false],
    ["undo", DELETE, "redo", DELETE, false],
    ["undo", DELETE, "undo", REINSERT, false],
    ["undo", DELETE, "redo", UPDATE, true],
    ["redo", UPDATE, "redo", DELETE, true],
    ["redo", DELETE, "redo", REINSERT, true],
  ] as const)(
    "of a row from %s %i to %s %i is reported: %s",
    (oldKind, oldType, newKind, newType, reported) => {
      expect(isReportedInDiff(entry(oldKind, oldType), entry(newKind, newType, 2n))).toBe(reported);
    },
  );

  it("reports a row with a single change", () => {
    const only = entry("redo", DELETE);
    expect(isReportedInDiff(only, only)).toBe(true);
  });
});

describe("the chain of a row's changes", () => {
  const problems = (...types: number[]) => {
    const chain = new RowChain();
    return types.map((type) => chain.next(1, type)).filter((reason) => reason !== undefined);
  };

  it.each([[[1, 1, 2]], [[2, 3, 1, 2]], [[3, 2, 3]], [[2]], [[3]]])("is valid: %j", (types) => {
    expect(problems(...types)).toEqual([]);
  });

  it.each([
    [[2, 2], "DELETE of a deleted row"],
    [[2, 1], "UPDATE of a deleted row"],
    [[1, 3], "REINSERT of a live row"],
    [[3, 3], "REINSERT of a live row"],
  ])("is invalid: %j", (types, reason) => {
    expect(problems(...types)).toEqual([reason]);
  });

  it("starts over with each row", () => {
    const chain = new RowChain();
    expect([chain.next(1, 2), chain.next(2, 2), chain.next(3, 1)]).toEqual([undefined, undefined, undefined]);
  });
});
