/**
 * Random commits to an Iceberg table, compared with a map of its rows. Any operation on the folders may fail once (a failing disk) or
 * together with all later ones (a crash); a power cut after any operation keeps some unsynced data; and another writer may commit first.
 * The table must then have the rows from before or after the commit; after a successful commit, those from after it.
 */
import { isCFileError } from "@cfile/bytes";
import type { CellValue } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import {
  commitSnapshot,
  createIcebergTable,
  type IcebergFile,
  type IcebergTable,
  icebergSchema,
  openIcebergTable,
  readSnapshot,
  type SourceColumn,
  writeIcebergFile,
} from "@cfile/iceberg";
import { type DirectoryOperation, MemoryDirectory } from "@cfile/io";
import { afterCut } from "../disk/cut-directory.js";
import type { Files } from "../disk/simulated-disk.js";
import { caseSeed, Random } from "../random.js";

const COLUMNS: readonly SourceColumn[] = [
  { id: 1, name: "id", type: "INT64", nullable: false, array: false, isKey: true },
  { id: 2, name: "word", type: "STRING", nullable: true, array: false, isKey: false },
];
const SCHEMA = icebergSchema(COLUMNS);
const LOCATION = "/warehouse/t";
const KEYS = 12;
const MAX_OPERATIONS = 40;
const LAST_OPERATIONS = 8;

type Rows = ReadonlyMap<bigint, string | null>;
type Fault = "none" | "failing disk" | "crash" | "power cut" | "another writer";
const FAULTS: readonly Fault[] = ["none", "failing disk", "crash", "power cut", "another writer"];

/** Counts of a run. */
export interface CommitModel {
  readonly commits: number;
  readonly outcomes: Readonly<Record<"committed" | "not committed", number>>;
  readonly faults: readonly string[];
}

interface Store {
  readonly data: MemoryDirectory;
  readonly metadata: MemoryDirectory;
  /** Operations on both folders, in order. */
  readonly operations: readonly FolderOperation[];
  /** Fails operations from now on. */
  readonly fail: (after: number, isForever: boolean) => void;
}

interface FolderOperation {
  readonly folder: "data" | "metadata";
  readonly operation: DirectoryOperation;
}

/** Runs the histories `from` to `to` (exclusive) of a seed, each of some commits. */
export async function modelIcebergCommits(
  seed: number,
  from: number,
  to: number,
  commits = 6,
): Promise<CommitModel> {
  const outcomes = { committed: 0, "not committed": 0 };
  const faults: string[] = [];
  for (let i = from; i < to; i++) {
    const random = new Random(caseSeed(seed, "iceberg commits", i));
    let store = storeOf(new Map(), new Map());
    let rows: Rows = new Map();
    for (let step = 0; step < commits; step++) {
      const fault = random.pick(FAULTS);
      const after = await attempt(store, rows, fault, random);
      const place = `seed ${seed}, history ${i}, commit ${step} (${fault})`;
      if (after.untyped !== undefined) {
        faults.push(`${place}: ${String(after.untyped)}`);
      }
      // A new process, which has only the files.
      store = after.left ?? storeOf(store.data.snapshot(), store.metadata.snapshot());
      const found = await opened(store)
        .then(rowsOf)
        .then(textOf, (error: unknown) => String(error));
      const isNew = found === textOf(after.rows);
      if (!isNew && (!after.failed || found !== textOf(after.before))) {
        faults.push(`${place}: ${found} instead of ${textOf(after.rows)}`);
        break;
      }
      outcomes[isNew ? "committed" : "not committed"]++;
      rows = isNew ? after.rows : after.before;
    }
  }
  return { commits: (to - from) * commits, outcomes, faults };
}

function storeOf(data: Files, metadata: Files): Store {
  let left = Number.POSITIVE_INFINITY;
  let forever = false;
  const operations: FolderOperation[] = [];
  const directory = (folder: FolderOperation["folder"], files: Files): MemoryDirectory =>
    new MemoryDirectory(folder, {
      files,
      onOperation: (operation) => {
        if (left-- === 0 || (forever && left < 0)) {
          throw Object.assign(new Error("EIO: failed"), { code: "EIO" });
        }
        operations.push({ folder, operation });
      },
    });
  return {
    data: directory("data", data),
    metadata: directory("metadata", metadata),
    operations,
    fail: (after, isForever) => {
      left = after;
      forever = isForever;
    },
  };
}

interface Attempt {
  readonly failed: boolean;
  /** An error other than those of the library and of the failing disk. */
  readonly untyped: unknown;
  /** The rows without this commit, and with it. */
  readonly before: Rows;
  readonly rows: Rows;
  /** The remains of a power cut; default: everything. */
  readonly left?: Store;
}

