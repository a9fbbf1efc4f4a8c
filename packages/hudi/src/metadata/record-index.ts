/** The record index: the file group of each record key (docs/spec/hudi-table.md#7-layout-of-the-metadata-table). */

import type { AvroValue } from "@cfile/avro";
import { corrupt } from "@cfile/bytes";
import { recordOf, textOf } from "../timeline/content-fields.js";
import { instantOfMillis } from "../timeline/instant.js";
import type { MetadataRecord } from "./merge-records.js";
import type { MetadataTable } from "./metadata-table.js";

/** The location of a record according to the index. */
export interface RecordLocation {
  readonly partition: string;
  readonly fileId: string;
  /** Instant of the write that put the record there, in UTC. */
  readonly instant: string;
}

const RECORD = "recordIndexMetadata";

/** Locations of record keys; keys that are not in the table are absent. @throws {CFileError} for damage */
export async function findLocations(
  metadata: MetadataTable,
  keys: readonly string[],
): Promise<Map<string, RecordLocation>> {
  const records = await metadata.find("record_index", keys);
  return new Map([...records].map(([key, record]) => [key, locationOf(record)]));
}

/** The location in a record of the index. @throws {CFileError} `E_CORRUPT` */
export function locationOf(record: MetadataRecord): RecordLocation {
  const info = recordOf(record[RECORD], RECORD);
  const millis = info["instantTime"];
  if (typeof millis !== "number" || !(Math.abs(millis) < 8.64e15)) {
    throw corrupt("invalid instant time in the record index", { field: "instantTime" });
  }
  const partition = textOf(info["partitionName"], "partitionName") ?? "";
  const fileId =
    info["fileIdEncoding"] === 1
      ? (textOf(info["fileId"], "fileId") ?? "")
      : uuidOf(info["fileIdHighBits"], info["fileIdLowBits"], info["fileIndex"]);
  return { partition, fileId, instant: instantOfMillis(millis) };
}

function uuidOf(
  high: AvroValue | undefined,
  low: AvroValue | undefined,
  index: AvroValue | undefined,
): string {
  const bits = (value: AvroValue | undefined): string => {
    if (typeof value !== "number" && typeof value !== "bigint") {
      throw corrupt("record index has no file id", { field: "fileIdHighBits" });
    }
    return BigInt.asUintN(64, BigInt(value)).toString(16).padStart(16, "0");
  };
  const uuid = (bits(high) + bits(low)).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return typeof index === "number" && index >= 0 ? `${uuid}-${index}` : uuid;
}
