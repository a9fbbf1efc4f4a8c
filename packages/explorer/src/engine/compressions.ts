import type { CompressionType } from "@cfile/compression";

/** Codecs of CFiles, the one that does nothing first. */
export const COMPRESSIONS_TRIED: readonly CompressionType[] = ["NO_COMPRESSION", "LZ4", "SNAPPY", "ZLIB"];
