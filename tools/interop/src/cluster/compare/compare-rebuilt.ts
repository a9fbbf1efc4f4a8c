/**
 * Rebuilds the row sets of each tablet server as if its superblocks were lost, and compares them with the real ones: a row set that is
 * reported as certain must have exactly its files.
 */
import { join } from "node:path";
import type { FileTree } from "@cfile/io";
import {
  type KnownTable,
  type KuduDir,
  openKuduCluster,
  openKuduDir,
  type RebuiltDir,
  type RebuiltRowSet,
  rebuildKuduDir,
  tablesOfCluster,
} from "@cfile/kudu-dir";
import type { RowSetBlocks } from "@cfile/kudu-dir/catalog";
import type { CheckResult } from "../../report.js";
import type { ClusterTruth } from "../cluster-truth.js";

const LOST = new Set(["tablet-meta", "consensus-meta"]);

export async function compareRebuilt(
  folder: string,
  truth: Pick<ClusterTruth, "servers" | "masters">,
): Promise<CheckResult> {
  const failures: string[] = [];
  const counts = { exact: 0, ambiguous: 0, "without logs: exact": 0, "without logs: ambiguous": 0, extra: 0 };
  let cases = 0;
  const catalog = await knownTables(truth.masters.map((name) => join(folder, name)));
  for (const name of Object.keys(truth.servers).sort()) {
    await using server = await openKuduDir(join(folder, name));
    const real = await realRowSets(server);
    for (const withLogs of [true, false]) {
      for (const tables of [catalog, []]) {
        await using lost = await openKuduDir(withoutMetadata(server, withLogs));
        const rebuilt = await rebuildKuduDir(lost, { tables });
        const where = `${name}, ${withLogs ? "with" : "without"} logs, ${tables.length > 0 ? "with" : "without"} catalog`;
        failures.push(...notFound(rebuilt, real).map((id) => `${where}: row set ${id} is not found`));
        for (const rowSet of rebuilt.rowSets) {
          cases++;
          const found = real.get(rowSet.id);
          if (found === undefined) {
            counts.extra++;
            continue;
          }
          const isCertain = rowSet.doubts.length === 0 && rowSet.possibleDeltas.length === 0;
          const wrong = isCertain ? different(rowSet, found) : foreign(rowSet, found);
          failures.push(...wrong.map((reason) => `${where}: row set ${rowSet.id}: ${reason}`));
          counts[`${withLogs ? "" : "without logs: "}${isCertain ? "exact" : "ambiguous"}`]++;
        }
      }
    }
  }
  return { what: "rebuild: row sets without superblocks", cases, rows: 0, failures, counts };
}

interface RealRowSet {
  readonly tablet: string;
  readonly blocks: RowSetBlocks;
}

/** Row sets by the block of their key file. */
async function realRowSets(server: KuduDir): Promise<ReadonlyMap<bigint, RealRowSet>> {
  const found = new Map<bigint, RealRowSet>();
  for (const { id: tablet, schema, rowSets } of await server.tablets()) {
    for (const { blocks } of rowSets) {
      const key = blocks.adhocIndex ?? blocks.columns.get(schema.columns[0]?.id ?? -1);
      found.set(key ?? -1n, { tablet, blocks });
    }
  }
  return found;
}

async function knownTables(masters: readonly string[]): Promise<readonly KnownTable[]> {
  await using cluster = await openKuduCluster(masters);
  return await tablesOfCluster(cluster);
}

/** The directories of a server that has lost the disk of its metadata. */
function withoutMetadata(server: KuduDir, withLogs: boolean): FileTree[] {
  const { dataFolders, logFolders } = server.roots;
  const hidden = new Set([...LOST, ...(withLogs ? [] : ["wals"])]);
  return [...new Set([...dataFolders, ...logFolders].map(({ tree }) => tree))].map((tree) => ({
    name: tree.name,
    list: async (path) => (await tree.list(path)).filter(({ name }) => !hidden.has(name)),
    openSource: (path) => tree.openSource(path),
  }));
}

/** Real row sets that are neither found nor listed as left over. */
function notFound({ rowSets, leftover }: RebuiltDir, real: ReadonlyMap<bigint, unknown>): readonly bigint[] {
  const named = new Set([...rowSets.map(({ id }) => id), ...leftover.map(({ block }) => block.id)]);
  return [...real.keys()].filter((id) => !named.has(id));
}

/** Differences of a row set that is reported as certain. */
function different({ blocks, places }: RebuiltRowSet, { tablet, blocks: real }: RealRowSet): string[] {
  const text = ({ columns, undo, redo, bloom, adhocIndex }: RowSetBlocks, withIds: boolean): string => {
    const sorted = [...columns].sort(([left], [right]) => left - right);
    const files = withIds ? sorted.join("; ") : sorted.map(([, id]) => id).sort();
    return `columns ${files}, undo ${undo.join()}, redo ${redo.join()}, bloom ${bloom}, index ${adhocIndex}`;
  };
  const [place, ...others] = places;
  const isKnown = place?.table.origin === "catalog" || place?.table.origin === "log";
  const [ours, theirs] = [text(blocks, isKnown), text(real, isKnown)];
  return [
    ...(ours === theirs ? [] : [`found ${ours}; expected ${theirs}`]),
    ...(others.length === 0 && (place?.tablet ?? tablet) === tablet
      ? []
      : [`tablet ${place?.tablet} (expected ${tablet})`]),
  ];
}

/** Files of an ambiguous row set that belong to other row sets. */
function foreign({ blocks }: RebuiltRowSet, { blocks: real }: RealRowSet): string[] {
  const own = new Set([...real.columns.values(), ...real.undo, ...real.redo]);
  return [...blocks.columns.values(), ...blocks.undo, ...blocks.redo]
    .filter((id) => !own.has(id))
    .map((id) => `block ${id} is not its own`);
}
