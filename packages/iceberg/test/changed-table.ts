/** Tables whose metadata or manifests were changed, by another writer or by damage. */
import { type AvroObject, readAvroContainer } from "@cfile/avro";
import { writeAvroContainer } from "@cfile/avro/write";
import { type IcebergTable, openIcebergTable, readSnapshot, type TableFolders } from "../src/index.js";
import { MANIFEST_FILE, manifestEntrySchema } from "../src/manifest/manifest-schema.js";
import { metadataFile, readWhole, writeWhole } from "../src/metadata/table-folders.js";

type Json = Record<string, unknown>;

/** Changes fields of the metadata; `undefined` removes one. */
export async function changeMetadata({ folders, version }: IcebergTable, fields: Json): Promise<void> {
  const file = metadataFile(version);
  const json = JSON.parse(new TextDecoder().decode(await readWhole(folders.metadata, file)));
  const text = JSON.stringify({ ...json, ...fields });
  await writeWhole(folders.metadata, file, new TextEncoder().encode(text));
}

/** The first element of a list of the metadata. */
export function firstOf({ metadata }: IcebergTable, list: string): Json {
  const [first] = metadata.json[list] as unknown as Json[];
  return { ...first };
}

/** How the manifests of a snapshot change; `undefined` removes a field. */
export interface ManifestChanges {
  /** An entry of the manifest list. */
  readonly listed?: Json;
  /** An entry of each manifest. */
  readonly entry?: Json;
  /** The file of an entry. */
  readonly file?: Json;
  /** The Avro schemas. */
  readonly schema?: (schema: string) => string;
}

/** Rewrites the manifests of the current snapshot. */
export async function changeManifests(
  { folders, metadata }: IcebergTable,
  { listed = {}, entry = {}, file = {}, schema = (same) => same }: ManifestChanges,
): Promise<void> {
  const folder = folders.metadata;
  const list = lastName(metadata.current?.manifestList);
  const manifests = (await readAvroContainer(await readWhole(folder, list))) as AvroObject[];
  for (const { manifest_path: path } of manifests) {
    const name = lastName(path);
    const entries = (await readAvroContainer(await readWhole(folder, name))) as AvroObject[];
    const changed = entries.map((one) =>
      present({ ...one, data_file: present({ ...(one["data_file"] as AvroObject), ...file }), ...entry }),
    );
    await writeWhole(folder, name, await writeAvroContainer(schema(manifestEntrySchema([])), changed));
  }
  const changed = manifests.map((one) => present({ ...one, ...listed }));
  await writeWhole(folder, list, await writeAvroContainer(schema(MANIFEST_FILE), changed));
}

function present(fields: Json): AvroObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as AvroObject;
}

export function lastName(path: unknown): string {
  return String(path).split("/").at(-1) ?? "";
}

/** Opens a table, and returns the cells of all rows. */
export async function rowsIn(folders: TableFolders): Promise<unknown[][]> {
  const table = await openIcebergTable(folders);
  const rows: unknown[][] = [];
  for (const file of table === undefined ? [] : (await readSnapshot(table)).files) {
    for await (const { columns, length } of file.rows()) {
      const cells = columns.map((column) => column.toArray());
      rows.push(...Array.from({ length }, (_, row) => cells.map((column) => column[row])));
    }
  }
  return rows;
}
