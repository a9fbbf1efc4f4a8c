/**
 * A region: a range of rows of a table (docs/spec/hbase-table.md#31-region-info). Its encoded name is the MD5 of
 * `TABLE,STARTKEY,REGIONID`, in hexadecimal.
 */
import { compareBytes, concatBytes, corrupt, toHex, utf8Bytes } from "@cfile/bytes";
import { md5 } from "@noble/hashes/legacy.js";
import { decodeRegionInfoMessage, type RegionInfoMessage } from "../generated/decode.js";

import { prefixedPbufMessage } from "./pbuf.js";
import { type TableName, tableNameOf, tableNameText } from "./table-name.js";

/** A region of a table. Rows from `startKey`, inclusive, to `endKey`, exclusive; empty keys are unbounded. */
export interface RegionInfo {
  readonly table: TableName;
  /** 32 hexadecimal digits: the name of the region's folder. */
  readonly encodedName: string;
  /** When the region was created, in milliseconds since 1970; regions of a split or merge have a greater one than before. */
  readonly regionId: number;
  readonly startKey: Uint8Array;
  readonly endKey: Uint8Array;
  /** Set in snapshots for regions that were split. */
  readonly offline: boolean;
  readonly split: boolean;
  readonly replicaId: number;
}

const EMPTY = /* @__PURE__ */ new Uint8Array(0);

/** @throws {CFileError} `E_CORRUPT`, `E_TRUNCATED` */
export function parseRegionInfo(bytes: Uint8Array): RegionInfo {
  return regionInfoOf(decodeRegionInfoMessage(prefixedPbufMessage(bytes, "region info")));
}

/** @throws {CFileError} `E_CORRUPT` for an invalid table name, or an end that is not after the start */
export function regionInfoOf(message: RegionInfoMessage = {}): RegionInfo {
  const table = tableNameOf(message.tableName, "table name of the region");
  const { regionId, startKey = EMPTY, endKey = EMPTY, replicaId = 0 } = message;
  if (regionId === undefined) {
    throw corrupt("region has no id", { field: "region id" });
  }
  if (endKey.length > 0 && compareBytes(startKey, endKey) >= 0) {
    throw corrupt("a region ends before its start", { field: "end key" });
  }
  return {
    table,
    encodedName: encodedRegionName(table, startKey, regionId, replicaId),
    regionId,
    startKey,
    endKey,
    offline: message.offline ?? false,
    split: message.split ?? false,
    replicaId,
  };
}

/** The name of a region's folder. */
export function encodedRegionName(
  table: TableName,
  startKey: Uint8Array,
  regionId: number,
  replicaId = 0,
): string {
  if (table.namespace === "hbase" && table.table === "meta") {
    // The first region of the table of regions keeps a number of an older hash.
    return "1588230740";
  }
  const replica = replicaId === 0 ? "" : `_${replicaId.toString(16).toUpperCase().padStart(4, "0")}`;
  const parts = [utf8Bytes(`${tableNameText(table)},`), startKey, utf8Bytes(`,${regionId}${replica}`)];
  return toHex(md5(concatBytes(parts)));
}
