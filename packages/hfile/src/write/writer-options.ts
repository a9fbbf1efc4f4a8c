/** What a file to be written is like. */
import { CFileError, invalidArgument, type Limits } from "@cfile/bytes";
import type { ChecksumType } from "../blocks/checksum-type.js";
import { isWritten, type WrittenCodec } from "../blocks/hfile-codec.js";
import { HFILE_LIMITS } from "../file/file-structure.js";

export interface HFileWriterOptions {
  /**
   * Whose files these are to be. `"hbase"`: separators in the index, several levels, whole keys, checksums. `"hudi"`:
   * what Hudi's own writer gives for the same input. Default `"hbase"`
   */
  readonly profile?: "hbase" | "hudi" | undefined;
  /** Bytes of a data block. Default 65536. */
  readonly blockSize?: number | undefined;
  /** Default `"NONE"`; with the profile `"hudi"` it may be `"GZ"` besides. */
  readonly compression?: WrittenCodec | undefined;
  /** Default `"CRC32C"`; with the profile `"hudi"` it is and must be `"NULL"`. */
  readonly checksums?: ChecksumType | undefined;
  /** Default 16384. */
  readonly bytesPerChecksum?: number | undefined;
  /** Bytes of an index block above which there is one more level; not for `"hudi"`, whose index has one. Default 131072. */
  readonly indexBlockSize?: number | undefined;
  /** Whether cells have tags; not with `"hudi"`. Default `false`. */
  readonly tags?: boolean | undefined;
  /** Class name in the trailer. Default as HBase and Hudi have it. */
  readonly comparator?: string | undefined;
  /** Milliseconds, for the file info. Default 0, so that the same input gives the same file. */
  readonly createTime?: number | undefined;
  /** Lengths that are too much; what is left out is as in {@link HFILE_LIMITS}. */
  readonly limits?: Partial<Limits> | undefined;
}

export interface ResolvedWriterOptions {
  readonly profile: "hbase" | "hudi";
  readonly blockSize: number;
  readonly compression: WrittenCodec;
  readonly checksums: ChecksumType;
  readonly bytesPerChecksum: number;
  readonly indexBlockSize: number;
  readonly tags: boolean;
  readonly comparator: string;
  readonly createTime: number;
  readonly limits: Limits;
}

const COMPARATORS = /* @__PURE__ */ Object.freeze({
  hbase: "org.apache.hadoop.hbase.KeyValue$KVComparator",
  hudi: "org.apache.hudi.io.storage.HoodieHBaseKVComparator",
});

/** @throws CFileError `E_INVALID_ARGUMENT` for options no file can have, `E_UNSUPPORTED` for codecs that are not written */
export function resolveWriterOptions(options: HFileWriterOptions): ResolvedWriterOptions {
  const profile = options.profile ?? "hbase";
  const isHudi = profile === "hudi";
  const resolved: ResolvedWriterOptions = {
    profile,
    blockSize: options.blockSize ?? 65536,
    compression: options.compression ?? "NONE",
    checksums: options.checksums ?? (isHudi ? "NULL" : "CRC32C"),
    bytesPerChecksum: options.bytesPerChecksum ?? 16384,
    indexBlockSize: options.indexBlockSize ?? 131072,
    tags: options.tags ?? false,
    comparator: options.comparator ?? COMPARATORS[isHudi ? "hudi" : "hbase"],
    createTime: options.createTime ?? 0,
    limits: { ...HFILE_LIMITS, ...options.limits },
  };
  requireOneOf("profile", profile, ["hbase", "hudi"]);
  requireOneOf("checksums", resolved.checksums, isHudi ? ["NULL"] : ["NULL", "CRC32", "CRC32C"]);
  requireNumber("blockSize", resolved.blockSize, 1, resolved.limits.maxBlockSize);
  requireNumber("bytesPerChecksum", resolved.bytesPerChecksum, 1, 2 ** 31 - 1);
  requireNumber("indexBlockSize", resolved.indexBlockSize, 1, resolved.limits.maxBlockSize);
  requireNumber("createTime", resolved.createTime, 0, Number.MAX_SAFE_INTEGER);
  const { compression } = resolved;
  if (!isWritten(compression) || (isHudi && compression !== "NONE" && compression !== "GZ")) {
    throw new CFileError(
      "E_UNSUPPORTED",
      `compression ${String(compression)} is not written${isHudi ? " for Hudi" : ""}`,
      {
        field: "compression",
      },
    );
  }
  if (isHudi && resolved.tags) {
    throw invalidArgument("files of Hudi have no tags", { field: "tags" });
  }
  // The trailer has a fixed size.
  if (resolved.comparator.length > 1024) {
    throw invalidArgument("the comparator's name is too long", { field: "comparator", expected: 1024 });
  }
  return resolved;
}

function requireOneOf(field: string, value: string, allowed: readonly string[]): void {
  if (!allowed.includes(value)) {
    throw invalidArgument(`${value} is no ${field}: ${allowed.join(", ")}`, { field, actual: value });
  }
}

function requireNumber(field: string, value: number, least: number, most: number): void {
  if (!(Number.isSafeInteger(value) && value >= least && value <= most)) {
    throw invalidArgument(`${field} has to be a whole number from ${least} to ${most}`, {
      field,
      actual: String(value),
    });
  }
}
