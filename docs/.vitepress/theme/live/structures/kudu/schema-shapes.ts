/** Fields of the messages in superblocks, logs and the catalog (docs/spec/kudu-data-dir.md#7-superblock). */
import type { MessageShape } from "../protobuf-notes.js";

const COLUMN: MessageShape = {
  1: "id",
  2: "name",
  3: "type",
  4: "is_key",
  5: "is_nullable",
  6: "read_default_value",
  7: "write_default_value",
  8: "encoding",
  9: "compression",
  10: "cfile_block_size",
  11: ["type_attributes", { 1: "precision", 2: "scale", 3: "length" }],
  13: "immutable",
};
const BLOCK_ID: MessageShape = { 1: "id" };
const FILE: MessageShape = { 2: ["block", BLOCK_ID], 4: "column_id" };
const COLUMN_ID: MessageShape = { 1: "id", 2: "name" };

const SCHEMA: MessageShape = { 1: ["column", COLUMN] };

const PARTITION: MessageShape = {
  1: "hash_buckets",
  2: "partition_key_start",
  3: "partition_key_end",
};

const PARTITION_SCHEMA: MessageShape = {
  1: ["hash_schema", { 1: ["column", COLUMN_ID], 2: "num_buckets", 3: "seed", 4: "hash_algorithm" }],
  2: ["range_schema", { 1: ["column", COLUMN_ID] }],
};

export const SUPERBLOCK: MessageShape = {
  1: "table_id",
  2: "tablet_id",
  3: "last_durable_mrs_id",
  6: [
    "rowset",
    {
      1: "id",
      2: "last_durable_dms_id",
      3: ["column", FILE],
      4: ["redo", FILE],
      5: ["undo", FILE],
      6: ["bloom", BLOCK_ID],
      7: ["adhoc_index", BLOCK_ID],
      8: "min_encoded_key",
      9: "max_encoded_key",
      10: "live_row_count",
    },
  ],
  7: "table_name",
  8: ["schema", SCHEMA],
  9: "schema_version",
  10: "tablet_data_state",
  11: ["orphaned_block", BLOCK_ID],
  13: ["partition", PARTITION],
  14: ["partition_schema", PARTITION_SCHEMA],
  15: ["data_dir_group", { 1: "uuid" }],
  16: "supports_live_row_count",
  17: ["extra_config", { 1: "history_max_age_sec" }],
  19: "table_type",
};

const PEER: MessageShape = {
  1: "permanent_uuid",
  2: "member_type",
  3: ["last_known_addr", { 1: "host", 2: "port" }],
  4: ["attrs", { 1: "promote", 2: "replace" }],
};

export const TABLES_ENTRY: MessageShape = {
  1: "name",
  2: "version",
  3: ["schema", SCHEMA],
  4: ["fully_applied_schema", SCHEMA],
  5: "num_replicas",
  6: "state: 2 RUNNING",
  7: "state_msg",
  8: "next_column_id",
  9: ["partition_schema", PARTITION_SCHEMA],
  10: "create_timestamp",
  11: "alter_timestamp",
  12: ["extra_config", { 1: "history_max_age_sec" }],
  13: "owner",
  14: "table_type",
  17: "comment",
};

export const TABLETS_ENTRY: MessageShape = {
  1: "start_key",
  2: "end_key",
  3: [
    "consensus_state",
    { 1: "current_term", 2: "leader_uuid", 3: ["committed_config", { 1: "opid_index", 3: ["peer", PEER] }] },
  ],
  4: "state: 2 RUNNING",
  5: "state_msg",
  6: "table_id",
  7: ["partition", PARTITION],
};

const STORE: MessageShape = { 1: "mrs_id", 2: "rs_id", 3: "dms_id", 4: "rs_txn_id" };
const OP_ID: MessageShape = { 1: "term", 2: "index" };

export const LOG_ENTRIES: MessageShape = {
  1: [
    "entry",
    {
      1: "type: 1 REPLICATE, 2 COMMIT",
      2: [
        "replicate",
        {
          1: ["id", OP_ID],
          2: "timestamp",
          4: "op_type",
          5: [
            "write_request",
            {
              1: "tablet_id",
              2: ["schema", SCHEMA],
              3: ["row_operations", { 2: "rows", 3: "indirect_data" }],
              4: "external_consistency_mode",
              5: "propagated_timestamp",
            },
          ],
          8: "request_id",
          999: "noop_request",
        },
      ],
      3: [
        "commit",
        {
          1: "op_type",
          2: ["commited_op_id", OP_ID],
          3: [
            "result",
            { 1: ["op", { 1: "skip_on_replay", 2: "failed_status", 3: ["mutated_store", STORE] }] },
          ],
        },
      ],
    },
  ],
};
