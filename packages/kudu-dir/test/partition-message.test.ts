import { encodeCompositeKey } from "@cfile/encodings/keys";
import { describe, expect, it } from "vitest";
import { hashOfRange, type PartitionSchema, rangeEnd, rangeStart } from "../src/catalog.js";
import { openKuduCluster } from "../src/index.js";
import { clusterPath } from "./cluster.js";

const key = (value: number): Uint8Array => encodeCompositeKey(["INT32"], [value]);
const open = new Uint8Array(0);

describe("ranges with their own hash partitioning", () => {
  it("are read with their bounds from the catalog and from superblocks", async () => {
    await using cluster = await openKuduCluster([clusterPath("master"), clusterPath("ts0")]);
    const [table] = (await cluster.tables()).filter(({ name }) => name === "events");
    const schemas = [
      table?.catalog?.partitionSchema,
      ...(table?.tablets ?? []).map(({ superblock }) => superblock.partitionSchema),
    ];
    expect(schemas.length).toBeGreaterThan(2);
    for (const schema of schemas) {
      expect(schema?.customRanges).toEqual([
        {
          hash: [expect.objectContaining({ buckets: 3 })],
          lower: { key: key(0), isInclusive: true },
          upper: { key: key(20000), isInclusive: false },
        },
      ]);
    }
  });

  it.each<[string, { lower: [number, boolean]; upper: [number, boolean] }, number[]]>([
    ["[2, 4)", { lower: [2, true], upper: [4, false] }, [2, 3]],
    ["(2, 4)", { lower: [2, false], upper: [4, false] }, [3]],
    ["(2, 4]", { lower: [2, false], upper: [4, true] }, [3, 4]],
    ["[3, 3]", { lower: [3, true], upper: [3, true] }, [3]],
  ])("apply to the tablets in %s", (_, { lower, upper }, starts) => {
    const hash = { columnIds: [0], seed: undefined, algorithm: undefined };
    const schema: PartitionSchema = {
      hash: [{ ...hash, buckets: 2 }],
      rangeColumnIds: [0],
      customRanges: [
        {
          hash: [{ ...hash, buckets: 5 }],
          lower: { key: key(lower[0]), isInclusive: lower[1] },
          upper: { key: key(upper[0]), isInclusive: upper[1] },
        },
      ],
    };
    const own = [1, 2, 3, 4, 5].filter((start) => {
      const partition = { hashBuckets: [], keyStart: key(start), keyEnd: open };
      return hashOfRange(schema, partition)[0]?.buckets === 5;
    });
    expect(own).toEqual(starts);
  });
});

describe("the range of a partition key", () => {
  const bucket = (number: number): number[] => [0, 0, 0, number];

  it("has an end in the first tablet, whose key may start without buckets", () => {
    const partition = { hashBuckets: [0], keyStart: open, keyEnd: Uint8Array.of(...bucket(0), 7) };
    expect([rangeStart(partition), rangeEnd(partition)]).toEqual([open, Uint8Array.of(7)]);
  });

  it.each<[string, Uint8Array, string, string]>([
    ["has both bounds within a bucket", Uint8Array.of(...bucket(1), 7), "05", "07"],
    ["has no end where the next bucket begins", Uint8Array.of(...bucket(2)), "05", ""],
    ["has no end in the last bucket", open, "05", ""],
  ])("%s", (_, keyEnd, start, end) => {
    const partition = { hashBuckets: [1], keyStart: Uint8Array.of(...bucket(1), 5), keyEnd };
    const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
    expect([hex(rangeStart(partition)), hex(rangeEnd(partition))]).toEqual([start, end]);
  });
});
