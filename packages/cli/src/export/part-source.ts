/** Where the parts of an export are read: the directories of Kudu servers, or a table or snapshot of HBase. */
import type { HBaseTable } from "@cfile/hbase";
import { type SourceValues, withHBaseTable } from "../hbase/hbase-options.js";
import { type WritesValues, withKuduTables } from "../kudu/cluster/cluster-directories.js";
import type { KuduTables, ServerValues } from "../kudu/kudu-directory.js";
import type { CliContext } from "../program/context.js";
import type { ExportForm } from "./export-parts.js";

/** Settings of all parts: plain data that can be sent to workers. */
export interface PartSettings {
  readonly form: ExportForm;
  /** What is done about damage: `compare` reads and compares all replicas of every tablet. */
  readonly onDamage: "fail" | "recover" | "compare";
  readonly origin: KuduOrigin | HBaseOrigin;
}

interface KuduOrigin extends ServerValues, WritesValues {
  readonly kind: "kudu";
}

interface HBaseOrigin extends SourceValues {
  readonly kind: "hbase";
  /** HTTP headers, for a root at a URL. */
  readonly header: readonly string[];
}

/** What is open for all parts. */
export interface PartSource {
  readonly dir?: KuduTables | undefined;
  readonly table?: HBaseTable | undefined;
}

/** Opens the source in a thread for as long as `work` runs. */
export async function withPartSource(
  context: CliContext,
  { origin }: PartSettings,
  work: (source: PartSource) => Promise<void>,
): Promise<void> {
  if (origin.kind === "kudu") {
    return withKuduTables(origin, (dir) => work({ dir }));
  }
  context.sources.configure(origin.header, false);
  return withHBaseTable(context, origin, (table) => work({ table }));
}
