import { pathToGolden, readGoldenJson } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { type KuduClusterOptions, openKuduCluster } from "../src/index.js";
import { collectRows } from "./json-rows.js";

interface Masters {
  readonly leader: string;
  readonly follower: string;
  /** A master that stopped before the last changes. */
  readonly stale: string;
}

const folder = (name: string): string => pathToGolden(`kudu-cluster/masters/${name}`);
const masters = readGoldenJson<Masters>("kudu-cluster/masters/facts/masters.json");

/** `NAME:STATE` of each table in the catalog, in order of name. */
async function tablesOf(
  roles: readonly (keyof Masters)[],
  writes: KuduClusterOptions["writes"],
): Promise<readonly string[]> {
  const roots = roles.map((role) => folder(masters[role]));
  await using cluster = await openKuduCluster(roots, { writes });
  const catalog = await cluster.catalog();
  return [...(catalog?.tables.values() ?? [])].map(({ name, state }) => `${name}:${state}`).sort();
}

const STALE = ["before_rename:running", "dropped:running", "kept:running"];
const LATEST = ["dropped:removed", "kept:running", "later:running", "renamed:running"];
/** A table whose creation only the leader logged: its client got no answer. */
const UNANSWERED = [...LATEST, "unanswered:running"];

describe("three masters that stopped one after the other", () => {
  it.each<[string, readonly (keyof Masters)[], KuduClusterOptions["writes"], readonly string[]]>([
    ["all masters: what a majority has", ["leader", "follower", "stale"], "possible", LATEST],
    ["all masters, with unconfirmed writes", ["leader", "follower", "stale"], "unconfirmed", UNANSWERED],
    ["any order of masters", ["stale", "follower", "leader"], "confirmed", LATEST],
    ["without the leader", ["follower", "stale"], "possible", LATEST],
    ["without the follower, which may have had the last write", ["leader", "stale"], "possible", UNANSWERED],
    ["without the follower, only confirmed writes", ["leader", "stale"], "confirmed", LATEST],
    ["without the stale master, only confirmed writes", ["leader", "follower"], "confirmed", LATEST],
    ["only the follower", ["follower"], "possible", LATEST],
    ["only the stale master", ["stale"], "possible", STALE],
  ])("have the catalog of %s", async (_, roles, writes, expected) => {
    expect(await tablesOf(roles, writes)).toEqual(expected);
  });

  it("are grouped as three servers beside the tablet server, whose tables have all rows", async () => {
    const { leader, follower, stale } = masters;
    await using cluster = await openKuduCluster([leader, follower, stale, "ts0"].map(folder));
    expect(cluster.servers).toHaveLength(4);
    const facts = readGoldenJson<Record<string, Record<string, readonly string[]>>>(
      "kudu-cluster/masters/facts/rows.json",
    );
    for (const [name, tablets] of Object.entries(facts)) {
      const table = await cluster.table(name);
      const counts = await Promise.all(
        table.tablets.map(async (tablet) => [
          tablet.id,
          (await collectRows(tablet.scan({ withLog: true }))).length,
        ]),
      );
      const expected = Object.entries(tablets).map(([id, rows]) => [id, rows.length]);
      expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(expected));
    }
  });
});
