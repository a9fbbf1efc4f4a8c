/** A table with non-unique keys on a server of Kudu 1.17.0 that renumbered its rows after a restart. */
import { pathToGolden, readGoldenJson } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { run } from "./run.js";

const folder = pathToGolden("kudu-cluster/renumbered");
const client = readGoldenJson<{ tablet: string; timestamp: string; columns: string[]; rows: number[][] }>(
  "kudu-cluster/renumbered/client.json",
);
const { tablet, timestamp, columns, rows } = client;

interface Listed {
  readonly server: string;
  readonly read: boolean;
  readonly reason?: string;
}

async function readReplica(): Promise<Listed | undefined> {
  const { stdout } = await run(["kudu", "ls", folder, "--tablet", tablet, "--json"]);
  const [listed]: { replicas: Listed[] }[] = JSON.parse(stdout).tablets;
  return listed?.replicas.find(({ read }) => read);
}

describe("a tablet whose replicas have rows with other numbers", () => {
  it("is read from the leader's replica, as by Kudu's client, and stderr names it", async () => {
    const { stdout, stderr } = await run([
      "kudu", "scan", folder, "--tablet", tablet, "--columns", columns.join(), "--as-of", timestamp, "--csv",
    ]); // biome-ignore format: one line
    const replica = await readReplica();
    expect(replica?.reason).toBe("newest operation, leader: it numbers the rows");
    expect(stdout.trimEnd().split("\n")).toEqual([columns.join(), ...rows.map((row) => row.join())]);
    expect(stderr).toContain(
      `tablet ${tablet}: read from server ${replica?.server}; others can have rows with other numbers`,
    );
  });

  it("is reported by ksck", async () => {
    const { code, stdout } = await run(["kudu", "ksck", folder]);
    expect(code).toBe(3);
    expect(stdout).toMatch(new RegExp(`replicas differ: t0, tablet ${tablet}, server `));
  });
});
