/** An Iceberg table as a side of a comparison: `DIR`, or `DIR@SNAPSHOT` with the ID of a snapshot or a time. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { CFileError } from "@cfile/bytes";
import { parseTimestamp } from "@cfile/cell-text";
import {
  history,
  openIcebergTable,
  readSnapshot,
  type Snapshot,
  snapshotAt,
  type TableMetadata,
} from "@cfile/iceberg";
import { icebergFolders } from "../kudu/export/iceberg-target.js";
import { UsageError } from "../program/exit-code.js";
import { directoryAt } from "../table-store/table-path.js";

/** @returns `undefined` for anything but an Iceberg table */
export async function icebergSide(name: string) {
  const at = (await isTable(name)) ? name.length : name.lastIndexOf("@");
  const path = name.slice(0, at);
  if (at <= 0 || !(at === name.length || (await isTable(path)))) {
    return undefined;
  }
  const table = await openIcebergTable(await icebergFolders(path, undefined, false));
  if (table === undefined) {
    return undefined;
  }
  const snapshot = at === name.length ? undefined : namedSnapshot(table.metadata, name.slice(at + 1), path);
  const { columns, keyNames, files } = await readSnapshot(table, snapshot);
  return { columns, keyNames, partitions: files };
}

async function isTable(path: string): Promise<boolean> {
  const folder = await directoryAt(join(path, "metadata"));
  return folder !== undefined && (await readdir(folder)).some((file) => file.endsWith(".metadata.json"));
}

function namedSnapshot(metadata: TableMetadata, text: string, path: string): Snapshot {
  const time = parseTimestamp(text);
  if (time === undefined && !/^\d{1,19}$/.test(text)) {
    throw new UsageError(
      `invalid snapshot: "${text}" (must be the ID of a snapshot or a time like 2024-02-29T12:00:00Z)`,
    );
  }
  const snapshot =
    time === undefined
      ? metadata.snapshots.find(({ id }) => id === BigInt(text))
      : snapshotAt(metadata, Number(time / 1000n));
  if (snapshot === undefined) {
    const known = [...history(metadata)].map(({ id }) => id).join(", ");
    throw new CFileError("E_NOT_FOUND", `no snapshot ${text} (the table has ${known || "none"})`, { path });
  }
  return snapshot;
}
