/** Reads the catalog of a cluster from a master's `sys.catalog` tablet, with its write-ahead log. */
import { CFileError } from "@cfile/bytes";
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

const TABLE = 1;
const TABLET = 2;
const CERTIFICATE_AUTHORITY = 3;
const TOKEN_SIGNING_KEY = 4;
const CLUSTER_ID = 7;

/** @throws {CFileError} as `KuduTablet.scan`; `E_CORRUPT` naming the entry for one that cannot be parsed */
export async function readCatalog(tablet: KuduTablet): Promise<Catalog> {
  const tables = new Map<string, CatalogTable>();
  const tablets = new Map<string, CatalogTablet>();
  let clusterId: string | undefined;
  let redacted = 0;
  const columns = ["entry_type", "entry_id", "metadata"];
  for await (const batch of tablet.scan({ columns, withLog: true })) {
    const [types = [], ids = [], messages = []] = batch.columns.map((column) =>
      column.toArray({ strings: "bytes" }),
    );
    types.forEach((type, row) => {
      const id = new TextDecoder().decode(bytesOf(ids[row]));
      const message = bytesOf(messages[row]);
      try {
        if (type === TABLE) {
          tables.set(id, parseCatalogTable(id, message));
        } else if (type === TABLET) {
          tablets.set(id, parseCatalogTablet(id, message));
        } else if (type === CLUSTER_ID) {
          clusterId = parseClusterId(message);
        } else if (type === CERTIFICATE_AUTHORITY || type === TOKEN_SIGNING_KEY) {
          redacted++;
        }
      } catch (error) {
        throw error instanceof CFileError
          ? new CFileError(error.code, `catalog entry ${type} ${id}: ${error.reason}`, { field: error.field })
          : error;
      }
    });
  }
  return { clusterId, tables, tablets, redacted };
}

function bytesOf(cell: unknown): Uint8Array {
  return cell instanceof Uint8Array ? cell : new Uint8Array(0);
}
