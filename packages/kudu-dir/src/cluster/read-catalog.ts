/** Reads the catalog of a cluster from a master's `sys.catalog` tablet, with its write-ahead log. */
import { CFileError, corrupt } from "@cfile/bytes";
import { requireCFileError } from "../blocks/problems.js";
import type { KuduTablet } from "../read/kudu-tablet.js";
import {
  type CatalogTable,
  type CatalogTablet,
  parseCatalogTable,
  parseCatalogTablet,
  parseClusterId,
} from "./catalog-entries.js";

/** ID of the tablet that every master has. */
export const CATALOG_TABLET = "0".repeat(32);

/** The tables and tablets of a cluster, as its masters record them. */
export interface Catalog {
  /** 32 hexadecimal digits. */
  readonly clusterId: string | undefined;
  /** By table ID; includes dropped tables. */
  readonly tables: ReadonlyMap<string, CatalogTable>;
  /** By tablet ID; includes those of dropped tables. */
  readonly tablets: ReadonlyMap<string, CatalogTablet>;
  /** Entries with private keys, which are never read. */
  readonly redacted: number;
}

/** Kinds of entries: the column `entry_type`. */
export const ENTRY = {
  table: 1,
  tablet: 2,
  certificateAuthority: 3,
  tokenSigningKey: 4,
  hiveMetastorePosition: 5,
  clusterId: 7,
} as const;

/** A row of the catalog. */
export interface CatalogEntry {
  readonly type: number;
  readonly id: string;
  /** Its message; `undefined` for an entry with a private key. */
  readonly message: Uint8Array | undefined;
}

/** @throws {CFileError} as `KuduTablet.scan`; `E_CORRUPT` naming the entry if one cannot be parsed */
export async function readCatalog(tablet: Pick<KuduTablet, "scan">): Promise<Catalog> {
  const tables = new Map<string, CatalogTable>();
  const tablets = new Map<string, CatalogTablet>();
  let clusterId: string | undefined;
  let redacted = 0;
  for await (const { type, id, message } of catalogEntries(tablet)) {
    try {
      if (message === undefined) {
        redacted++;
      } else if (type === ENTRY.table) {
        tables.set(id, parseCatalogTable(id, message));
      } else if (type === ENTRY.tablet) {
        tablets.set(id, parseCatalogTablet(id, message));
      } else if (type === ENTRY.clusterId) {
        clusterId = parseClusterId(message);
      }
    } catch (error) {
      const { code, reason, field } = requireCFileError(error);
      throw new CFileError(code, `catalog entry ${type} ${id}: ${reason}`, { field, cause: error });
    }
  }
  return { clusterId, tables, tablets, redacted };
}

/**
 * The rows of a catalog in the order of their keys.
 *
 * @throws {CFileError} as `KuduTablet.scan`
 */
export async function* catalogEntries(
  tablet: Pick<KuduTablet, "scan">,
): AsyncGenerator<CatalogEntry, void, void> {
  const columns = ["entry_type", "entry_id", "metadata"];
  for await (const batch of tablet.scan({ columns, withLog: true })) {
    const [types = [], ids = [], messages = []] = batch.columns.map((column) =>
      column.toArray({ strings: "bytes" }),
    );
    for (const [row, cell] of types.entries()) {
      const type = Number(cell);
      const id = new TextDecoder().decode(bytesOf(ids[row]));
      yield { type, id, message: hasPrivateKey(type) ? undefined : bytesOf(messages[row]) };
    }
  }
}

/** Whether entries of this type (column `entry_type`) have a private key, which must not be shown. */
export function hasPrivateKey(type: number): boolean {
  return type === ENTRY.certificateAuthority || type === ENTRY.tokenSigningKey;
}

/** @throws {CFileError} `E_CORRUPT` for NULL: the superblock's schema is wrong */
function bytesOf(cell: unknown): Uint8Array {
  if (!(cell instanceof Uint8Array)) {
    throw corrupt("a catalog entry has no ID or no message", { field: "sys.catalog" });
  }
  return cell;
}
