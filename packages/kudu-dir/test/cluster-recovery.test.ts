/** Random damage in up to two replicas of a tablet: rows equal the truth, or the ledger accounts for each missing row. */
import { compareBytes, isCFileError, toHex } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import { memoryTree } from "@cfile/io";
import { encodeRowKeys, keyAt } from "@cfile/rowset";
import { checked, type Random, randomNumbers } from "@cfile-tools/testkit";
import { afterAll, describe, expect, it } from "vitest";
import { type KuduCluster, type KuduTablet, openKuduCluster } from "../src/index.js";
import type { TabletLedger } from "../src/recover.js";
import { clusterTables, filesOfServer, type ServerFiles, serverFacts, TABLET_SERVERS } from "./cluster.js";
import { collectRows } from "./json-rows.js";

const ROUNDS = Number(process.env["CFILE_FLIP_CASES"] ?? 120);
const SEED = Number(process.env["CFILE_FLIP_START"] ?? 1000);

/** Rows by their encoded keys in hexadecimal. */
type Rows = ReadonlyMap<string, string>;

const all: ReadonlyMap<string, ServerFiles> = new Map(
  ["master", ...TABLET_SERVERS].map((server) => [server, filesOfServer(server)]),
);
const opened = new Map<string, Promise<KuduCluster>>();
afterAll(async () => {
  for (const cluster of opened.values()) {
    await (await cluster).close();
  }
});

function openWith(servers: ReadonlyMap<string, ServerFiles>): Promise<KuduCluster> {
  return openKuduCluster([...servers].map(([name, content]) => memoryTree(content, name)));
}

/** The undamaged cluster of these servers. */
function intact(servers: readonly string[]): Promise<KuduCluster> {
  const name = servers.join(" ");
  const known =
    opened.get(name) ?? openWith(new Map([...all].filter(([server]) => servers.includes(server))));
  opened.set(name, known);
  return known;
}

async function keyed({ schema }: KuduTablet, batches: AsyncIterable<TableBatch>): Promise<Rows> {
  const keyNames = schema.columns.filter(({ isKey }) => isKey).map(({ name }) => name);
  const found = new Map<string, string>();
  for await (const batch of batches) {
    const keys = encodeRowKeys(keyNames.flatMap((name) => batch.columns[batch.names.indexOf(name)] ?? []));
    const rows = await collectRows(one(batch));
    rows.forEach((row, i) => {
      const key = toHex(keyAt(keys, i));
      expect(found.has(key)).toBe(false);
      found.set(key, JSON.stringify(row));
    });
  }
  return found;
}

/** The columns that another tablet also has: without its newest superblock, a tablet has an older schema. */
function common({ schema }: KuduTablet, other: KuduTablet): readonly string[] {
  const ids = other.schema.columns.map(({ id }) => id);
  const columns = schema.columns.filter(({ id }) => ids.includes(id));
  return columns.sort((left, right) => left.id - right.id).map(({ name }) => name);
}

async function* one(batch: TableBatch): AsyncGenerator<TableBatch> {
  yield batch;
}

