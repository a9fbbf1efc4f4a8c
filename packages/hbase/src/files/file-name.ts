/**
 * Names of store files (docs/spec/hbase-table.md#41-names). The names of links and references say which file they stand for:
 *
 * | form | kind |
 * | --- | --- |
 * | `[0-9a-f]+`, `[0-9a-f]+_SeqId_N_` (bulk load), `[0-9a-f]+_del` | HFile |
 * | `[NAMESPACE=]TABLE=REGION-HFILE` | link to a file of another region |
 * | `NAME.PARENT`, NAME one of the above | reference to a part of a file of the region PARENT |
 */
import { corrupt } from "@cfile/bytes";
import { DEFAULT_NAMESPACE, isNamePart, type TableName } from "../root/table-name.js";

/** The location of an HFile: its region and its name there. */
export interface HFilePlace {
  readonly table: TableName;
  readonly region: string;
  readonly hfile: string;
}

/** What a file name stands for. */
export interface StoreFileName {
  readonly kind: "hfile" | "link" | "reference";
  /** Where the HFile was when this name was given; it may have moved to the archive. */
  readonly place: HFilePlace;
}

const HFILE = "[0-9a-f]+(?:_SeqId_[0-9]+_|_del)?";
const IS_HFILE = new RegExp(`^${HFILE}$`);
const IS_LINK = new RegExp(`^(?:([^=]+)=)?([^=]+)=([0-9a-f]+)-(${HFILE})$`);
const IS_REFERENCE = /^(.+)\.([0-9a-f]+)$/;
const MOB_FILE = "[0-9a-f]{32}[0-9]{8}[0-9a-f]{32}_[0-9a-f]{32}";
const IS_MOB_FILE = new RegExp(`^${MOB_FILE}$`);
const BULK_SEQUENCE = /_SeqId_([0-9]+)_$/;

/**
 * @param region the region whose folder has the file
 * @throws {CFileError} `E_CORRUPT` for any other name, and for one that leads out of the root directory
 */
export function parseStoreFileName(name: string, table: TableName, region: string): StoreFileName {
  if (IS_HFILE.test(name)) {
    return { kind: "hfile", place: { table, region, hfile: name } };
  }
  const link = parseLink(name);
  if (link !== undefined) {
    return { kind: "link", place: link };
  }
  const [, referred, parent] = IS_REFERENCE.exec(name) ?? [];
  if (referred !== undefined && parent !== undefined) {
    const place = IS_HFILE.test(referred) ? { table, region: parent, hfile: referred } : parseLink(referred);
    if (place !== undefined) {
      return { kind: "reference", place };
    }
  }
  throw corrupt(`invalid name of a store file: ${JSON.stringify(name)}`, {
    field: "file name",
    actual: name,
  });
}

function parseLink(name: string): HFilePlace | undefined {
  const [, namespace = DEFAULT_NAMESPACE, table, region, hfile] = IS_LINK.exec(name) ?? [];
  if (table === undefined || region === undefined || hfile === undefined) {
    return undefined;
  }
  return isNamePart(namespace) && isNamePart(table)
    ? { table: { namespace, table }, region, hfile }
    : undefined;
}

/** Whether the text is the name of a MOB file, which is in a separate folder. */
export function isMobFileName(name: string): boolean {
  return IS_MOB_FILE.test(name);
}

/** The sequence ID in the name of a bulk-loaded file. */
export function bulkLoadSequenceId(hfile: string): number | undefined {
  const text = BULK_SEQUENCE.exec(hfile)?.[1];
  return text === undefined ? undefined : Number(text);
}
