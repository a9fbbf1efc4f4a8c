import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { groupEnds } from "../src/plan.js";

function groupSizes(sizes: readonly number[], target: number): number[] {
  let start = 0;
  return groupEnds(sizes, target).map((end) => {
    const size = sizes.slice(start, end).reduce((sum, unit) => sum + unit, 0);
    start = end;
    return size;
  });
}

const sum = (sizes: readonly number[]): number => sizes.reduce((all, size) => all + size, 0);

describe("groupEnds", () => {
  it("forms groups of 0.5 to 2 times the target if no unit is larger", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 200 }),
        fc.integer({ min: 1000, max: 4000 }),
        (sizes, target) => {
          const groups = groupSizes(sizes, target);
          expect(sum(groups)).toBe(sum(sizes));
          if (sum(sizes) >= target / 2) {
            expect(Math.min(...groups)).toBeGreaterThanOrEqual(target / 2);
          } else {
            expect(groups.length).toBe(1);
          }
          expect(Math.max(...groups)).toBeLessThanOrEqual(2 * target);
        },
      ),
      { seed: 1, numRuns: 2000 },
    );
  });

  it("assigns every unit to one group, in order, whatever the sizes", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 0, max: 100_000 })), {
          maxLength: 50,
        }),
        fc.integer({ min: 1, max: 2000 }),
        (sizes, target) => {
          const ends = groupEnds(sizes, target);
          expect(ends.at(-1) ?? 0).toBe(sizes.length);
          ends.reduce((before, end) => {
            expect(end).toBeGreaterThan(before);
            return end;
          }, 0);
          // A group above twice the target has a unit that is larger than the target.
          let start = 0;
          for (const end of ends) {
            const units = sizes.slice(start, end);
            expect(sum(units) <= 2 * target || Math.max(...units) > target).toBe(true);
            start = end;
          }
        },
      ),
      { seed: 2, numRuns: 2000 },
    );
  });

  it.each([
    [[], 10, []],
    [[3], 10, [1]],
    [[10, 10, 10], 10, [1, 2, 3]],
    [[100, 1, 1], 10, [1, 3]],
    [[6, 100, 6], 10, [1, 2, 3]],
    [[10, 4], 10, [2]],
  ])("groups %j with target %i at %j", (sizes, target, ends) => {
    expect(groupEnds(sizes, target)).toEqual(ends);
  });
});
