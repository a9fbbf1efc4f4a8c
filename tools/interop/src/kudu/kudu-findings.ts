/**
 * The smallest workloads that show bugs in Kudu itself, each on its own server: `pnpm interop --findings`.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DriverError, type JavaDriver } from "../java-driver.js";
import { removedAtEnd } from "../processes.js";
import { KuduServer } from "./kudu-server.js";
import { type KuduPrograms, Session } from "./session.js";

interface Finding {
  readonly name: string;
  /** Kudu's answers, one per line. */
  show(driver: JavaDriver, server: KuduServer, session: Session): Promise<readonly string[]>;
}

const FLUSHED_MS = 2000;
const VALUE = ",INT8,0,";
const KEY = "k,INT32,1,0,PLAIN_ENCODING,NO_COMPRESSION,0,?,0,0,0";
/** For a table with non-unique keys, to which Kudu adds a counter column. */
const COUNTED_KEY = KEY.replace(",1,", ",2,");

/** A table with a key and an INT8 column, with three flushed rows. */
async function smallTable(driver: JavaDriver, server: KuduServer, nullable: 0 | 1): Promise<bigint> {
  const column = `v${VALUE}${nullable},PLAIN_ENCODING,NO_COMPRESSION,0,?,0,0,0`;
  await driver.ask(["create", "t", `${KEY};${column}`, "", "", "", ""]);
  const rows = ["insert\t0\t1", "insert\t1\t0", "insert\t2\t5"];
  const [answer = "0"] = await driver.ask(["write", "t", rows.length], rows);
  await server.maintain("flush", FLUSHED_MS);
  return BigInt(answer.split("\t")[0] ?? 0) + 1n;
}

async function afterDrop(
  driver: JavaDriver,
  server: KuduServer,
  nullable: 0 | 1,
): Promise<readonly string[]> {
  const at = await smallTable(driver, server, nullable);
  await driver.ask(["alter", "t", "drop", "v"]);
  const state = await driver.ask(["scan", "t", at]);
  const changes = await driver.ask(["diff", "t", at - 1n, at]);
  const rows = (lines: readonly string[]): string =>
    lines.flatMap((line) => (line.startsWith("R\t") ? [line.slice(2).replace("\t", ":")] : [])).join(" ");
  return [`state, by key: ${rows(state)}`, `diff, key:deleted: ${rows(changes)}`];
}

const FINDINGS: readonly Finding[] = [
  {
    name: "the newest column is dropped: a diff reads its file as the deleted flag",
    show: (driver, server) => afterDrop(driver, server, 0),
  },
  {
    name: "the same with a nullable column",
    show: (driver, server) => afterDrop(driver, server, 1),
  },
  {
    name: "a table of key columns only is altered, and a row in memory was deleted twice",
    async show(driver) {
      await driver.ask(["create", "t", KEY, "", "", "", ""]);
      for (const operation of ["insert", "delete", "insert", "delete"]) {
        await driver.ask(["write", "t", 1], [`${operation}\t1`]);
      }
      await driver.ask(["alter", "t", "add", `w${VALUE}1,PLAIN_ENCODING,NO_COMPRESSION,0,?,0,0,0`]);
      return ["the server keeps running"];
    },
  },
  {
    name: "a row is deleted, then inserted again: the diff of the delete, before and after a flush",
    async show(driver, server) {
      await driver.ask([
        "create",
        "t",
        `${KEY};v${VALUE}0,PLAIN_ENCODING,NO_COMPRESSION,0,?,0,0,0`,
        "",
        "",
        "",
        "",
      ]);
      const times: bigint[] = [];
      for (const operation of ["insert\t1\t7", "delete\t1\t?", "insert\t1\t9"]) {
        const [answer = "0"] = await driver.ask(["write", "t", 1], [operation]);
        times.push(BigInt(answer.split("\t")[0] ?? 0) + 1n);
      }
      const [from = 0n, to = 0n] = times;
      const changed = async (): Promise<string> =>
        (await driver.ask(["diff", "t", from, to])).filter((line) => line.startsWith("R\t")).join(" ");
      const before = await changed();
      await server.maintain("flush", FLUSHED_MS);
      const after = await changed();
      return [`key, value, deleted: before ${before.slice(2)}, after ${after.slice(2)}`];
    },
  },
  {
    name: "an insert is rejected, then memory is flushed: the counters of later rows, before and after a restart",
    async show(driver, server, session) {
      const columns = `${COUNTED_KEY};v${VALUE}0,PLAIN_ENCODING,NO_COMPRESSION,0,?,0,0,0`;
      await driver.ask(["create", "t", columns, "", "", "", ""]);
      // The second row has no value for `v`.
      await driver.ask(["write", "t", 2], ["insert\t1\t?\t7", "insert\t2\t?\t?"]);
      await server.maintain("flush", FLUSHED_MS);
      const [answer = "0"] = await driver.ask(["write", "t", 1], ["insert\t3\t?\t9"]);
      const at = BigInt(answer.split("\t")[0] ?? 0) + 1n;
      const rows = async (): Promise<string> =>
        (await session.driver.ask(["scan", "t", at]))
          .flatMap((line) => (line.startsWith("R\t") ? [line.slice(2).replaceAll("\t", ":")] : []))
          .join(" ");
      const before = await rows();
      await session.stop();
      await session.start();
      return [`key:counter:value: before ${before}, after ${await rows()}`];
    },
  },
];

/** Runs all findings and prints Kudu's answers, or how its server crashes. */
export async function showFindings({ home, driver: program }: KuduPrograms): Promise<void> {
  for (const { name, show } of FINDINGS) {
    const folder = await mkdtemp(join(tmpdir(), "cfile-interop-finding-"));
    const keep = removedAtEnd(folder);
    const session = new Session(
      new KuduServer({ home, folder, blockManager: "file", encrypted: false }),
      program,
    );
    try {
      await session.start();
      const lines = await show(session.driver, session.server, session).catch(async (error: unknown) => {
        const crash = error instanceof DriverError ? await session.server.crash() : undefined;
        return [crash === undefined ? String(error) : `Kudu's server stopped itself: ${crash}`];
      });
      console.log([`kudu: ${name}`, ...lines].join("\n  "));
    } finally {
      await session.stop("SIGKILL");
      keep();
      await rm(folder, { recursive: true, force: true });
    }
  }
}
