/** The options of a writer, checked, with their defaults. */
import { CFileError, DEFAULT_LIMITS, invalidOption, type Limits } from "@cfile/bytes";
import type { CodecSet, CompressionType } from "@cfile/compression";
import { codecsWith } from "@cfile/compression/codecs";
import {
  DATA_TYPES,
  type DataType,
  type EncodingTable,
  type EncodingType,
  encodingsOf,
  resolveEncoding,
} from "@cfile/encodings";
import { ENCODINGS } from "@cfile/encodings/write";
import type { KernelChoice, Kernels } from "@cfile/kernels";
import { chooseKernels } from "@cfile/kernels/encode";
import type { MetadataPair } from "../file/metadata.js";
import type { IndexKeys } from "../index/index-keys.js";

/** The column of a new file, and how to write it. Defaults are Kudu's. */
export interface WriterOptions {
  readonly type: DataType;
  /** Default `AUTO_ENCODING`: bitshuffle for numbers, dictionary for strings, RLE for BOOL. */
  readonly encoding?: EncodingType | undefined;
  /** Default `NO_COMPRESSION`. */
  readonly compression?: CompressionType | undefined;
  /** Whether rows may be null. Default `false`. */
  readonly nullable?: boolean | undefined;
  /** Whether a row is an array of `type`. Default `false`. */
  readonly array?: boolean | undefined;
  /** Bytes of encoded values after which a data block is cut; at least 512. Default 262144. */
  readonly blockSize?: number | undefined;
  /** Bytes after which an index block is cut. Default 32768. */
  readonly indexBlockSize?: number | undefined;
  /** Entries between restarts of prefix blocks. Default 16. */
  readonly restartInterval?: number | undefined;
  /** Write a positional index, for lookups by row. Default `true`. */
  readonly posidx?: boolean | undefined;
  /** Write a value index, for lookups by value; the column must be sorted and without nulls. Default `false`. */
  readonly validx?: boolean | undefined;
  /** Shorten value index keys to the bytes that separate blocks. Default `true`. */
  readonly optimizeIndexKeys?: boolean | undefined;
  /** Keys of the value index. Default: the values themselves. */
  readonly indexKeys?: IndexKeys | undefined;
  /** Checksums on header, blocks and footer. Default `true`. */
  readonly checksums?: boolean | undefined;
  /** Metadata pairs of the header. */
  readonly headerMetadata?: readonly MetadataPair[] | undefined;
  /** Metadata pairs of the footer; more can be added before `finish`. */
  readonly footerMetadata?: readonly MetadataPair[] | undefined;
  /**
   * Rows passed to the encoder at a time, regardless of the number of rows per `append`. Plain, RLE and bitmap blocks end only
   * at the end of such a unit (docs/spec/cfile.md#42-when-a-block-is-cut). `Infinity`: each `append` call is one unit. Default
   * 100, the unit of Kudu's flushes and compactions.
   */
  readonly batchRows?: number | undefined;
  readonly codecs?: CodecSet | undefined;
  /** Supported encodings. Default: `ENCODINGS`, Kudu's. */
  readonly encodings?: EncodingTable | undefined;
  /** Implementation of the hot loops, as in `OpenOptions`; the written bytes are the same. Default `"auto"`. */
  readonly kernels?: KernelChoice | undefined;
  readonly limits?: Partial<Limits> | undefined;
}

/** `WriterOptions` with their defaults filled in. */
export type ResolvedWriterOptions = {
  readonly [K in keyof Omit<WriterOptions, "kernels" | "indexKeys">]-?: Exclude<WriterOptions[K], undefined>;
} & {
  readonly limits: Limits;
  readonly kernels: Kernels;
  readonly indexKeys: IndexKeys | undefined;
};

const DEFAULT_BLOCK_SIZE = 262144;
const MIN_BLOCK_SIZE = 512;
const DEFAULT_INDEX_BLOCK_SIZE = 32768;
const DEFAULT_RESTART_INTERVAL = 16;
const DEFAULT_UNIT_ROWS = 100;

/** @throws {CFileError} `E_INVALID_ARGUMENT` for an invalid option, `E_UNSUPPORTED` for an unsupported combination */
export function resolveWriterOptions(options: WriterOptions): ResolvedWriterOptions {
  const { encodings = ENCODINGS, type } = options;
  if (!Object.hasOwn(DATA_TYPES, type)) {
    throw invalidOption("type", type, "a data type");
  }
  const { physical, isKey } = DATA_TYPES[type];
  const requested = options.encoding ?? "AUTO_ENCODING";
  const encoding = resolveEncoding(type, requested, encodings);
  if (encoding === undefined) {
    const supported = encodingsOf(physical, encodings).join(", ");
    const reason = `${type} columns do not support ${requested} (supported: ${supported})`;
    throw new CFileError("E_UNSUPPORTED", reason, { field: "encoding", actual: requested });
  }
  const nullable = options.nullable ?? false;
  const array = options.array ?? false;
  const validx = options.validx ?? false;
  if (validx && (!isKey || array || nullable)) {
    const what = nullable ? "a nullable column" : array ? "an array column" : `a ${type} column`;
    throw new CFileError("E_UNSUPPORTED", `${what} cannot have a value index`, { field: "validx" });
  }
  if (array && (physical === "INT128" || type === "IS_DELETED")) {
    throw new CFileError("E_UNSUPPORTED", `arrays of ${type} are not supported`, { field: "array" });
  }
  const compression = options.compression ?? "NO_COMPRESSION";
  const kernels = chooseKernels(options.kernels);
  const codecs = options.codecs ?? codecsWith(kernels);
  if (compression !== "NO_COMPRESSION" && codecs[compression] === undefined) {
    throw new CFileError("E_UNSUPPORTED", `no codec for ${String(compression)}`, { field: "compression" });
  }
  return {
    type,
    encoding,
    compression,
    nullable,
    array,
    blockSize: Math.max(MIN_BLOCK_SIZE, positive(options.blockSize ?? DEFAULT_BLOCK_SIZE, "blockSize")),
    indexBlockSize: positive(options.indexBlockSize ?? DEFAULT_INDEX_BLOCK_SIZE, "indexBlockSize"),
    restartInterval: positive(options.restartInterval ?? DEFAULT_RESTART_INTERVAL, "restartInterval"),
    posidx: options.posidx ?? true,
    validx,
    optimizeIndexKeys: options.optimizeIndexKeys ?? true,
    indexKeys: options.indexKeys,
    checksums: options.checksums ?? true,
    headerMetadata: options.headerMetadata ?? [],
    footerMetadata: options.footerMetadata ?? [],
    batchRows:
      options.batchRows === Number.POSITIVE_INFINITY
        ? Number.POSITIVE_INFINITY
        : positive(options.batchRows ?? DEFAULT_UNIT_ROWS, "batchRows"),
    codecs,
    encodings,
    kernels,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
  };
}

function positive(value: number, field: string): number {
  if (!(Number.isSafeInteger(value) && value >= 1 && value <= 0x7fffffff)) {
    throw invalidOption(field, value, "an integer from 1 to 2^31 - 1");
  }
  return value;
}
