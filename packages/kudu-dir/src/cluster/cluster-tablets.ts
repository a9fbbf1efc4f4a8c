/** The tables and tablets of a cluster, from its catalog and the superblocks of its servers. */
import { compareBytes } from "@cfile/bytes";
import type { Partition } from "../catalog/partition-message.js";
import type { CatalogTable, CatalogTablet } from "./catalog-entries.js";
import type { ClusterReplicas } from "./cluster-replicas.js";
import { CATALOG_TABLET, type Catalog } from "./read-catalog.js";

/** A table's name, and its entry in the catalog. */
export interface NamedTable {
  readonly name: string;
  readonly entry: CatalogTable | undefined;
}

/** A tablet that the catalog expects or a disk has. */
export interface ListedTablet {
  readonly id: string;
  readonly tableId: string;
  readonly partition: Partition;
  /** The tablet in the masters' catalog; `undefined` without a master. */
  readonly catalog: CatalogTablet | undefined;
}

type Copies = Awaited<ReturnType<ClusterReplicas["byTablet"]>>;

/** Tables by ID, ordered by name, without dropped tables. */
export function namesOfTables(catalog: Catalog | undefined, copies: Copies): ReadonlyMap<string, NamedTable> {
  const found = new Map<string, NamedTable & { readonly version: number }>();
  for (const [id, entry] of catalog?.tables ?? []) {
    if (entry.state !== "removed" && !entry.isTransactionStatus) {
      found.set(id, { name: entry.name, entry, version: Number.POSITIVE_INFINITY });
    }
  }
  for (const { tablet } of [...copies.values()].flat()) {
    const { tableId, tableName: name, superblock } = tablet;
    const isDropped = catalog?.tables.get(tableId)?.state === "removed";
    // A lagging replica still has the old name.
    const isNewer = superblock.schemaVersion > (found.get(tableId)?.version ?? -1);
    if (tablet.id !== CATALOG_TABLET && !isDropped && isNewer) {
      found.set(tableId, { name, entry: undefined, version: superblock.schemaVersion });
    }
  }
  return new Map([...found].sort(([, left], [, right]) => (left.name < right.name ? -1 : 1)));
}

/** Tablets ordered by partition, without those of dropped tables and the catalog itself. */
export function tabletsOf(catalog: Catalog | undefined, copies: Copies): readonly ListedTablet[] {
  const tablets: ListedTablet[] = [];
  for (const id of new Set([...(catalog?.tablets.keys() ?? []), ...copies.keys()])) {
    const entry = catalog?.tablets.get(id);
    const [copy] = copies.get(id) ?? [];
    const isGone = entry?.state === "deleted" || entry?.state === "replaced" || id === CATALOG_TABLET;
    const known = entry ?? copy?.tablet.superblock;
    if (!isGone && known !== undefined) {
      const { tableId, partition } = known;
      tablets.push({ id, tableId, partition, catalog: entry });
    }
  }
  return tablets.sort((left, right) => compareBytes(left.partition.keyStart, right.partition.keyStart));
}
