/** Options of the scan of a damaged file. */
import type { Limits } from "@cfile/bytes";
import type { CodecSet, CompressionType } from "@cfile/compression";
import type { DataType, DecodingTable, EncodingType } from "@cfile/encodings";
import type { KernelChoice } from "@cfile/kernels";

/** Known properties of a column whose footer may be lost. They take precedence over the file. */
export interface DamagedCFileOptions {
  /** Kind of the file: a delta file has entries as rows. Default `"column"`. */
  readonly kind?: "column" | "delta" | undefined;
  /** Required when the footer is lost, because types such as INT32 and DATE have the same bytes. */
  readonly type?: DataType | undefined;
  readonly encoding?: EncodingType | undefined;
  readonly compression?: CompressionType | undefined;
  readonly nullable?: boolean | undefined;
  readonly array?: boolean | undefined;
  readonly checksums?: boolean | undefined;
  readonly codecs?: CodecSet | undefined;
  readonly encodings?: DecodingTable | undefined;
  readonly kernels?: KernelChoice | undefined;
  readonly limits?: Partial<Limits> | undefined;
  readonly signal?: AbortSignal | undefined;
}
