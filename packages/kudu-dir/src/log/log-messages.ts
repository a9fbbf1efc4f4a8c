/** `LogEntryBatchPB` and what is in it (docs/spec/kudu-wal.md#3-entry). Credentials in requests are never read. */
import { MessageReader, required } from "../catalog/protobuf-message.js";
import { type KuduSchema, parseSchema } from "../catalog/schema-message.js";

export interface OperationId {
  readonly term: bigint;
  readonly index: bigint;
}

/** Names of operations, as Kudu spells them; others are told by their number. */
const OPERATIONS: Readonly<Record<number, string>> = {
  1: "NO_OP",
  3: "WRITE_OP",
  4: "ALTER_SCHEMA_OP",
  5: "CHANGE_CONFIG_OP",
  6: "PARTICIPANT_OP",
};

/** What was asked for: a `ReplicateMsg`. */
export interface Replicate {
  readonly id: OperationId;
  readonly timestamp: bigint;
  /** `WRITE_OP` say. */
  readonly operation: string;
  readonly write: WriteRequest | undefined;
  /** The schema from there on. */
  readonly schema: KuduSchema | undefined;
}

export interface WriteRequest {
  /** The client's; ids are places. */
  readonly schema: KuduSchema;
  readonly rows: Uint8Array;
  readonly indirect: Uint8Array;
  readonly transaction: bigint | undefined;
  /** The last one that was used before the request. */
  readonly autoIncrement: bigint | undefined;
}

/** That it was applied, and to what: a `CommitMsg`. */
export interface Commit {
  readonly id: OperationId;
  readonly operation: string;
  readonly results: readonly OperationResult[];
}

export interface OperationResult {
  /** Whether it changed nothing: failed, or is not to be applied again. */
  readonly skipped: boolean;
  readonly stores: readonly MutatedStore[];
}

/** Where a change went; -1 for what does not apply. */
export interface MutatedStore {
  readonly mrsId: bigint;
  readonly rowSetId: bigint;
  readonly dmsId: bigint;
  readonly transaction: bigint;
}

export interface LogEntry {
  readonly replicate: Replicate | undefined;
  readonly commit: Commit | undefined;
}

/** @throws CFileError `E_CORRUPT`, `E_TRUNCATED` or `E_UNSUPPORTED` naming the field */
export function parseLogEntries(data: Uint8Array): LogEntry[] {
  const message = new MessageReader(data, "LogEntryBatchPB");
  const entries: LogEntry[] = [];
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field !== 1) {
      message.skip();
      continue;
    }
    const entry = message.message("LogEntryPB");
    let replicate: Replicate | undefined;
    let commit: Commit | undefined;
    for (let part = entry.next(); part !== 0; part = entry.next()) {
      if (part === 2) {
        replicate = parseReplicate(entry.message("ReplicateMsg"));
      } else if (part === 3) {
        commit = parseCommit(entry.message("CommitMsg"));
      } else {
        entry.skip();
      }
    }
    entries.push({ replicate, commit });
  }
  return entries;
}

function parseReplicate(message: MessageReader): Replicate {
  let id: OperationId | undefined;
  let timestamp: bigint | undefined;
  let operation = 0;
  let write: WriteRequest | undefined;
  let schema: KuduSchema | undefined;
  for (let field = message.next(); field !== 0; field = message.next()) {
    switch (field) {
      case 1:
        id = parseOperationId(message.message("OpId"));
        break;
      case 2:
        timestamp = message.fixed64("timestamp");
        break;
      case 4:
        operation = message.int32("op_type");
        break;
      case 5:
        write = parseWrite(message.message("WriteRequestPB"));
        break;
      case 6:
        schema = parseAlter(message.message("AlterSchemaRequestPB"));
        break;
      default:
        message.skip();
    }
  }
  return {
    id: required(id, message.name, "id"),
    timestamp: required(timestamp, message.name, "timestamp"),
    operation: operationName(operation),
    write,
    schema,
  };
}

function operationName(number: number): string {
  return OPERATIONS[number] ?? String(number);
}

function parseOperationId(message: MessageReader): OperationId {
  let term: bigint | undefined;
  let index: bigint | undefined;
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === 1) {
      term = message.int64("term");
    } else if (field === 2) {
      index = message.int64("index");
    } else {
      message.skip();
    }
  }
  return { term: required(term, message.name, "term"), index: required(index, message.name, "index") };
}

function parseWrite(message: MessageReader): WriteRequest {
  const nothing = new Uint8Array(0);
  let schema: KuduSchema = { columns: [] };
  let rows: Uint8Array = nothing;
  let indirect: Uint8Array = nothing;
  let transaction: bigint | undefined;
  let autoIncrement: bigint | undefined;
  for (let field = message.next(); field !== 0; field = message.next()) {
    switch (field) {
      case 2:
        schema = parseSchema(message.message("SchemaPB"));
        break;
      case 3: {
        const operations = message.message("RowOperationsPB");
        for (let part = operations.next(); part !== 0; part = operations.next()) {
          if (part === 2) {
            rows = operations.bytes("rows");
          } else if (part === 3) {
            indirect = operations.bytes("indirect_data");
          } else {
            operations.skip();
          }
        }
        break;
      }
      case 7:
        transaction = message.int64("txn_id");
        break;
      case 8:
        autoIncrement = parseCounter(message.message("auto_incrementing_column"));
        break;
      default:
        message.skip();
    }
  }
  return { schema, rows, indirect, transaction, autoIncrement };
}

function parseCounter(message: MessageReader): bigint {
  let counter = 0n;
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === 1) {
      counter = message.int64("auto_incrementing_counter");
    } else {
      message.skip();
    }
  }
  return counter;
}

function parseAlter(message: MessageReader): KuduSchema | undefined {
  let schema: KuduSchema | undefined;
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === 2) {
      schema = parseSchema(message.message("SchemaPB"));
    } else {
      message.skip();
    }
  }
  return schema;
}

function parseCommit(message: MessageReader): Commit {
  let id: OperationId | undefined;
  const results: OperationResult[] = [];
  let operation = 0;
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === 1) {
      operation = message.int32("op_type");
    } else if (field === 2) {
      id = parseOperationId(message.message("OpId"));
    } else if (field === 3) {
      const result = message.message("TxResultPB");
      for (let part = result.next(); part !== 0; part = result.next()) {
        if (part === 1) {
          results.push(parseResult(result.message("OperationResultPB")));
        } else {
          result.skip();
        }
      }
    } else {
      message.skip();
    }
  }
  return {
    id: required(id, message.name, "commited_op_id"),
    operation: operationName(operation),
    results,
  };
}

function parseResult(message: MessageReader): OperationResult {
  let skipped = false;
  const stores: MutatedStore[] = [];
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === 1) {
      skipped ||= message.bool("skip_on_replay");
    } else if (field === 2) {
      skipped = true;
      message.skip();
    } else if (field === 3) {
      stores.push(parseStore(message.message("MemStoreTargetPB")));
    } else {
      message.skip();
    }
  }
  return { skipped, stores };
}

function parseStore(message: MessageReader): MutatedStore {
  const values = [-1n, -1n, -1n, -1n, -1n];
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field <= 4) {
      values[field] = message.int64("mutated_stores");
    } else {
      message.skip();
    }
  }
  const [, mrsId = -1n, rowSetId = -1n, dmsId = -1n, transaction = -1n] = values;
  return { mrsId, rowSetId, dmsId, transaction };
}
