/** Writes the directories of a new cluster with the tables of another: a master, and tablet servers with a replica of each tablet. */
import { CFileError, invalidArgument, toHex } from "@cfile/bytes";
import { collect } from "../blocks/problems.js";
import type { DescribedPartition } from "../cluster/check-cluster.js";
import { noReplica } from "../cluster/cluster-table.js";
import type { KuduCluster } from "../cluster/kudu-cluster.js";
import { ENTRY } from "../cluster/read-catalog.js";
import type { HostPortPB } from "../generated/decode.js";
import { type Descriptions, NewServer } from "./new-server.js";
import { Restoration } from "./restoration.js";
import type { RestoredCluster, RestoredTable, RestoredTablet, RestoreOptions } from "./restore-options.js";
import { describedPartition, isUnborn, type PlannedTable, planRestore } from "./restore-plan.js";

const DEFAULT_ADDRESS = "127.0.0.1:7050";
const DEFAULT_BLOCK_SIZE = 4096;
/** Maximum number of partitions that an error names. */
const MAX_LISTED = 10;

/** See `on-demand.ts`. */
export async function restoreCluster(
  cluster: KuduCluster,
  options: RestoreOptions,
): Promise<RestoredCluster> {
  const { addresses = [DEFAULT_ADDRESS], tables, onProgress, signal } = options;
  const hosts = addresses.map(hostPort);
  if (hosts.length === 0 || new Set(addresses).size < hosts.length) {
    throw invalidArgument("addresses must be one or more, each of them different", { field: "addresses" });
  }
  const plan = await planRestore(cluster, tables);
  const total = requireReplicas(plan.tables, options);
  const descriptions = await descriptionsIn(cluster);
  const { openFolder, blockSize = DEFAULT_BLOCK_SIZE } = options;
  const newServer = (root: string): NewServer => new NewServer({ openFolder, root, descriptions, blockSize });
  const master = newServer("master");
  const tabletServers = hosts.map((host, i) => ({ host, folder: `ts${i}`, server: newServer(`ts${i}`) }));
  try {
    const work = new Restoration(cluster, tabletServers, options);
    const restored: RestoredTable[] = [];
    let done = 0;
    for (const table of plan.tables) {
      const tablets: RestoredTablet[] = [];
      for (const tablet of table.tablets) {
        signal?.throwIfAborted();
        tablets.push(await work.restore(table, tablet));
        onProgress?.(++done, total);
      }
      restored.push(work.addTable(table, tablets));
    }
    const { clusterId, hivePosition } = plan;
    if (clusterId !== undefined) {
      work.catalog.addClusterId(clusterId);
    }
    if (hivePosition !== undefined) {
      work.catalog.add(ENTRY.hiveMetastorePosition, hivePosition.id, hivePosition.message);
    }
    await work.catalog.write(master, work.lastWrite);
    await master.finish();
    for (const { server } of tabletServers) {
      await server.finish();
    }
    return {
      clusterId,
      servers: [
        { folder: "master", uuid: master.uuid, address: undefined },
        ...tabletServers.map(({ server, folder }, i) => ({
          folder,
          uuid: server.uuid,
          address: addresses[i],
        })),
      ],
      tables: restored,
      wasEncrypted: cluster.servers.some(({ encrypted }) => encrypted),
      lastWrite: work.lastWrite,
    };
  } catch (error) {
    await Promise.allSettled(
      [master, ...tabletServers.map(({ server }) => server)].map((one) => one.abort()),
    );
    throw error;
  }
}

/** @returns the number of tablets */
function requireReplicas(
  tables: readonly PlannedTable[],
  { emptyMissing = false, describePartition = bucketsAndKeys }: RestoreOptions,
): number {
  const tablets = tables.flatMap((table) => table.tablets.map(({ source }) => ({ table, source })));
  const missing = tablets
    .filter(({ source }) => source.readable.length === 0 && !isUnborn(source))
    .map(({ table, source }) => {
      const partition = describePartition(describedPartition(table, source));
      return `${source.id} of table ${JSON.stringify(table.entry.name)} (${partition})`;
    });
  if (missing.length > 0 && !emptyMissing) {
    throw noReplica(missing.join(", "), "no readable replica is in the directories");
  }
  const gaps = tables.flatMap((table) =>
    table.gaps.map(
      (gap) => `table ${JSON.stringify(table.entry.name)}: no tablet has ${describePartition(gap)}`,
    ),
  );
  if (gaps.length > 0 && !emptyMissing) {
    const more = gaps.length > MAX_LISTED ? `; and ${gaps.length - MAX_LISTED} more` : "";
    const reason = `${gaps.slice(0, MAX_LISTED).join("; ")}${more}`;
    throw new CFileError("E_NOT_FOUND", reason, { field: "partition" });
  }
  return tablets.length;
}

function bucketsAndKeys({ partition }: DescribedPartition): string {
  const { hashBuckets, keyStart, keyEnd } = partition;
  const buckets = hashBuckets.length === 0 ? "" : `hash partition ${hashBuckets.join(", ")}, `;
  return `${buckets}keys from 0x${toHex(keyStart)} to 0x${toHex(keyEnd)}`;
}

/** Without a file of consensus metadata, the description of superblocks is used for it: only `kudu pbc` reads it. */
async function descriptionsIn(cluster: KuduCluster): Promise<Descriptions> {
  let superblock: Uint8Array | undefined;
  for (const dir of cluster.servers) {
    for (const { id } of await dir.tablets()) {
      superblock ??= (await dir.metadataFile("tablet-meta", id))?.description;
      const consensus = (await collect([], () => dir.metadataFile("consensus-meta", id)))?.description;
      if (superblock !== undefined && consensus !== undefined) {
        return { superblock, consensus };
      }
    }
  }
  if (superblock === undefined) {
    throw new CFileError("E_NOT_FOUND", "no tablet in the directories", { field: "tablet-meta" });
  }
  return { superblock, consensus: superblock };
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` unless it is `HOST:PORT` */
function hostPort(address: string): HostPortPB {
  const [, host = "", digits = ""] = /^\[?([^[\]\s]+?)\]?:(\d{1,5})$/.exec(address) ?? [];
  const port = Number(digits);
  if (host === "" || port < 1 || port > 65535) {
    const reason = `invalid address: ${JSON.stringify(address)} (must be HOST:PORT)`;
    throw invalidArgument(reason, { field: "addresses" });
  }
  return { host, port };
}
