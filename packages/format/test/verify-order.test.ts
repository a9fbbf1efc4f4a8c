import { batchFromValues } from "@cfile/encodings/batches";
import { encodeKey } from "@cfile/encodings/keys";
import { describe, expect, test } from "vitest";
import { checkDeltaKey, ValueOrder } from "../src/verify/verify-order.js";

const batch = (values: readonly number[]) => batchFromValues({ type: "INT32" }, [...values]);
const key = (value: number): Uint8Array => encodeKey("INT32", value);
const lists = batchFromValues({ type: "INT32", array: true, nullable: true }, [[1], [2]]);

interface Case {
  readonly blocks: readonly (readonly number[])[];
  /** The index key of the last block. */
  readonly stored?: number;
  readonly problem?: string;
}

describe("the order of values in blocks with a value index", () => {
  const cases: readonly Case[] = [
    { blocks: [[1, 2, 2, 5]] },
    {
      blocks: [
        [1, 2],
        [2, 3],
      ],
      stored: 2,
    },
    { blocks: [[1, 3, 2]], problem: "value order" },
    { blocks: [[5], [4]], problem: "value order" },
    { blocks: [[1], [5]], stored: 6, problem: "validx key" },
    { blocks: [[3], [5]], stored: 2, problem: "validx key" },
    { blocks: [[3], [5]], stored: 4 },
  ];
  test.each(cases)("of $blocks with the key $stored", ({ blocks, stored, problem }) => {
    const order = new ValueOrder("INT32");
    const check = () => {
      for (const [i, values] of blocks.entries()) {
        const isLast = i === blocks.length - 1;
        order.check(batch(values), isLast && stored !== undefined ? key(stored) : undefined);
      }
    };
    if (problem === undefined) {
      expect(check).not.toThrow();
    } else {
      expect(check).toThrow(expect.objectContaining({ code: "E_CORRUPT", field: problem }));
    }
  });

  test("is unknown after a damaged block", () => {
    const order = new ValueOrder("INT32");
    order.check(batch([9]), undefined);
    order.forget();
    expect(() => order.check(batch([4]), key(4))).not.toThrow();
  });

  test("does not exist for arrays", () => {
    expect(() => new ValueOrder("INT32").check(lists, undefined)).toThrow(
      expect.objectContaining({ code: "E_UNSUPPORTED", field: "validx_info" }),
    );
  });
});

test("the first value of a block of deltas starts with the key in the index", () => {
  const deltas = batchFromValues({ type: "BINARY" }, [Uint8Array.of(1, 2, 3)]);
  expect(() => checkDeltaKey(deltas, Uint8Array.of(1, 2))).not.toThrow();
  const wrong = expect.objectContaining({ code: "E_CORRUPT", field: "validx key" });
  expect(() => checkDeltaKey(deltas, Uint8Array.of(1, 3))).toThrow(wrong);
  expect(() => checkDeltaKey(lists, Uint8Array.of(1))).toThrow(wrong);
});
