/** `cfile hudi info`, `timeline`, `files` and `slices`: the parts of a table, without its rows. */
import { printable } from "@cfile/cell-text";
import type { FileSlice, HudiTable } from "@cfile/hudi";
import { JSON_OPTION } from "../options/options.js";
import { command } from "../program/command.js";
import { flag } from "../program/option.js";
import { counted, sizeText, sum } from "../records/quantity.js";
import { factLines, left, right, tableLines } from "../records/table.js";
import {
  HUDI_AS_OF,
  HUDI_TABLE,
  instantJson,
  partitionText,
  sliceJson,
  withHudiTable,
} from "./hudi-table.js";

export const info = command({
  args: { table: HUDI_TABLE },
  options: { json: JSON_OPTION },
  examples: [["Describe a table", "cfile hudi info trips"]],
  run: (context, { table: path, json }) =>
    withHudiTable(path, async (table) => {
      const facts = await tableFacts(table);
      await context.stdout.line(json ? JSON.stringify(facts, undefined, 2) : infoLines(facts).join("\n"));
    }),
});

async function tableFacts(table: HudiTable) {
  const { scanColumns, earliestReadable } = await import("@cfile/hudi");
  const { properties, timeline, metadata } = table;
  const columns = await scanColumns(table, { baseOnly: false });
  return {
    name: properties.name,
    version: properties.version,
    type: properties.type,
    record_key: properties.recordKeyFields,
    partition_by: properties.partitionFields,
    ordering: properties.orderingFields,
    merge_mode: properties.mergeMode ?? null,
    partitions: (await table.partitions()).length,
    partitions_from: table.listingSource,
    metadata_partitions: metadata?.partitions ?? [],
    last_write: timeline.lastCompleted?.time ?? null,
    earliest_readable: (await earliestReadable(timeline)) ?? null,
    pending: timeline.instants.filter(({ state }) => state !== "COMPLETED").map(instantJson),
    columns: columns.map(({ name, type }) => [name, type]),
    properties: Object.fromEntries([...properties.all].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function infoLines(facts: Awaited<ReturnType<typeof tableFacts>>): string[] {
  const listed = (names: readonly string[]): string => printable(names.join(", ")) || "none";
  return [
    ...factLines([
      ["table", `${printable(facts.name)}, ${facts.type}, version ${facts.version}`],
      ["record key", listed(facts.record_key)],
      ["partitioned by", listed(facts.partition_by)],
      ["ordered by", `${listed(facts.ordering)}${facts.merge_mode === null ? "" : ` (${facts.merge_mode})`}`],
      [
        "partitions",
        `${facts.partitions}, from ${facts.partitions_from === "metadata" ? "the metadata table" : "a listing"}`,
      ],
      ["metadata table", listed(facts.metadata_partitions)],
      ["last write", facts.last_write ?? "none"],
      ["earliest instant", facts.earliest_readable ?? "any (nothing was cleaned)"],
    ]),
    ...facts.pending.map(
      ([time, action, state]) => `pending: ${action} ${time}, ${String(state).toLowerCase()}`,
    ),
    "columns",
    ...tableLines(
      [left(""), left("")],
      facts.columns.map((column) => column.map((part) => printable(String(part)))),
    ),
  ];
}

export const timeline = command({
  about:
    "Lists each instant in its highest state. In tables of version 6, completion times are the files' modification times.",
  args: { table: HUDI_TABLE },
  options: {
    archived: flag("list archived instants instead of active ones"),
    metadata: flag("list the timeline of the metadata table"),
    json: JSON_OPTION,
  },
  examples: [["List archived instants", "cfile hudi timeline trips --archived"]],
  run: (context, { table: path, archived, metadata, json }) =>
    withHudiTable(path, async (table) => {
      const source = metadata ? await table.metadata?.timeline() : table.timeline;
      const active = source?.instants ?? [];
      const instants = archived ? ((await source?.archived())?.instants ?? []) : active;
      const rows = instants.map(instantJson);
      const titles = [left("requested"), left("action"), left("state"), left("completed"), left("file")];
      const lines = (): string[] =>
        tableLines(
          titles,
          rows.map((row) => row.map((cell) => cell ?? "")),
          "",
        );
      await context.stdout.line(json ? JSON.stringify(rows) : lines().join("\n"));
    }),
});

export const files = command({
  about:
    "Lists all files that the table knows, of all instants, with the sizes that the metadata table states.",
  args: { table: HUDI_TABLE },
  options: { json: JSON_OPTION },
  examples: [["List files", "cfile hudi files trips"]],
  run: (context, { table: path, json }) =>
    withHudiTable(path, async (table) => {
      const listed = new Map<string, [string, number][]>();
      for (const partition of await table.partitions()) {
        listed.set(partition, [...(await table.filesOf(partition))]);
      }
      if (json) {
        return context.stdout.line(JSON.stringify(Object.fromEntries(listed)));
      }
      for (const [partition, names] of listed) {
        const total = sizeText(sum(names.map(([, size]) => size)));
        await context.stdout.line(
          `${printable(partitionText(partition))}: ${counted(names.length, "file")}, ${total}`,
        );
        const rows = names.map(([name, size]) => [printable(name), String(size)]);
        await context.stdout.line(tableLines([left("file"), right("bytes")], rows).join("\n"));
      }
      await reportListing(context.stderr, table);
    }),
});

export const slices = command({
  about:
    "Lists the latest slice of each file group. A slice that a pending compaction began is joined with the one before it.",
  args: { table: HUDI_TABLE },
  options: { asOf: HUDI_AS_OF, json: JSON_OPTION },
  examples: [["List slices at an instant", "cfile hudi slices trips --as-of 20260228120000000"]],
  run: (context, { table: path, asOf, json }) =>
    withHudiTable(path, async (table) => {
      const listed = new Map<string, readonly FileSlice[]>();
      for (const partition of await table.partitions()) {
        listed.set(partition, await table.slices(partition, asOf));
      }
      if (json) {
        const form = [...listed].map(([partition, own]) => [partition, own.map(sliceJson)]);
        return context.stdout.line(JSON.stringify(Object.fromEntries(form)));
      }
      for (const [partition, own] of listed) {
        await context.stdout.line(printable(partitionText(partition)));
        for (const { fileId, baseInstant, baseFile, logFiles } of own) {
          const names = [baseFile ?? "no base file", ...logFiles].map((name) => `    ${printable(name)}`);
          await context.stdout.line([`  ${fileId} at ${baseInstant}`, ...names].join("\n"));
        }
      }
      await reportListing(context.stderr, table);
    }),
});

/** Reports that folders had to be listed. */
async function reportListing(stderr: { line(text: string): Promise<void> }, table: HudiTable): Promise<void> {
  if (table.listingSource === "listing") {
    await stderr.line("cfile: this table has no metadata table; its folders were listed");
  }
}
