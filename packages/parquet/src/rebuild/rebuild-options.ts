import type { SourceInput } from "@cfile/io";
import type { SchemaElement } from "hyparquet";
import type { PageDecompressors } from "../pages/page-codec.js";
import type { ParquetColumn } from "../schema/readable-leaf.js";
import type { WalkOptions } from "../walk/walk-file.js";

/** How a file without a footer is recovered. `onProgress` counts bytes: first bytes read, then bytes copied. */
export interface RebuildOptions extends WalkOptions {
  /** A valid file with the same schema, preferably from the same writer. */
  readonly like?: SourceInput | undefined;
  /** Columns, or the elements of a Parquet schema. */
  readonly schema?: readonly ParquetColumn[] | readonly SchemaElement[] | undefined;
  /** Whether to use the file's own footer, as far as it is valid. Default `true`. */
  readonly useFooter?: boolean | undefined;
  /** Rows per row group, if known; the last one may have fewer. */
  readonly rowGroupRows?: number | undefined;
  /** `"drop"`: rows with lost cells are left out; `"null"`: lost cells become null. Default `"drop"`. */
  readonly lost?: "drop" | "null" | undefined;
  /** Functions that replace the built-in codecs (all except LZO). */
  readonly decompressors?: PageDecompressors | undefined;
}
