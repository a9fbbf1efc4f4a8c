import fc from "fast-check";
import { expect, test } from "vitest";
import { countMarks } from "../src/conditions/mark-range.js";
import { markedPositions } from "../src/conditions.js";

test("counts marks at any length and alignment", () => {
  for (const length of [0, 1, 3, 4, 5, 1019, 1020, 1021, 5000]) {
    expect(countMarks(new Uint8Array(length + 7).fill(1, 0, length), length)).toBe(length);
  }
  fc.assert(
    fc.property(fc.array(fc.nat(1), { maxLength: 3000 }), fc.nat(9), (marks, start) => {
      const bytes = Uint8Array.from([...Array<number>(start).fill(1), ...marks, 1, 1]);
      expect(countMarks(bytes.subarray(start), marks.length)).toBe(
        marks.reduce((sum, mark) => sum + mark, 0),
      );
    }),
    { seed: 1 },
  );
});

test("returns the positions of the first marks at any length and alignment", () => {
  const mark = fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) });
  fc.assert(
    fc.property(fc.array(mark, { maxLength: 300 }), fc.nat(9), fc.nat(), (marks, start, limit) => {
      const bytes = Uint8Array.from([...Array<number>(start).fill(1), ...marks]).subarray(start);
      const all = marks.flatMap((marked, i) => (marked === 1 ? [i] : []));
      const count = limit % (all.length + 1);
      expect([...markedPositions(bytes, count)]).toEqual(all.slice(0, count));
    }),
    { seed: 2 },
  );
});
