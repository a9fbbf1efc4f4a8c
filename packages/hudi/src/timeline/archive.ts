/** Archived instants (docs/spec/hudi-table.md#42-archived-timeline-of-layout-2 and the section after it). */
import type { AvroValue } from "@cfile/avro";
import { corrupt, withErrorContext } from "@cfile/bytes";
import { openParquet } from "@cfile/parquet";
import { avroRows, SchemaCache } from "../log/avro-rows.js";
import { parseLogFile } from "../log/log-block.js";
import { requireName, type TableFiles } from "../table/table-files.js";
import type { TableProperties } from "../table/table-properties.js";
import { recordOf, textOf } from "./content-fields.js";
import {
  compareInstants,
  type HudiInstant,
  type InstantState,
  instantName,
  WRITE_ACTIONS,
} from "./instant.js";

/** The archived part of a timeline. */
export interface ArchivedInstants {
  /** In layout 2, completed instants; in layout 1, one entry per state. */
  readonly instants: readonly HudiInstant[];
  /** The completed writes, by requested time. */
  readonly completed: ReadonlyMap<string, HudiInstant>;
}

/** Reads the archived timeline. @throws {CFileError} with the path, for damage */
export async function archivedInstants(
  files: TableFiles,
  properties: TableProperties,
): Promise<ArchivedInstants> {
  const instants =
    properties.layout === 2 ? await readHistory(files, properties) : await readArchive(files, properties);
  instants.sort(compareInstants);
  const writes = instants.filter(
    ({ action, state }) => state === "COMPLETED" && WRITE_ACTIONS.includes(action),
  );
  return { instants, completed: new Map(writes.map((write) => [write.time, write])) };
}

/** Layout 2: Parquet files, named by the manifest of the current version. */
async function readHistory(files: TableFiles, { archiveFolder }: TableProperties): Promise<HudiInstant[]> {
  const names = await manifestFiles(files, archiveFolder);
  const instants: HudiInstant[] = [];
  for (const name of names) {
    instants.push(...(await readHistoryFile(files, `${archiveFolder}/${name}`)));
  }
  return instants;
}

/** Names of the history files of the current snapshot. @throws {CFileError} `E_CORRUPT` for a malformed manifest */
async function manifestFiles(files: TableFiles, folder: string): Promise<string[]> {
  const stated = await files.readIfPresent(`${folder}/_version_`);
  const version =
    stated === undefined ? await lastVersion(files, folder) : new TextDecoder().decode(stated).trim();
  if (version === undefined) {
    return [];
  }
  if (!/^\d{1,15}$/.test(version)) {
    throw corrupt(`invalid version ${JSON.stringify(version.slice(0, 40))}`, {
      path: files.nameOf(`${folder}/_version_`),
    });
  }
  const path = `${folder}/manifest_${version}`;
  const bytes = await files.read(path);
  return withErrorContext({ path: files.nameOf(path) }, () => listedNames(bytes));
}

/** The version of the last manifest, if no version is stated; `undefined` without manifests. */
async function lastVersion(files: TableFiles, folder: string): Promise<string | undefined> {
  const names = await files.fileNames(folder);
  const numbers = names.flatMap((name) => /^manifest_(\d{1,15})$/.exec(name)?.[1] ?? []);
  return numbers.sort((a, b) => Number(a) - Number(b)).at(-1);
}

function listedNames(bytes: Uint8Array): string[] {
  let manifest: AvroValue;
  try {
    manifest = JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw corrupt("manifest is not valid JSON", { field: "manifest", cause });
  }
  const { files } = recordOf(manifest, "manifest");
  if (!Array.isArray(files)) {
    throw corrupt("manifest has no list of files", { field: "files" });
  }
  return files.map((entry) =>
    requireName(textOf(recordOf(entry, "file")["fileName"], "fileName") ?? "", "fileName"),
  );
}

async function readHistoryFile(files: TableFiles, path: string): Promise<HudiInstant[]> {
  await using file = await files.openWith(path, openParquet);
  const instants: HudiInstant[] = [];
  const columns = ["instantTime", "completionTime", "action"];
  for await (const batch of file.scan({ columns })) {
    const [times, completions, actions] = batch.columns.map((column) => column.toArray());
    for (let i = 0; i < batch.length; i++) {
      const [time, completionTime, action] = [times?.[i], completions?.[i], actions?.[i]];
      if (typeof time !== "string" || typeof action !== "string" || !/^\d{14,20}$/.test(time)) {
        throw corrupt("row without instant time or action", {
          path: files.nameOf(path),
          field: "instantTime",
        });
      }
      const completion = typeof completionTime === "string" ? completionTime : undefined;
      const instant = { time, action, state: "COMPLETED" as const, completionTime: completion };
      instants.push({ ...instant, file: instantName(instant) });
    }
  }
  return instants;
}

/** Layout 1: log files of Avro records, one per instant and state. */
async function readArchive(files: TableFiles, { archiveFolder }: TableProperties): Promise<HudiInstant[]> {
  const numbered = (await files.fileNames(archiveFolder)).flatMap((name) => {
    const number = /^\.commits_\.archive\.(\d{1,9})_[\d-]+$/.exec(name)?.[1];
    return number === undefined ? [] : { name, number: Number(number) };
  });
  const instants = new Map<string, HudiInstant>();
  const schemas = new SchemaCache();
  for (const { name } of numbered.sort((a, b) => a.number - b.number)) {
    const path = `${archiveFolder}/${name}`;
    for (const block of parseLogFile(await files.read(path), files.nameOf(path))) {
      if (block.kind === "damage") {
        throw block.error;
      }
      if (block.kind === "avro") {
        for (const row of avroRows(block, schemas, "object")) {
          const instant = archivedRow(recordOf(row, "archived instant"));
          instants.set(instant.file, instant);
        }
      }
    }
  }
  return [...instants.values()];
}

function archivedRow(row: ReturnType<typeof recordOf>): HudiInstant {
  const time = textOf(row["commitTime"], "commitTime") ?? "";
  const action = textOf(row["actionType"], "actionType") ?? "";
  const stated = textOf(row["actionState"], "actionState") ?? "COMPLETED";
  if (!/^\d{14,20}$/.test(time) || !isState(stated)) {
    throw corrupt("archived instant without time or state", { field: "commitTime", actual: time });
  }
  const completionTime =
    stated === "COMPLETED" ? textOf(row["stateTransitionTime"], "stateTransitionTime") : undefined;
  const instant = { time, action, state: stated };
  return { ...instant, completionTime, file: instantName({ ...instant, completionTime: undefined }) };
}

function isState(text: string): text is InstantState {
  return text === "REQUESTED" || text === "INFLIGHT" || text === "COMPLETED";
}
