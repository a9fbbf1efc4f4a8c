/** The rows of the replicas of a killed cluster, compared at the latest time that all replicas of a tablet have. */
import { CFileError } from "@cfile/bytes";
import { batchFromValues, sliceTable, type TableBatch } from "@cfile/encodings/batches";
import { pathToGolden } from "@cfile-tools/testkit";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { divergentReplicas } from "../src/cluster/replica-digests.js";
import { RowDigest } from "../src/cluster/row-digest.js";
import { checkCluster, openKuduCluster, type ReplicaDigest, replicaDigests } from "../src/index.js";

const four = pathToGolden("kudu-cluster/four");
const cluster = await openKuduCluster(four);
afterAll(() => cluster.close());

describe("replicaDigests", () => {
  it("are equal for replicas with different files and logs", async () => {
    let rows = 0;
    for (const tablet of await cluster.replicaSets()) {
      const { replicas } = await replicaDigests(tablet);
      expect(replicas).toHaveLength(tablet.readable.length);
      expect(
        new Set(replicas.map(({ digest, rows: count, error }) => `${digest} ${count} ${error}`)).size,
      ).toBe(1);
      rows += replicas[0]?.rows ?? 0;
    }
    expect(rows).toBeGreaterThan(300);
  });

  it("are of the latest snapshot if no replica is behind", async () => {
    for (const tablet of await cluster.replicaSets((await cluster.table("one_copy")).id)) {
      const { asOf, replicas } = await replicaDigests(tablet);
      let rows = 0;
      for await (const { length } of tablet.readable[0]?.tablet.scan({ withLog: true }) ?? []) {
        rows += length;
      }
      expect([asOf, replicas.map((one) => one.rows)]).toEqual([undefined, [rows]]);
    }
  });

  it("are of a past snapshot if a replica is behind", async () => {
    const tablets = await cluster.replicaSets((await cluster.table("sales")).id);
    const behind = tablets.filter(({ readable }) => {
      const last = readable.map(({ lastOperation }) => lastOperation?.index);
      return new Set(last).size > 1;
    });
    expect(behind.length).toBeGreaterThan(0);
    for (const tablet of behind) {
      expect((await replicaDigests(tablet)).asOf).toBeTypeOf("bigint");
    }
  });

  it("differ for different rows, and name the replica that differs from the others", async () => {
    const [first, second] = await cluster.replicaSets((await cluster.table("sales")).id);
    const [strange] = second?.readable ?? [];
    const readable = [...(first?.readable.slice(0, 2) ?? []), ...(strange === undefined ? [] : [strange])];
    const [own, other, found] = (await replicaDigests({ readable })).replicas;
    expect(other?.digest).toBe(own?.digest);
    expect(found?.digest).not.toBe(own?.digest);
    const replicas = [own, other, found].flatMap((one) => one ?? []);
    expect(divergentReplicas({ asOf: undefined, replicas }).map(({ server }) => server)).toEqual([
      strange?.server,
    ]);
  });
});

describe("divergentReplicas", () => {
  const replica = (server: string, digest: string | undefined): ReplicaDigest => ({
    server,
    rows: 1,
    digest,
    error: digest === undefined ? new CFileError("E_CHECKSUM", "damaged") : undefined,
  });

  it.each([
    ["aaa", ""],
    ["aab", "2"],
    ["ab", "01"],
    ["abc", "012"],
    ["a.b", "02"],
    ["a.a", ""],
    ["aabbc", "01234"],
    ["", ""],
  ])("of %s are %s", (digests, expected) => {
    const replicas = [...digests].map((digest, i) => replica(String(i), digest === "." ? undefined : digest));
    const found = divergentReplicas({ asOf: undefined, replicas });
    expect(
      found
        .map(({ server }) => server)
        .sort()
        .join(""),
    ).toBe(expected);
  });
});

describe("RowDigest", () => {
  const columns = [
    { id: 0, name: "a", type: "INT64", nullable: false, array: false, isKey: true },
    { id: 1, name: "b", type: "STRING", nullable: true, array: false, isKey: false },
    { id: 2, name: "c", type: "INT8", nullable: true, array: true, isKey: false },
  ] as const;
  const row = fc.tuple(
    fc.bigInt({ min: -5n, max: 5n }),
    fc.option(fc.string({ maxLength: 3 })),
    fc.option(fc.array(fc.option(fc.integer({ min: -3, max: 3 })), { maxLength: 3 })),
  );

  type Row = readonly [bigint, string | null, readonly (number | null)[] | null];

  function batchOf(rows: readonly Row[]): TableBatch {
    const batches = columns.map((column, i) =>
      batchFromValues(
        column,
        rows.map((cells) => cells[i] ?? null),
      ),
    );
    return { names: columns.map(({ name }) => name), columns: batches, length: rows.length, firstRow: 0 };
  }

  async function digestOf(batches: readonly TableBatch[]): Promise<string> {
    const digest = new RowDigest(columns);
    for (const batch of batches) {
      await digest.add(batch);
    }
    return digest.finish();
  }

  it("does not depend on batches", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 12 }), fc.nat(12), async (rows, cut) => {
        const whole = batchOf(rows);
        const at = Math.min(cut, rows.length);
        const parts = [sliceTable(whole, 0, at), sliceTable(whole, at, rows.length)];
        expect(await digestOf(parts)).toBe(await digestOf([whole]));
      }),
    );
  });

  it("differs for different rows", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 4 }),
        fc.array(row, { maxLength: 4 }),
        async (left, right) => {
          const text = (rows: unknown): string =>
            JSON.stringify(rows, (_, cell) => (typeof cell === "bigint" ? `${cell}n` : cell));
          const isEqual = (await digestOf([batchOf(left)])) === (await digestOf([batchOf(right)]));
          expect(isEqual).toBe(text(left) === text(right));
        },
      ),
    );
  });
});

describe("checkCluster", () => {
  it("compares rows on request", async () => {
    const { compared, problems } = await checkCluster(cluster, { compareRows: true });
    expect(compared).toHaveLength(25);
    expect(problems.filter(({ kind }) => kind === "replicas differ" || kind === "replica damaged")).toEqual(
      [],
    );
    expect((await checkCluster(cluster)).compared).toEqual([]);
  });
});
