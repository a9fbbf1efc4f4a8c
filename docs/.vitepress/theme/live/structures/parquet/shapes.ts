/** Structures of Parquet files (docs/spec/parquet.md#2-page-header). */
import type { StructShape } from "../thrift-notes.js";

const STATISTICS: StructShape = {
  1: "max",
  2: "min",
  3: "null_count",
  4: "distinct_count",
  5: "max_value",
  6: "min_value",
};

export const PAGE_HEADER: StructShape = {
  1: "type: 0 data, 2 dictionary, 3 data v2",
  2: "uncompressed_page_size",
  3: "compressed_page_size",
  4: "crc",
  5: [
    "data_page",
    {
      1: "num_values",
      2: "encoding",
      3: "definition_level_encoding",
      4: "repetition_level_encoding",
      5: ["statistics", STATISTICS],
    },
  ],
  7: ["dictionary_page", { 1: "num_values", 2: "encoding", 3: "is_sorted" }],
  8: [
    "data_page_v2",
    {
      1: "num_values",
      2: "num_nulls",
      3: "num_rows",
      4: "encoding",
      5: "definition_levels_byte_length",
      6: "repetition_levels_byte_length",
      7: "is_compressed",
      8: ["statistics", STATISTICS],
    },
  ],
};

export const FILE_METADATA: StructShape = {
  1: "version",
  2: [
    "schema",
    { 1: "type", 2: "type_length", 3: "repetition_type", 4: "name", 5: "num_children", 6: "converted_type" },
  ],
  3: "num_rows",
  4: [
    "row_group",
    {
      1: [
        "column",
        {
          2: "file_offset",
          3: [
            "meta_data",
            {
              1: "type",
              2: "encodings",
              3: "path_in_schema",
              4: "codec",
              5: "num_values",
              6: "total_uncompressed_size",
              7: "total_compressed_size",
              9: "data_page_offset",
              11: "dictionary_page_offset",
              12: ["statistics", STATISTICS],
              13: ["encoding_stats", { 1: "page_type", 2: "encoding", 3: "count" }],
            },
          ],
        },
      ],
      2: "total_byte_size",
      3: "num_rows",
      5: "file_offset",
      6: "total_compressed_size",
    },
  ],
  5: ["key_value", { 1: "key", 2: "value" }],
  6: "created_by",
};
