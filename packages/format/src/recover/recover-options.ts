import type { Limits } from "@cfile/bytes";
import type { CodecSet, CompressionType } from "@cfile/compression";
import type { DataType, DecodingTable, EncodingType } from "@cfile/encodings";
import type { KernelChoice } from "@cfile/kernels";

/** What is known of a column whose footer may be lost; what is given is believed more than the file. */
export interface DamagedCFileOptions {
  /** Needed when the footer is lost: the bytes of an INT32 and of a DATE look the same. */
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
