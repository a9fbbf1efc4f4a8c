/**
 * Replaces the files of a stopped server with ours, and checks that Kudu's tools and client read them, and
 * that Kudu continues with them.
 */
import { join } from "node:path";
import { type KuduDir, openKuduDir } from "@cfile/kudu-dir";
import type { KuduColumn } from "@cfile/kudu-dir/catalog";
import { DriverError } from "../../java-driver.js";
import type { Random } from "../../random.js";
import type { CheckResult } from "../../report.js";
import { changeText } from "../change-values.js";
import { changeableColumns, type Rewritten, rewriteBlocks } from "../rewrite-blocks.js";
import { readAll, work } from "../round-steps.js";
import type { Session } from "../session.js";
import type { TableModel } from "../table-model.js";
import { type ClientTable, questionsOf, readTables, type TabletRows } from "./client-rows.js";
import { compareAnswers } from "./compare-answers.js";
import { readAtRest } from "./read-at-rest.js";
import { readTheirs } from "./read-theirs.js";

const DUMPED = 4;
const FURTHER_STEPS = 9;
const FLUSH_MS = 1500;

export async function theyReadOurs(
  random: Random,
  session: Session,
  models: readonly TableModel[],
  asked: readonly ClientTable[],
): Promise<CheckResult[]> {
  const { server } = session;
  const tables = models.some(({ hasCounter }) => hasCounter) ? await readReplayed(session, asked) : asked;
  const same = await withDir(session, (dir) =>
    rewriteBlocks(dir, { how: "same", random, write: true, keep: join(server.options.folder, "different") }),
  );
  const results: CheckResult[] = [
    {
      what: "cfile rewrites Kudu's files",
      counts: {
        "byte-identical": same.equal,
        "byte-identical with Kudu's block limits": same.cut,
        "compressed differently by Snappy": same.snappy,
      },
      cases: same.files,
      rows: 0,
      failures: same.different,
    },
  ];

  const other = await withDir(session, (dir) => rewriteBlocks(dir, { how: "other", random, write: true }));
  const failures = await askTools(session, other, random);
  await session.start();
  const again = await readAgain(session, tables, (_, cells) => cells);
  failures.push(...again.failures, ...(await refuseTwins(session, models, tables)));
  results.push({ what: "Kudu reads ours: other encodings, codecs, block sizes", ...again, failures });

  // Alters and writes tables with our files.
  await work(random, session, models, FURTHER_STEPS);
  const unflushed = await readAll(random, session, models);
  await server.maintain("flush", FLUSH_MS);
  await server.maintain("flush-deltas", FLUSH_MS);
  const after = await readAtRest(server, () => readTables(session.driver, unflushed.map(questionsOf)));
  results.push(compareAnswers(unflushed, after, models));
  await session.stop();
  const ours = await readTheirs(
    server,
    after,
    "Kudu writes and compacts our files, and cfile reads the result",
  );
  results.push(ours);
  if (ours.failures.length > 0) {
    return results;
  }

  const columns = new Map<string, ReadonlyMap<number, KuduColumn>>();
  const changed = await withDir(session, async (dir) => {
    for (const tablet of await dir.tablets()) {
      columns.set(tablet.id, await changeableColumns(tablet));
    }
    return rewriteBlocks(dir, { how: "other", random, changed: columns, write: true });
  });
  const toolFailures = await askTools(session, changed, random);
  await session.start();
  const read = await readAgain(session, after, (tablet, cells, table) => {
    const byName = new Map([...(columns.get(tablet)?.values() ?? [])].map((column) => [column.name, column]));
    return cells.map((cell, i) => {
      const column = byName.get(table.columns[i] ?? "");
      return column === undefined ? cell : changeText(column.type, cell);
    });
  });
  await session.stop();
  results.push({
    what: "Kudu reads ours: changed values",
    ...read,
    failures: [...toolFailures, ...read.failures],
  });
  return results;
}

/**
 * Reads the same again after the server replayed its log and flushed it. The server numbers replayed rows
 * again: rows of tables with a counter get other keys, and changes apply to other rows.
 */
