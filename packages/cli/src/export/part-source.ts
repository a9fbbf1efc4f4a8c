/** The source of an export's parts: the directories of Kudu servers, a table or snapshot of HBase, or a Hudi table. */
import { MemoryArena } from "@cfile/bytes";
import type { HBaseTable } from "@cfile/hbase";
import type { HudiTable } from "@cfile/hudi";
import type { WrittenCodec } from "@cfile/parquet/write";
import { type SourceValues, withHBaseTable } from "../hbase/hbase-options.js";
import { withHudiTable } from "../hudi/hudi-table.js";
import { type WritesValues, withKuduTables } from "../kudu/cluster/cluster-directories.js";
import type { KuduTables, ServerValues } from "../kudu/kudu-directory.js";
import type { CliContext } from "../program/context.js";
import type { PartForm } from "./export-parts.js";
import type { JoinedFile } from "./joined-file.js";
import { JoinedWriter } from "./joined-writer.js";

/** Settings of all parts: plain data that can be sent to workers. */
export interface PartSettings {
  readonly form: PartForm;
  /** Compression of Parquet. Default: Zstandard. */
  readonly codec: WrittenCodec | undefined;
  /** Whether all parts, in order, are in the order of the key. */
  readonly isSorted: boolean;
  /** How to handle damage; `compare` reads and compares all replicas of every tablet. */
  readonly onDamage: "fail" | "recover" | "compare";
  readonly origin: KuduOrigin | HBaseOrigin | HudiOrigin;
  /** The file to which parts are written. Default: each part is a file. */
  readonly joined?: JoinedFile | undefined;
}

interface KuduOrigin extends ServerValues, WritesValues {
  readonly kind: "kudu";
}

interface HBaseOrigin extends SourceValues {
  readonly kind: "hbase";
  /** HTTP headers, for a root at a URL. */
  readonly header: readonly string[];
}

interface HudiOrigin {
  readonly kind: "hudi";
  /** Path or URL of the table. */
  readonly path: string;
}

/** The source that stays open for all parts. */
export interface OpenSource {
  readonly dir?: KuduTables | undefined;
  readonly table?: HBaseTable | undefined;
  readonly hudi?: HudiTable | undefined;
}

/** The resources of a thread, which writes its parts one after the other. */
export interface PartSource extends OpenSource {
  /** Memory that the parts share: decoded values, and the pages of a row group. */
  readonly arena: MemoryArena;
  readonly joined: JoinedWriter | undefined;
}

/** The resources for all parts of a thread. */
export function partSource(source: OpenSource, { joined }: PartSettings): PartSource {
  const arena = new MemoryArena({ maxBuffers: 64 });
  return { ...source, arena, joined: joined && new JoinedWriter(joined, arena.part("joined")) };
}

/** Opens the source, in a thread that only writes parts, for as long as `work` runs. */
export async function withPartSource(
  context: CliContext,
  settings: PartSettings,
  work: (source: PartSource) => Promise<void>,
): Promise<void> {
  const { origin } = settings;
  if (origin.kind === "kudu") {
    return withKuduTables(origin, (dir) => work(partSource({ dir }, settings)));
  }
  if (origin.kind === "hudi") {
    return withHudiTable(origin.path, (hudi) => work(partSource({ hudi }, settings)));
  }
  context.sources.configure(origin.header, false);
  return withHBaseTable(context, origin, (table) => work(partSource({ table }, settings)));
}
