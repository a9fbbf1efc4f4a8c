/** `cfile hbase ls` and `cfile hbase describe`: the contents of a root directory. */
import { isCFileError, toHex } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import { type HBaseRoot, type HBaseTable, type SnapshotInfo, tableNameText } from "@cfile/hbase";
import { JSON_OPTION } from "../options/options.js";
import { command } from "../program/command.js";
import { combineExitCodes, EXIT, exitCodeOf } from "../program/exit-code.js";
import { counted, countText, sizeText, sum } from "../records/quantity.js";
import { left, right, tableLines } from "../records/table.js";
import { openRoot, ROOT, SOURCE, withHBaseTable } from "./hbase-options.js";

export const ls = command({
  args: { root: ROOT },
  options: { json: JSON_OPTION },
  examples: [["List tables and snapshots", "cfile hbase ls /hbase"]],
  run: async (context, { root: path, json }) => {
    const root = await openRoot(context, path);
    const codes: number[] = [];
    /** Reports what cannot be read and continues. */
    const orReport = async <T>(work: Promise<T>): Promise<T | undefined> => {
      try {
        return await work;
      } catch (error) {
        if (!isCFileError(error)) {
          throw error;
        }
        codes.push(exitCodeOf(error));
        await context.reportError(error);
        return undefined;
      }
    };
    const tables: TableLine[] = [];
    for (const name of await root.tables()) {
      const isMeta = name === "hbase:meta";
      const found = isMeta ? undefined : await orReport(describeTable(root, name));
      tables.push(found ?? { table: name, regions: undefined, families: [] });
    }
    const snapshots: SnapshotInfo[] = [];
    for (const name of await root.snapshots()) {
      snapshots.push(...((await orReport(root.snapshotInfo(name).then((info) => [info]))) ?? []));
    }
    if (json) {
      const namespaces = await root.namespaces();
      await context.stdout.line(
        JSON.stringify({ namespaces, tables, snapshots: snapshots.map(snapshotJson) }, undefined, 2),
      );
    } else {
      await context.stdout.line([...tableLinesOf(tables), "", ...snapshotLines(snapshots)].join("\n"));
    }
    context.exitCode = combineExitCodes(codes);
  },
});

interface TableLine {
  readonly table: string;
  /** `undefined` for a table that cannot be read. */
  readonly regions: number | undefined;
  readonly families: readonly string[];
}

async function describeTable(root: HBaseRoot, name: string): Promise<TableLine> {
  await using table = await root.openTable(name);
  return {
    table: name,
    regions: table.regions.length,
    families: table.descriptor.families.map((family) => family.name),
  };
}

function tableLinesOf(tables: readonly TableLine[]): string[] {
  return tableLines(
    [left("table"), right("regions"), left("families")],
    tables.map(({ table, regions, families }) => [
      printable(table),
      regions === undefined ? "?" : countText(regions),
      printable(families.join(", ")),
    ]),
    "",
  );
}

function snapshotLines(snapshots: readonly SnapshotInfo[]): string[] {
  return tableLines(
    [left("snapshot"), left("of table"), left("taken"), left("type")],
    snapshots.map(({ name, table, creationTime, type }) => [
      printable(name),
      printable(tableNameText(table)),
      timeText(creationTime),
      type ?? "?",
    ]),
    "",
  );
}

function snapshotJson({ name, table, creationTime, type, version, owner, ttlSeconds }: SnapshotInfo): object {
  return {
    name,
    table: tableNameText(table),
    creation_time: creationTime,
    type,
    version,
    owner,
    ttl_seconds: ttlSeconds,
  };
}

function timeText(milliseconds: number): string {
  return Math.abs(milliseconds) <= 8.64e15 ? new Date(milliseconds).toISOString() : String(milliseconds);
}

export const describe = command({
  args: { root: ROOT },
  options: { ...SOURCE, json: JSON_OPTION },
  examples: [
    ["Show the families, regions and files of a table", "cfile hbase describe /hbase --table users"],
    ["Show those of a snapshot as JSON", "cfile hbase describe /hbase --snapshot s1 --json"],
  ],
  run: (context, { json, ...values }) =>
    withHBaseTable(context, values, async (table) => {
      const regions = await Promise.all(
        table.regions.map(async (info) => ({ info, files: await table.files(info.encodedName) })),
      );
      await context.stdout.line(
        json
          ? JSON.stringify(tableJson(table, regions), undefined, 2)
          : describedLines(table, regions).join("\n"),
      );
      context.exitCode = EXIT.ok;
    }),
});

interface DescribedRegion {
  readonly info: HBaseTable["regions"][number];
  readonly files: Awaited<ReturnType<HBaseTable["files"]>>;
}

function tableJson({ name, snapshot, descriptor }: HBaseTable, regions: readonly DescribedRegion[]): object {
  return {
    table: name,
    snapshot: snapshot && snapshotJson(snapshot),
    attributes: Object.fromEntries(descriptor.attributes),
    configuration: Object.fromEntries(descriptor.configuration),
    families: descriptor.families.map(({ name: family, attributes, configuration }) => ({
      name: family,
      attributes: Object.fromEntries(attributes),
      configuration: Object.fromEntries(configuration),
    })),
    regions: regions.map(({ info, files }) => ({
      encoded_name: info.encodedName,
      region_id: info.regionId,
      start_key: toHex(info.startKey),
      end_key: toHex(info.endKey),
      files: files.map((file) => ({
        family: file.family,
        name: file.name,
        kind: file.kind,
        path: file.path,
        bytes: file.bytes,
        entries: file.entries,
        sequence_id: file.sequenceId,
        bloom: file.bloomType,
      })),
      unflushed_cells: files.unflushed,
    })),
  };
}

function describedLines(
  { name, snapshot, descriptor }: HBaseTable,
  regions: readonly DescribedRegion[],
): string[] {
  const title = snapshot === undefined ? `table ${name}` : `snapshot ${snapshot.name} of table ${name}`;
  return [
    printable(title),
    "",
    ...tableLines(
      ["family", "versions", "TTL", "deleted cells", "Bloom", "compression"].map(left),
      descriptor.families.map((family) => [
        printable(family.name),
        `${family.minVersions > 0 ? `${family.minVersions} to ` : ""}${family.maxVersions}`,
        family.ttlSeconds === undefined ? "forever" : `${countText(family.ttlSeconds)} s`,
        family.keepDeletedCells === "FALSE"
          ? "dropped"
          : family.keepDeletedCells === "TRUE"
            ? "kept"
            : "kept for TTL",
        family.attributes.get("BLOOMFILTER") ?? "",
        family.attributes.get("COMPRESSION") ?? "",
      ]),
      "",
    ),
    "",
    ...tableLines(
      [left("region"), left("from"), left("to"), right("files"), right("size"), right("cells"), left("")],
      regions.map(({ info, files }) => [
        info.encodedName,
        rowText(info.startKey),
        rowText(info.endKey),
        countText(files.length),
        sizeText(sum(files.map(({ bytes }) => bytes))),
        countText(sum(files.map(({ entries = 0 }) => entries)) + files.unflushed),
        files.unflushed === 0 ? "" : `${counted(files.unflushed, "unflushed cell")}`,
      ]),
      "",
    ),
  ];
}

function rowText(row: Uint8Array): string {
  const text = new TextDecoder().decode(row);
  return /^[\x20-\x7e]*$/.test(text) ? text : `0x${toHex(row)}`;
}
