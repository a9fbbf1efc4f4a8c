import { encodeCompositeKey, type KeyValue } from "@cfile/encodings/keys";
import { type KuduColumn, parseSuperblock, type RangeBound, type Superblock } from "@cfile/kudu-dir/catalog";
import { describe, expect, it } from "vitest";
import { cellText, partitionText } from "../src/kudu/partition-text.js";
import { goldenFacts } from "./golden.js";

interface Tablet {
  readonly table: string;
  readonly partition: string;
  readonly superblock: string;
}

const tablets = goldenFacts("partitions") as readonly Tablet[];

describe("the partition of a tablet", () => {
  it.each(tablets.map((tablet) => [tablet.table, tablet.partition, tablet] as const))(
    "of table %s is printed as Kudu prints it: %s",
    (_, partition, { superblock }) => {
      expect(partitionText(parseSuperblock(Buffer.from(superblock, "hex")))).toBe(partition);
    },
  );

  const [example] = tablets;
  const real = parseSuperblock(Buffer.from(example?.superblock ?? "", "hex"));

  function keyColumn(id: number, type: KuduColumn["type"], scale?: number): KuduColumn {
    return { ...(real.schema.columns[0] as KuduColumn), id, name: `c${id}`, type, scale };
  }

  function ranged(columns: readonly KuduColumn[], from: KeyValue[], to: KeyValue[]): Superblock {
    const types = columns.map(({ type }) => type);
    const key = (values: KeyValue[]): Uint8Array =>
      values.length === 0 ? new Uint8Array(0) : encodeCompositeKey(types, values);
    return {
      ...real,
      schema: { columns },
      partition: { hashBuckets: [], keyStart: key(from), keyEnd: key(to) },
      partitionSchema: { hash: [], rangeColumnIds: columns.map(({ id }) => id), customRanges: [] },
    };
  }

  it("names the hash columns of the range, which may differ from the table's", () => {
    const columns = [keyColumn(1, "INT32"), keyColumn(2, "INT32")];
    const hash = (id: number) => ({ columnIds: [id], buckets: 2, seed: undefined, algorithm: undefined });
    const superblock = ranged(columns, [], []);
    const partition = { ...superblock.partition, hashBuckets: [1] };
    const text = (upper: RangeBound): string => {
      const own = { hash: [hash(2)], lower: { key: new Uint8Array(), isInclusive: false }, upper };
      const partitionSchema = { hash: [hash(1)], customRanges: [own], rangeColumnIds: [1] };
      return partitionText({ ...superblock, partition, partitionSchema });
    };
    const open = new Uint8Array();
    expect(text({ key: open, isInclusive: false })).toBe(
      "HASH (c2) PARTITION 1, RANGE (c1) PARTITION UNBOUNDED",
    );
  });

  it.each<[string, Superblock]>([
    [
      'RANGE (c1, c2) PARTITION (-7, "a\\"b\\\\\\nü") <= VALUES < (8, "")',
      ranged(
        [keyColumn(1, "INT32"), keyColumn(2, "STRING")],
        [-7, Buffer.from('a"b\\\nü')],
        [8, new Uint8Array()],
      ),
    ],
    [
      "RANGE (c1) PARTITION 2024-02-29 <= VALUES < 2024-03-01",
      ranged([keyColumn(1, "DATE")], [19782], [19783]),
    ],
    [
      "RANGE (c1) PARTITION VALUES < 1970-01-01T00:00:01.500000Z",
      ranged([keyColumn(1, "UNIXTIME_MICROS")], [], [1500000n]),
    ],
    ["RANGE (c1) PARTITION -105_D64 <= VALUES", ranged([keyColumn(1, "DECIMAL64", 2)], [-105n], [])],
    [
      'RANGE (c1) PARTITION "\\x00\\xff\\x41G7" <= VALUES',
      ranged([keyColumn(1, "BINARY")], [Uint8Array.of(0, 255, 65, 71, 55)], []),
    ],
    [
      "RANGE (c1) PARTITION 0x0102 <= VALUES",
      {
        ...ranged([keyColumn(1, "INT32")], [], []),
        partition: { hashBuckets: [], keyStart: Uint8Array.of(1, 2), keyEnd: new Uint8Array() },
      },
    ],
  ])("is printed as %s", (text, superblock) => {
    expect(partitionText(superblock)).toBe(text);
  });
});

describe("a default value", () => {
  function column(type: KuduColumn["type"]): KuduColumn {
    const [tablet] = tablets;
    const { schema } = parseSuperblock(Buffer.from(tablet?.superblock ?? "", "hex"));
    return { ...(schema.columns[0] as KuduColumn), type, scale: 2 };
  }

  it.each<[string, KuduColumn["type"], number | bigint | Uint8Array]>([
    ["-inf", "FLOAT", Number.NEGATIVE_INFINITY],
    ["nan", "DOUBLE", Number.NaN],
    ["1", "FLOAT", 1],
    ["-0", "DOUBLE", -0],
    ["0.1", "FLOAT", Math.fround(0.1)],
    ["0.30000000000000004", "DOUBLE", 0.1 + 0.2],
    ["1e+20", "DOUBLE", 1e20],
    ["1.5e-07", "DOUBLE", 1.5e-7],
    ["16777217", "DOUBLE", 16777217],
    ["16777216", "FLOAT", 16777216],
    ["700_D32", "DECIMAL32", 700],
    ["-31624-08-13T10:06:44.205870Z", "UNIXTIME_MICROS", -1060104808395794130n],
    ["132194-01-28T14:34:21.470993Z", "UNIXTIME_MICROS", 4109474961261470993n],
    ['"\\000é\\177"', "STRING", Buffer.from("\0é\x7f")],
  ])("is printed as Kudu prints it: %s", (text, type, value) => {
    expect(cellText(column(type), value)).toBe(text);
  });
});
