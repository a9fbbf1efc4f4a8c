/** What HBase records in the file info of a store file (docs/spec/hbase-table.md#44-sequence-ids-and-file-order). */
import { CFileError, corrupt } from "@cfile/bytes";
import type { FileInfo } from "@cfile/hfile";
import { decodeCompactionEvent, decodeTimeRangeMessage } from "../generated/decode.js";
import { isPbuf, pbufMessage } from "../root/pbuf.js";

/** Kind of the keys of a Bloom filter. */
export type BloomType = "NONE" | "ROW" | "ROWCOL" | "ROWPREFIX_FIXED_LENGTH";

/** Timestamps of the cells of a file, both inclusive. */
interface TimestampRange {
  readonly min: bigint;
  readonly max: bigint;
}

/** File info of a store file. */
export interface FileFacts {
  readonly maxSequenceId: number | undefined;
  /** Whether the cells of a bulk-loaded file keep their stored sequence IDs. */
  readonly keepsSequenceIds: boolean;
  readonly bulkLoadTime: bigint;
  readonly timeRange: TimestampRange | undefined;
  /** Names of the files that this one replaces, which may still exist. */
  readonly replaces: readonly string[];
  readonly bloomType: BloomType;
  /** Length of the prefixes in the filter; 0 for other kinds. */
  readonly bloomPrefixLength: number;
  /** The last key in the filter. */
  readonly lastBloomKey: Uint8Array | undefined;
  /** Number of markers that delete families or their versions; `undefined` if unknown. */
  readonly deleteFamilyCount: number | undefined;
}

const BLOOM_TYPES: readonly string[] = ["NONE", "ROW", "ROWCOL", "ROWPREFIX_FIXED_LENGTH"];

/** @throws {CFileError} `E_CORRUPT` for malformed values, `E_UNSUPPORTED` for an unknown kind of Bloom filter */
export function fileFacts(info: FileInfo): FileFacts {
  const bloomType = info.text("BLOOM_FILTER_TYPE") ?? "NONE";
  if (!isBloomType(bloomType)) {
    const details = { field: "BLOOM_FILTER_TYPE", actual: bloomType };
    throw new CFileError(
      "E_UNSUPPORTED",
      `unsupported Bloom filter type ${JSON.stringify(bloomType)}`,
      details,
    );
  }
  const hasPrefix = bloomType === "ROWPREFIX_FIXED_LENGTH";
  const prefixLength = hasPrefix ? prefixLengthOf(info.get("BLOOM_FILTER_PARAM")) : 0;
  return {
    maxSequenceId: safeInteger(info, "MAX_SEQ_ID_KEY"),
    keepsSequenceIds: info.get("SKIP_RESET_SEQ_ID")?.[0] === 1,
    bulkLoadTime: info.integer("BULKLOAD_TIMESTAMP", 8) ?? 0n,
    timeRange: timeRangeOf(info.get("TIMERANGE")),
    replaces: replacedFiles(info.get("COMPACTION_EVENT_KEY")),
    bloomType,
    bloomPrefixLength: prefixLength,
    lastBloomKey: info.get("LAST_BLOOM_KEY"),
    deleteFamilyCount: safeInteger(info, "DELETE_FAMILY_COUNT"),
  };
}

function isBloomType(text: string): text is BloomType {
  return BLOOM_TYPES.includes(text);
}

function safeInteger(info: FileInfo, key: string): number | undefined {
  const value = info.integer(key, 8);
  if (value !== undefined && !Number.isSafeInteger(Number(value))) {
    throw corrupt(`invalid ${key}: ${value}`, { field: key, actual: String(value) });
  }
  return value === undefined ? undefined : Number(value);
}

/** The prefix length as a 32-bit integer, or as text in files of older versions. */
function prefixLengthOf(value: Uint8Array | undefined): number {
  const length =
    value?.length === 4
      ? new DataView(value.buffer, value.byteOffset, 4).getInt32(0)
      : Number(new TextDecoder().decode(value));
  if (!(Number.isSafeInteger(length) && length > 0)) {
    throw corrupt("invalid prefix length of the Bloom filter", { field: "BLOOM_FILTER_PARAM" });
  }
  return length;
}

function timeRangeOf(value: Uint8Array | undefined): TimestampRange | undefined {
  if (value === undefined) {
    return undefined;
  }
  if (isPbuf(value)) {
    const { from = 0n, to } = decodeTimeRangeMessage(pbufMessage(value, "time range"));
    return { min: BigInt.asIntN(64, from), max: to === undefined ? 2n ** 63n - 1n : BigInt.asIntN(64, to) };
  }
  if (value.length !== 16) {
    throw corrupt("invalid TIMERANGE", { field: "TIMERANGE", expected: 16, actual: value.length });
  }
  const view = new DataView(value.buffer, value.byteOffset, 16);
  return { min: view.getBigInt64(0), max: view.getBigInt64(8) };
}

function replacedFiles(value: Uint8Array | undefined): readonly string[] {
  return value === undefined ? [] : decodeCompactionEvent(pbufMessage(value, "compaction event")).replaced;
}
