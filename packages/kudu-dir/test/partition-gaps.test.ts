/** Partitions for which a table lacks a tablet. */
import { pathToGolden } from "@cfile-tools/testkit";
import { afterAll, describe, expect, it } from "vitest";
import { missingBuckets, rangesBetween } from "../src/cluster/partition-gaps.js";
import { openKuduCluster } from "../src/index.js";

const cluster = await openKuduCluster(pathToGolden("kudu-cluster/four"));
afterAll(() => cluster.close());

describe("missingBuckets", () => {
  it.each(["sales", "events", "one_copy", "types", "empty"])(
    "finds each partition of %s that is left out",
    async (name) => {
      const { id, catalog } = await cluster.table(name);
      const partitions = (await cluster.replicaSets(id)).map(({ partition }) => partition);
      expect(missingBuckets(catalog?.partitionSchema, partitions)).toEqual([]);
      for (const [i, partition] of partitions.entries()) {
        const others = partitions.toSpliced(i, 1);
        const found = missingBuckets(catalog?.partitionSchema, others);
        const isRangeKnown = others.some((one) => rangeText(one) === rangeText(partition));
        expect(found.map((one) => [...one.hashBuckets, rangeText(one)])).toEqual(
          isRangeKnown ? [[...partition.hashBuckets, rangeText(partition)]] : [],
        );
      }
    },
  );
});

function rangeText({
  hashBuckets,
  keyStart,
}: {
  hashBuckets: readonly number[];
  keyStart: Uint8Array;
}): string {
  return Buffer.from(keyStart.subarray(4 * hashBuckets.length)).toString("hex");
}

describe("rangesBetween", () => {
  const range = (from: string, to: string) => ({
    hashBuckets: [],
    keyStart: new TextEncoder().encode(from),
    keyEnd: new TextEncoder().encode(to),
  });

  it("finds the ranges between those of the tablets", () => {
    expect(
      rangesBetween([range("", "b"), range("m", "q"), range("d", "f"), range("f", "m"), range("x", "")]),
    ).toEqual([range("b", "d"), range("q", "x")]);
  });

  it("finds none in a table without gaps", () => {
    expect(rangesBetween([range("", "b"), range("b", "")])).toEqual([]);
    expect(rangesBetween([range("", "")])).toEqual([]);
  });
});
