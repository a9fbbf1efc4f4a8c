/** Runs splits one after the other, each to its own file; a failure is reported, and the next split runs. */

import type { HBaseTable } from "@cfile/hbase";
import type { HudiTable } from "@cfile/hudi";
import type { ByteSource } from "@cfile/io";
import type { WriteScope } from "@cfile/kudu-dir";
import type { WrittenCodec } from "@cfile/parquet/write";
import { parseSplit, type RegionSplit, type Split, type SplitDirectories } from "@cfile/splits";
import { isRetryable, type Recovered, runSplit, splitFileName } from "@cfile/splits/run";
import type { CliContext } from "../program/context.js";
import { EXIT, exitCodeOf } from "../program/exit-code.js";
import type { Options } from "../program/option.js";
import { errorJson } from "../program/output/error-text.js";
import { OutputClosed } from "../program/output/text-output.js";
import { accountJson } from "./account-json.js";
import type { RequireAllowed } from "./allowed-roots.js";
import type { InputLine } from "./input-lines.js";
import { ledgerJson } from "./ledger-json.js";
import { removeLeftovers, splitTarget } from "./split-target.js";

export interface WorkerSettings {
  /** Where to write the files. */
  readonly folder: string;
  readonly form: "parquet" | "iceberg";
  readonly codec: WrittenCodec | undefined;
  /** Default: everything may be read. */
  readonly requireAllowed: RequireAllowed | undefined;
  readonly recover: boolean;
  readonly serverKey: string | undefined;
}

/** A line of the output, and its exit code. */
export interface SplitAnswer {
  readonly json: Readonly<Record<string, unknown>>;
  readonly exitCode: number;
}

/** `run` throws only what interrupts the command. */
export function splitWorker({ io, sources, options }: CliContext, settings: WorkerSettings) {
  const { folder, form, codec, requireAllowed, recover, serverKey } = settings;
  /** The source of the last split, kept open because the next split usually has the same one. */
  let opened: ({ readonly key: string; close(): Promise<void> } & SplitSource) | undefined;

  /** The directories of Kudu servers, or the table of HBase or Hudi. */
  async function sourceOf(split: Split): Promise<SplitSource> {
    const places = placesOf(split);
    if (places.length === 0) {
      return {};
    }
    for (const place of places) {
      await requireAllowed?.(place);
    }
    const { table, snapshot, withLog } = split.kind === "hbase" ? split : NO_TABLE;
    const writes = split.kind === "tablet" ? split.writes : undefined;
    const key = JSON.stringify([split.kind, places, writes, table, snapshot, withLog]);
    if (opened?.key !== key) {
      await close();
      if (split.kind === "hbase") {
        const found = await openRegionTable(split);
        opened = { key, table: found, close: () => found.close() };
      } else if (split.kind === "hudi") {
        const { openHudiTable } = await import("@cfile/hudi");
        const hudi = await openHudiTable(split.table);
        opened = { key, hudi, close: () => hudi.close() };
      } else {
        const dir = await openDirectories(places, serverKey, writes);
        opened = { key, dir, close: () => dir.close() };
      }
    }
    return { dir: opened.dir, table: opened.table, hudi: opened.hudi };
  }

  async function openRegionTable({
    root: place,
    table,
    snapshot,
    withLog,
  }: RegionSplit): Promise<HBaseTable> {
    const { openHBaseRoot } = await import("@cfile/hbase");
    const root = await openHBaseRoot(place, await sources.options(place));
    return snapshot === undefined ? root.openTable(table ?? "", { withLog }) : root.openSnapshot(snapshot);
  }

  async function close(): Promise<void> {
    const last = opened;
    opened = undefined;
    await last?.close();
  }

  async function write(split: Split): Promise<SplitAnswer> {
    const begun = performance.now();
    const { id } = split;
    const file = splitFileName(split);
    const open = async (location: string): Promise<ByteSource> => {
      await requireAllowed?.(location);
      return sources.openAnew(location);
    };
    const run = { open, ...(await sourceOf(split)), recover, signal: io.signal };
    const written = await (form === "iceberg"
      ? import("./iceberg-splits.js").then(({ runIcebergSplit }) =>
          runIcebergSplit(split, folder, { ...run, codec }),
        )
      : runSplit(split, () => splitTarget(folder, file), { ...run, parquet: { codec } }));
    await removeLeftovers(folder, file);
    const { rows, bytes, rowsLost, complete } = written;
    const iceberg = "iceberg" in written ? written.iceberg : undefined;
    const recovered = written.recovered.map((part) => recoveredJson(part, split, options));
    const seconds = Math.round(performance.now() - begun) / 1000;
    const json = { id, file, rows, bytes, seconds, recovered, rowsLost, complete, iceberg };
    return { json, exitCode: complete ? EXIT.ok : EXIT.corrupt };
  }

  async function run({ number, text }: InputLine): Promise<SplitAnswer> {
    let split: Split | undefined;
    try {
      if (typeof text !== "string") {
        throw text;
      }
      split = await parseSplit(text, `line ${number}`);
      return await write(split);
    } catch (error) {
      const exitCode = exitCodeOf(error);
      if (exitCode === EXIT.interrupted || error instanceof OutputClosed) {
        throw error;
      }
      const id = split?.id ?? statedId(text);
      const retryable = isRetryable(error);
      return { json: { id, line: number, error: errorJson(error, options), retryable }, exitCode };
    }
  }

  return { run, close };
}

interface SplitSource {
  readonly dir?: SplitDirectories | undefined;
  readonly table?: HBaseTable | undefined;
  readonly hudi?: HudiTable | undefined;
}

/** The directories or the table that a split is read from; none for splits of files. */
function placesOf(split: Split): readonly string[] {
  switch (split.kind) {
    case "hbase":
      return [split.root];
    case "hudi":
      return [split.table];
    default:
      return "dirs" in split ? (split.dirs ?? []) : [];
  }
}

const NO_TABLE: Partial<RegionSplit> = {};

type OpenDirectories = SplitDirectories & { close(): Promise<void> };

/** One server is read by itself, as when the split was planned. */
async function openDirectories(
  dirs: readonly string[],
  serverKey: string | undefined,
  writes: WriteScope | undefined,
): Promise<OpenDirectories> {
  const { openKuduCluster, openKuduDir } = await import("@cfile/kudu-dir");
  const cluster = await openKuduCluster(dirs, { serverKey, writes });
  if (cluster.servers.length > 1) {
    return cluster;
  }
  await cluster.close();
  return openKuduDir(dirs, { serverKey });
}

function recoveredJson(
  recovered: Recovered,
  { schema }: Split,
  options: Options,
): Readonly<Record<string, unknown>> {
  if (recovered.kind === "tablet") {
    return ledgerJson(recovered.ledger, { columns: schema });
  }
  if (recovered.kind === "region") {
    return { region: recovered.region, losses: recovered.losses };
  }
  if (recovered.kind === "row set") {
    return { tablet: recovered.tablet, ...accountJson(recovered.account) };
  }
  const { path, column, ledger, problem } = recovered;
  return {
    path,
    column,
    rows_lost: ledger?.rowsLost,
    ledger,
    problem: problem && errorJson(problem, options),
  };
}

/** The ID in a line that is not a valid split, if it has one. */
function statedId(text: InputLine["text"]): string | null {
  return typeof text === "string"
    ? (/"id"\s*:\s*"([0-9a-f]{32})"/.exec(text.slice(0, 1024))?.[1] ?? null)
    : null;
}