/** Bytes of a tablet on a server. */
interface Place {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

/** The superblock, consensus metadata, log, blocks and a journal of a replica. */
async function placesOf(server: string, tablet: string): Promise<readonly Place[]> {
  const cluster = await intact([...all.keys()]);
  const uuid = serverFacts().servers[server];
  const dir = cluster.servers.find((one) => one.uuid === uuid);
  const found: Place[] = [];
  const journals = new Set<string>();
  for (const [path, bytes] of all.get(server) ?? []) {
    if (path.includes(tablet)) {
      // Longer logs get more flips, as on a real disk.
      const copies = path.includes("/wals/") ? 8 : 1;
      found.push(...Array.from({ length: copies }, () => ({ path, from: 0, to: bytes.length })));
    }
  }
  for (const { blocks } of (await dir?.tablet(tablet))?.rowSets ?? []) {
    const { columns, redo, undo, adhocIndex, bloom } = blocks;
    for (const id of [...columns.values(), ...redo, ...undo, adhocIndex, bloom]) {
      const block = id === undefined ? undefined : await dir?.block(id);
      if (block !== undefined) {
        const size = await block.source.size();
        const path = block.path.slice(server.length + 1);
        found.push({ path, from: block.offset, to: block.offset + size });
        journals.add(path.replace(/\.data$/, ".metadata"));
      }
    }
  }
  // Journals have the blocks of many tablets; one journal represents all.
  for (const path of [...journals].slice(0, 1)) {
    found.push({ path, from: 0, to: all.get(server)?.get(path)?.length ?? 0 });
  }
  return found;
}

/** Flips one to four bits, zeroes the end of a block or file, or deletes a file. */
function damage(content: ServerFiles, places: readonly Place[], random: Random): string {
  const { path, from, to } = places[random(places.length)] ?? { path: "", from: 0, to: 0 };
  const bytes = content.get(path)?.slice() ?? new Uint8Array(0);
  const at = from + random(to - from);
  const kind = random(8);
  // Zeros at the end of a log are space that the server allocated.
  if (kind === 0 && !path.includes("/wals/")) {
    bytes.fill(0, at, to);
  } else if (kind === 1 && path.includes("/wal/")) {
    content.delete(path);
    return `${path} deleted`;
  } else {
    const bits = Array.from({ length: 1 + random(4) }, () => 8 * from + random(8 * (to - from)));
    for (const bit of bits) {
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    }
    content.set(path, bytes);
    return `${path}: flipped bits ${bits.join(", ")}`;
  }
  content.set(path, bytes);
  return `${path}: zeroed ${at} to ${to}`;
}

function isAccountedFor(key: string, { lost, different }: TabletLedger): boolean {
  const bytes = Uint8Array.from(Buffer.from(key, "hex"));
  return (
    different.some((row) => compareBytes(row.key, bytes) === 0) ||
    lost.some(
      ({ from, to }) =>
        (from === undefined || compareBytes(from, bytes) <= 0) &&
        (to === undefined || compareBytes(bytes, to) <= 0),
    )
  );
}

interface Case {
  readonly servers: readonly string[];
  readonly damaged: readonly string[];
  readonly tablet: string;
  readonly asOf: bigint | undefined;
  readonly damagedFiles: ReadonlyMap<string, ServerFiles>;
  readonly label: string;
}

async function randomCase(seed: number): Promise<Case> {
  const random = randomNumbers(seed);
  const pick = <T>(items: readonly T[]): T => items[random(items.length)] as T;
  const cluster = await intact([...all.keys()]);
  const recorded = clusterTables("rows").filter(({ table }) => table !== "empty");
  // The client did not record rows of the table with one replica.
  const client = pick([...recorded, { table: "one_copy", snapshots: recorded[0]?.snapshots ?? [] }]);
  const { tablets } = await cluster.table(client.table);
  const { id } = pick(tablets);
  const { servers } = serverFacts();
  const [set] = (await cluster.replicaSets()).filter((one) => one.id === id);
  const holders = TABLET_SERVERS.filter((name) =>
    set?.readable.some(({ server }) => server === servers[name]),
  ).sort(() => random(3) - 1);
  const damaged = holders.slice(0, 1 + random(2));
  // With and without undamaged replicas, with and without a master.
  const present = random(2) === 0 ? [...TABLET_SERVERS] : damaged;
  const given = [...(random(3) === 0 ? [] : ["master"]), ...present];
  const damagedFiles = new Map([...all].filter(([name]) => given.includes(name)));
  const notes: string[] = [];
  for (const server of damaged) {
    const content = new Map(all.get(server));
    const places = await placesOf(server, id);
    for (let i = 0; i <= random(3); i++) {
      notes.push(`${server}: ${damage(content, places, random)}`);
    }
    damagedFiles.set(server, content);
  }
  // Unanswered inserts came after the last snapshot; whether they are possible depends on the damage.
  const isLatest = client.table !== "sales" && random(3) === 0;
  const asOf = isLatest ? undefined : BigInt(pick(client.snapshots).timestamp);
  const label = `seed ${seed}, ${client.table} ${id} as of ${asOf}, of ${given.join(" ")}\n${notes.join("\n")}`;
  return { servers: given, damaged, tablet: id, asOf, damagedFiles, label };
}

describe("random damage in up to two replicas", () => {
  it.each(Array.from({ length: ROUNDS }, (_, i) => SEED + i))(
    "gives right rows or an error, and recovers all rows that are not in the ledger: seed %i",
    async (seed) => {
      const { servers, tablet: id, asOf, damagedFiles, label } = await randomCase(seed);
      const truthful = await (await intact(servers)).tablet(id);
      const truthAsOf = (tablet: KuduTablet, time: bigint | undefined): Promise<Rows> =>
        keyed(
          truthful,
          truthful.scan({ asOf: time, partialHistory: true, columns: common(truthful, tablet) }),
        );
      await using cluster = await openWith(damagedFiles);
      let tablet: KuduTablet;
      try {
        tablet = await cluster.tablet(id);
      } catch (error) {
        // No superblock is left.
        expect([label, isCFileError(error)]).toEqual([label, true]);
        return;
      }
      // If so many logs are damaged that they may hide the last writes, the snapshot before those writes is correct.
      const [set] = (await cluster.replicaSets()).filter((one) => one.id === id);
      const end = (set?.lineage.at(-1)?.timestamp ?? 0n) + 1n;
      const isCut = set !== undefined && set.unseen.length > 0 && (asOf === undefined || end < asOf);
      const truth = await truthAsOf(tablet, isCut ? end : asOf);
      const columns = common(tablet, truthful);
      try {
        const rows = await keyed(tablet, tablet.scan({ asOf, columns }));
        expect([label, rows]).toEqual([label, truth]);
      } catch (error) {
        if (!isCFileError(error)) {
          throw error;
        }
        expect(error.code).toMatch(/^E_/);
      }
      let ledger: TabletLedger | undefined;
      const rows = await keyed(
        tablet,
        tablet.recover(
          { asOf, columns },
          () => undefined,
          (found) => {
            ledger = found;
          },
        ),
      );
      if (ledger === undefined) {
        throw new TypeError("no ledger");
      }
      const { snapshot, asOf: read, different, complete } = ledger;
      expect([label, different]).toEqual([label, []]);
      const known = snapshot === "earlier" ? await truthAsOf(tablet, read) : truth;
      if (snapshot === "unknown") {
        return;
      }
      for (const [key, row] of rows) {
        if (known.get(key) !== row) {
          expect([label, key, row]).toEqual([label, key, known.get(key)]);
        }
      }
      const missing = [...known.keys()].filter((key) => !rows.has(key));
      for (const key of missing) {
        if (!isAccountedFor(key, ledger)) {
          expect.fail(`${label}\nkey ${key} is missing and not in the ledger`);
        }
      }
      const most = ledger.lost.reduce((sum, { rows: count = Number.POSITIVE_INFINITY }) => sum + count, 0);
      expect(missing.length).toBeLessThanOrEqual(most);
      expect(complete ? missing.length : 0).toBe(0);
      checked(known.size);
    },
  );
});
