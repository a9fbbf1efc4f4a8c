import fc from "fast-check";
import { expect, test } from "vitest";
import { countMarks } from "../src/conditions/mark-range.js";

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
