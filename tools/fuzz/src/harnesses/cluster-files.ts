/**
 * Files of a Kudu cluster: entries of the masters' catalog, consensus metadata, and a cluster with a damaged one. The choice of replicas
 * is compared with a model of Raft.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { memoryTree } from "@cfile/io";
import { CATALOG_TABLET, checkCluster, openKuduCluster, openKuduDir } from "@cfile/kudu-dir";
import {
  parseCatalogTable,
  parseCatalogTablet,
  parseConsensusMetadata,
  parseContainerFile,
} from "@cfile/kudu-dir/catalog";
import { defineHarness } from "../define-harness.js";
import type { Harness, Subject } from "../harness.js";
import { mutateFields } from "../mutate-fields.js";
import { mutateContainer } from "./kudu-files.js";
import { RaftModel } from "./raft-model.js";
import { Choices } from "./raft-replica.js";
import { checkReplicaChoice } from "./replica-choice.js";

const FOUR = fileURLToPath(new URL("../../../../fixtures/golden/kudu-cluster/four/", import.meta.url));
const TABLE = 1;
const TABLET = 2;
const ID = "0".repeat(32);

/** Messages of tables and tablets, except those with keys. */
async function catalogMessages(): Promise<(Subject & { readonly type: number })[]> {
  const dir = await openKuduDir(join(FOUR, "master"));
  const found: (Subject & { readonly type: number })[] = [];
  for await (const batch of (await dir.tablet(CATALOG_TABLET)).scan({ withLog: true })) {
    const [types = [], ids = [], messages = []] = batch.columns.map((column) =>
      column.toArray({ strings: "bytes" }),
    );
    types.forEach((type, row) => {
      const [id, bytes] = [ids[row], messages[row]];
      if ((type === TABLE || type === TABLET) && id instanceof Uint8Array && bytes instanceof Uint8Array) {
        found.push({ name: `${type} ${new TextDecoder().decode(id)}`, bytes: bytes.slice(), type });
      }
    });
  }
  await dir.close();
  return found;
}

const catalog = defineHarness({
  name: "Kudu: entries of the catalog",
  share: 300,
  load: catalogMessages,
  mutate: (subject, random) => mutateFields(subject.bytes, random),
  act: (bytes, { type }) => (type === TABLE ? parseCatalogTable(ID, bytes) : parseCatalogTablet(ID, bytes)),
});

/** All files of a server of the cluster, by path. */
function filesOf(server: string): Subject[] {
  return readdirSync(join(FOUR, server), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({
      name: path.slice(FOUR.length).replaceAll("\\", "/"),
      bytes: new Uint8Array(readFileSync(path)),
    }));
}

function consensusFiles(): Subject[] {
  return ["master", "ts0", "ts1"].flatMap(filesOf).filter(({ name }) => name.includes("consensus-meta/"));
}

const consensus = defineHarness({
  name: "Kudu: consensus metadata",
  share: 200,
  load: consensusFiles,
  mutate: mutateContainer,
  act: (bytes, { name }) => {
    const { records, damage } = parseContainerFile(bytes, name);
    for (const record of records) {
      parseConsensusMetadata(record);
    }
    if (damage !== undefined) {
      throw damage;
    }
  },
});

const SMALL = /consensus-meta|tablet-meta|instance$/;

/** The small files of three servers. */
function clusterFiles(): (Subject & { readonly files: ReadonlyMap<string, Uint8Array> })[] {
  const all = ["master", "ts0", "ts2"].flatMap(filesOf);
  const files = new Map(all.map(({ name, bytes }) => [name, bytes]));
  return all.filter(({ name }) => SMALL.test(name)).map((subject) => ({ ...subject, files }));
}

const clusters = defineHarness({
  name: "Kudu: clusters",
  share: 2,
  load: clusterFiles,
  mutate: mutateContainer,
  act: async (bytes, { name, files }) => {
    await using cluster = await openKuduCluster(memoryTree(new Map(files).set(name, bytes), "cluster"));
    await cluster.catalog();
    const { problems } = await checkCluster(cluster);
    return problems.length;
  },
});

const HISTORY_BYTES = [60, 150, 300, 500];

/** A history is a sequence of bytes: each one is a choice of the model. */
export const REPLICA_CHOICE = defineHarness({
  name: "Kudu: choice of replicas",
  share: 300,
  load: () =>
    HISTORY_BYTES.map((length) => ({ name: `history of ${length} bytes`, bytes: new Uint8Array(length) })),
  mutate: ({ bytes: { length } }, random) => ({
    bytes: Uint8Array.from({ length }, () => random.below(256)),
    steps: [`${length} random choices`],
  }),
  act: (bytes) => {
    const model = new RaftModel(bytes).play();
    const names = [...model.servers.keys()];
    for (let set = 1; set < 1 << names.length; set++) {
      const present = names.filter((_, i) => (set >> i) & 1);
      checkReplicaChoice(model, present);
      checkReplicaChoice(model, present, new Choices(bytes.subarray(set)));
    }
    return model.committed.size;
  },
});

export const CLUSTER_FILES: readonly Harness[] = [catalog, consensus, clusters, REPLICA_CHOICE];
