/** Messages on stderr about the replicas that a command read. */
import { printable } from "@cfile/cell-text";
import type { KuduCluster, KuduTablet, ReplicaNotice, ReplicatedTablet } from "@cfile/kudu-dir";
import { hasNumberedRows } from "@cfile/kudu-dir/catalog";
import { hybridTimeText } from "../../options/hybrid-time.js";
import type { CliContext } from "../../program/context.js";
import { counted } from "../../records/quantity.js";
import type { LedgerJson } from "../../splits/ledger-json.js";
import type { KuduTables } from "../kudu-directory.js";

export function noticeText({ tablet, server, skipped }: ReplicaNotice): string {
  const reasons = skipped.map(({ server: other, error }) => `server ${other}: ${error.message}`);
  return `tablet ${tablet}: read from server ${server} instead (${printable(reasons.join("; "))})`;
}

/** Reports that the catalog cannot be read, and that tables and tablets are known only from the directories. */
export async function reportCatalog(
  { stderr }: CliContext,
  tables: KuduTables & Partial<Pick<KuduCluster, "usableCatalog">>,
): Promise<void> {
  const { problem } = (await tables.usableCatalog?.()) ?? {};
  if (problem !== undefined) {
    await stderr.line(
      `cfile: tablets that no directory has may be missing, as the catalog is damaged: ${printable(problem.message)}`,
    );
  }
}

/** Reports uncertain writes that were read, and writes that may be missing or differ between replicas. */
export async function reportWrites(
  { stderr }: CliContext,
  { id, schema, writes }: KuduTablet & Partial<Pick<ReplicatedTablet, "writes">>,
): Promise<void> {
  if (writes === undefined) {
    return;
  }
  const { readable, possible, unseen, lineage, config } = writes;
  if (hasNumberedRows(schema) && readable.length > 1) {
    await stderr.line(
      `cfile: tablet ${id}: read from server ${readable[0]?.server}; others can have rows with other numbers if they were restarted (see cfile kudu ksck)`,
    );
  }
  if (possible.length > 0) {
    const count = counted(possible.length, "operation");
    await stderr.line(
      `cfile: tablet ${id}: ${count} may be uncommitted: a voter's log is missing (see --confirmed-only)`,
    );
  }
  const last = lineage.at(-1);
  if (unseen.length > 0) {
    const voters = config?.peers.filter(({ isVoter }) => isVoter).length ?? unseen.length;
    const since =
      last === undefined
        ? ""
        : ` after operation ${last.term}.${last.index} at ${hybridTimeText(last.timestamp)}`;
    await stderr.line(
      `cfile: tablet ${id}: committed writes${since} may be missing: the logs of ${unseen.length} of ${voters} voters are not here or damaged (servers ${unseen.join(", ")})`,
    );
  }
}

const MAX_LINES = 20;

/** Reports where the rows of a recovered tablet came from, and what is lost. */
export async function reportLedger({ stderr }: CliContext, ledger: LedgerJson): Promise<void> {
  const { tablet, rows, snapshot, as_of: asOf, complete, replicas, sources, lost } = ledger;
  const isSingle = replicas.length === 1 && replicas[0]?.server === "";
  if (isSingle && complete) {
    return;
  }
  await stderr.line(
    `cfile: tablet ${tablet}: ${counted(rows, "row")} recovered${complete ? ", none lost" : ""}`,
  );
  const say = (text: string): Promise<void> => stderr.line(`  ${printable(text)}`);
  if (snapshot === "earlier" && asOf !== undefined) {
    await say(
      `rows are as of ${asOf} (${hybridTimeText(BigInt(asOf))}): later operations are lost, or hidden by damage`,
    );
  } else if (snapshot === "unknown") {
    await say("no log can be read from its start: rows are what was flushed, and may be out of date");
  }
  for (const { server, use, problems, row_sets: rowSets } of isSingle ? [] : replicas) {
    const given = sources.filter((range) => range.server === server).reduce((sum, one) => sum + one.rows, 0);
    const damaged = rowSets.map(
      ({ row_set: id, rows_lost: count }) => `DiskRowSet ${id} lost ${counted(count, "row")}`,
    );
    const reasons = [...problems.map(({ reason }) => reason), ...damaged];
    const state = use !== "read" ? use : given > 0 ? counted(given, "row") : "compared, no row needed";
    const source = server === "" ? "server" : /^[0-9a-f]{32}$/.test(server) ? `server ${server}` : server;
    await say(`${source}: ${state}${reasons.length === 0 ? "" : ` (${reasons.join("; ")})`}`);
  }
  for (const { max_rows: most, from_text: from, to_text: to } of lost.slice(0, MAX_LINES)) {
    const count = most === undefined ? "an unknown number of rows" : `at most ${counted(most, "row")}`;
    await say(`lost: ${count} with keys from ${from ?? "the first"} to ${to ?? "the last"}`);
  }
  for (const { key_text: key, servers, without } of ledger.different.slice(0, MAX_LINES)) {
    const groups = [
      ...servers.map((group) => group.join(" and ")),
      ...(without.length === 0 ? [] : [`not on ${without.join(", ")}`]),
    ];
    await say(`left out: row ${key}, which differs between undamaged replicas (${groups.join("; ")})`);
  }
  const more = Math.max(0, lost.length - MAX_LINES) + Math.max(0, ledger.rows_different - MAX_LINES);
  if (more > 0) {
    await say(`and ${more} more (see --json of cfile kudu export)`);
  }
}