async function attempt(store: Store, known: Rows, fault: Fault, random: Random): Promise<Attempt> {
  const table = await opened(store);
  let before = known;
  if (fault === "another writer" && table !== undefined) {
    const changes = changesOf(random);
    await commit(store, table, changes);
    before = changed(known, changes);
  }
  const changes = changesOf(random);
  const rows = changed(before, changes);
  if (fault === "power cut") {
    const files = { data: store.data.snapshot(), metadata: store.metadata.snapshot() };
    await commit(store, table, changes);
    const { length } = store.operations;
    // The last operations make the commit visible.
    const at = length - random.below(random.below(2) === 0 ? LAST_OPERATIONS : length + 1);
    const left = (["data", "metadata"] as const).map((name) => {
      const done = store.operations.slice(0, at).filter(({ folder }) => folder === name);
      const operations = done.map(({ operation }) => operation);
      return afterCut(files[name], operations, random.below);
    });
    const [data = files.data, metadata = files.metadata] = left;
    const failed = at < length;
    return { failed, untyped: undefined, before, rows, left: storeOf(data, metadata) };
  }
  if (fault === "failing disk" || fault === "crash") {
    store.fail(random.below(MAX_OPERATIONS), fault === "crash");
  }
  try {
    await commit(store, table, changes);
    // A commit to a table that has changed in the meantime must not succeed.
    const isLate = fault === "another writer" && table !== undefined;
    return { failed: false, untyped: undefined, before, rows: isLate ? before : rows };
  } catch (error) {
    const isExpected = isCFileError(error) || Object(error).code === "EIO";
    return { failed: true, untyped: isExpected ? undefined : error, before, rows };
  }
}

/** New values by key; `undefined` for deleted ones. */
type Changes = ReadonlyMap<bigint, string | null | undefined>;

function changesOf(random: Random): Changes {
  return new Map(
    Array.from({ length: 1 + random.below(4) }, () => [
      BigInt(random.below(KEYS)),
      random.pick([undefined, null, `word ${random.below(1000)}`]),
    ]),
  );
}

function changed(rows: Rows, changes: Changes): Rows {
  const result = new Map(rows);
  for (const [id, word] of changes) {
    if (word === undefined) {
      result.delete(id);
    } else {
      result.set(id, word);
    }
  }
  return result;
}

async function commit(store: Store, table: IcebergTable | undefined, changes: Changes): Promise<void> {
  const name = `${(await store.data.list()).length}`;
  const kept = [...changes].flatMap(([id, word]) => (word === undefined ? [] : [[id, word] as const]));
  const dataFiles = kept.length > 0 ? [await fileOf(store, `${name}-rows.parquet`, kept, false)] : [];
  const keys = [...changes.keys()].map((id) => [id] as const);
  const { data, metadata } = store;
  if (table === undefined) {
    const created = { schema: SCHEMA, sortedBy: [1], properties: {} };
    await createIcebergTable({ data, metadata, location: LOCATION }, created, { dataFiles });
  } else {
    await commitSnapshot(table, {
      dataFiles,
      deleteFiles: [await fileOf(store, `${name}-keys.parquet`, keys, true)],
    });
  }
}

async function fileOf(
  { data }: Store,
  name: string,
  unsorted: readonly (readonly [bigint, ...CellValue[]])[],
  isDelete: boolean,
): Promise<IcebergFile> {
  const rows = unsorted.toSorted(([a], [b]) => Number(a - b));
  const columns = isDelete ? COLUMNS.slice(0, 1) : COLUMNS;
  async function* batches() {
    yield {
      length: rows.length,
      firstRow: 0,
      names: columns.map((column) => column.name),
      columns: columns.map((column, i) =>
        batchFromValues(
          column,
          rows.map((row) => row[i] ?? null),
        ),
      ),
    };
  }
  const options = { schema: SCHEMA, sortedBy: ["id"], isDelete };
  return writeIcebergFile(await data.createSink(name), name, { columns, rows: batches() }, options);
}

async function opened({ data, metadata }: Store): Promise<IcebergTable | undefined> {
  return openIcebergTable({ data, metadata, location: LOCATION });
}

async function rowsOf(table: IcebergTable | undefined): Promise<Rows> {
  const rows = new Map<bigint, string | null>();
  for (const file of table === undefined ? [] : (await readSnapshot(table)).files) {
    for await (const { columns, length } of file.rows()) {
      const [ids = [], words = []] = columns.map((column) => column.toArray());
      for (let row = 0; row < length; row++) {
        const word = words[row];
        rows.set(BigInt(Number(ids[row])), word === null ? null : String(word));
      }
    }
  }
  return rows;
}

function textOf(rows: Rows): string {
  return JSON.stringify(
    [...rows].map(([id, word]) => [Number(id), word]).sort(([a], [b]) => Number(a) - Number(b)),
  );
}