async function readReplayed(session: Session, read: readonly ClientTable[]): Promise<readonly ClientTable[]> {
  await session.start();
  await session.server.maintain("flush", FLUSH_MS);
  await session.server.maintain("flush-deltas", FLUSH_MS);
  const replayed = await readAtRest(session.server, () => readTables(session.driver, read.map(questionsOf)));
  await session.stop();
  return replayed;
}

async function withDir<T>({ server }: Session, action: (dir: KuduDir) => Promise<T>): Promise<T> {
  await using dir = await openKuduDir(server.dataFolder);
  return await action(dir);
}

/** Kudu's own check, and its dump of some files. */
async function askTools({ server }: Session, { blocks }: Rewritten, random: Random): Promise<string[]> {
  const failures: string[] = [];
  const check = await server.fsTool(["fs", "check"]);
  if (!/Total missing blocks: 0/.test(check) || !/0 \(0 repaired\)|Total corrupt|OK/.test(check)) {
    failures.push(`kudu fs check: ${check.slice(-500)}`);
  }
  for (const id of random.shuffled(blocks).slice(0, DUMPED)) {
    try {
      await server.fsTool(["fs", "dump", "cfile", String(id), "--print_rows=true"]);
    } catch (error) {
      failures.push(`kudu fs dump cfile ${id}: ${String(error).slice(-400)}`);
    }
  }
  return failures;
}

/** Reads the same again and compares it with the earlier rows, with the expected changes. */
async function readAgain(
  { driver }: Session,
  tables: readonly ClientTable[],
  alter: (tablet: string, cells: readonly string[], table: ClientTable) => readonly string[],
): Promise<{ cases: number; rows: number; failures: string[] }> {
  const failures: string[] = [];
  let cases = 0;
  let rows = 0;
  for (const table of tables) {
    let now: ClientTable | undefined;
    try {
      [now] = await readTables(driver, [questionsOf(table)]);
    } catch (error) {
      if (!(error instanceof DriverError)) {
        throw error;
      }
      failures.push(`table ${table.name}: ${error.message.slice(0, 500)}`);
      continue;
    }
    const compare = (what: string, before: TabletRows, found: TabletRows | undefined): void => {
      for (const [id, wanted] of before) {
        cases++;
        rows += wanted.length;
        const expected = wanted.map((row) => alter(id, row.split("\t"), table).join("\t"));
        const actual = found?.get(id) ?? [];
        const at = expected.findIndex((row, i) => row !== actual[i]);
        if (at !== -1 || actual.length !== expected.length) {
          const row = at === -1 ? expected.length : at;
          failures.push(
            `table ${table.name}, tablet ${id}, ${what}, row ${row}: expected ${expected[row]?.slice(0, 200)}, Kudu reads ${actual[row]?.slice(0, 200)}`,
          );
        }
      }
    };
    table.snapshots.forEach(({ timestamp, rows: before }, i) => {
      compare(`asOf ${timestamp}`, before, now?.snapshots[i]?.rows);
    });
    table.diffs.forEach(({ from, to, rows: before }, i) => {
      compare(`diff ${from} ${to}`, before, now?.diffs[i]?.rows);
    });
  }
  return { cases, rows, failures: failures.slice(0, 10) };
}

/** Inserting existing rows must fail: Bloom files and indexes contain their keys. */
async function refuseTwins(
  { driver }: Session,
  models: readonly TableModel[],
  tables: readonly ClientTable[],
): Promise<string[]> {
  const failures: string[] = [];
  for (const [i, model] of models.entries()) {
    const last = tables[i]?.snapshots.reduce((a, b) => (a.timestamp > b.timestamp ? a : b));
    const rows = [...(last?.rows.values() ?? [])].flat();
    if (rows.length === 0 || model.hasCounter) {
      continue;
    }
    const accepted = await model.insertAgain(driver, rows);
    if (accepted !== 0) {
      failures.push(`table ${model.name}: ${accepted} of ${rows.length} rows were inserted twice`);
    }
  }
  return failures;
}
