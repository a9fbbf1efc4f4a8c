/** Options of the writer. */
import { CFileError, invalidArgument, invalidOption, type Limits } from "@cfile/bytes";
import type { ChecksumType } from "../blocks/checksum-type.js";
import { isWritten, type WrittenCodec } from "../blocks/hfile-codec.js";
import { HFILE_LIMITS } from "../file/file-structure.js";

/** How a file is written: like HBase or like Hudi, and the sizes and codec of its blocks. */
export interface HFileWriterOptions {
  /**
   * Which writer's files to produce. `"hbase"`: an index of separators in several levels, whole keys, checksums. `"hudi"`:
   * byte-identical to Hudi's own writer. Default `"hbase"`.
   */
  readonly profile?: "hbase" | "hudi" | undefined;
  /** Size of a data block in bytes. Default 65536. */
  readonly blockSize?: number | undefined;
  /** Default `"NONE"`; the profile `"hudi"` also supports `"GZ"`, and no others. */
  readonly compression?: WrittenCodec | undefined;
  /** Default `"CRC32C"`; `"NULL"`, and nothing else, with the profile `"hudi"`. */
  readonly checksums?: ChecksumType | undefined;
  /** Default 16384. */
  readonly bytesPerChecksum?: number | undefined;
  /** Maximum size of an index block in bytes; ignored by `"hudi"`, whose index has one level. Default 131072. */
  readonly indexBlockSize?: number | undefined;
  /** Whether cells have tags; not supported by `"hudi"`. Default `false`. */
  readonly tags?: boolean | undefined;
  /** Class name in the trailer. Default: that of HBase or Hudi. */
  readonly comparator?: string | undefined;
  /** Creation time for the file info, in milliseconds since 1970. Default 0, so that the same input gives the same file. */
  readonly createTime?: number | undefined;
  /** Maximum lengths. Default {@link HFILE_LIMITS}. */
  readonly limits?: Partial<Limits> | undefined;
}

/** `HFileWriterOptions` with their defaults filled in. */
export type ResolvedWriterOptions = Readonly<
  Required<{ [K in Exclude<keyof HFileWriterOptions, "limits">]: Exclude<HFileWriterOptions[K], undefined> }>
> & { readonly limits: Limits };

const COMPARATORS = /* @__PURE__ */ Object.freeze({
  hbase: "org.apache.hadoop.hbase.KeyValue$KVComparator",
  hudi: "org.apache.hudi.io.storage.HoodieHBaseKVComparator",
});

/** @throws {CFileError} `E_INVALID_ARGUMENT` for invalid options, `E_UNSUPPORTED` for codecs that cannot be written */
export function resolveWriterOptions(options: HFileWriterOptions): ResolvedWriterOptions {
  const { profile = "hbase" } = options;
  const isHudi = profile === "hudi";
  const {
    blockSize = 65536,
    compression = "NONE",
    checksums = isHudi ? "NULL" : "CRC32C",
    bytesPerChecksum = 16384,
    indexBlockSize = 131072,
    tags = false,
    comparator = COMPARATORS[isHudi ? "hudi" : "hbase"],
    createTime = 0,
  } = options;
  const limits = { ...HFILE_LIMITS, ...options.limits };
  requireOneOf("profile", profile, ["hbase", "hudi"]);
  requireOneOf("checksums", checksums, isHudi ? ["NULL"] : ["NULL", "CRC32", "CRC32C"]);
  requireNumber("blockSize", blockSize, 1, limits.maxBlockSize);
  requireNumber("bytesPerChecksum", bytesPerChecksum, 1, 2 ** 31 - 1);
  requireNumber("indexBlockSize", indexBlockSize, 1, limits.maxBlockSize);
  requireNumber("createTime", createTime, 0, Number.MAX_SAFE_INTEGER);
  if (!isWritten(compression) || (isHudi && compression !== "NONE" && compression !== "GZ")) {
    const reason = `compression ${String(compression)} cannot be written${isHudi ? " to Hudi files" : ""}`;
    throw new CFileError("E_UNSUPPORTED", reason, { field: "compression" });
  }
  if (isHudi && tags) {
    throw invalidArgument("Hudi files have no tags", { field: "tags" });
  }
  // The trailer has a fixed size.
  if (comparator.length > 1024) {
    throw invalidOption("comparator", comparator, "at most 1024 characters");
  }
  return {
    ...{ profile, blockSize, compression, checksums, bytesPerChecksum },
    ...{ indexBlockSize, tags, comparator, createTime, limits },
  };
}

function requireOneOf(field: string, value: string, allowed: readonly string[]): void {
  if (!allowed.includes(value)) {
    throw invalidOption(field, value, `one of ${allowed.join(", ")}`);
  }
}

function requireNumber(field: string, value: number, minimum: number, maximum: number): void {
  if (!(Number.isSafeInteger(value) && value >= minimum && value <= maximum)) {
    throw invalidOption(field, value, `an integer from ${minimum} to ${maximum}`);
  }
}
