/**
 * The metadata table: a merge-on-read Hudi table of HFiles in `.hoodie/metadata` (docs/spec/hudi-table.md#7-layout-of-the-metadata-table).
 * Each partition has a fixed number of file groups; the hash of a key selects the group.
 */
import { corrupt } from "@cfile/bytes";
import { SchemaCache } from "../log/avro-rows.js";
import { parseFileName } from "../slices/file-names.js";
import { type FileSlice, latestSlices, type SliceRules, sliceRules } from "../slices/file-slices.js";
import type { TableFiles } from "../table/table-files.js";
import { metadataProperties } from "../table/table-properties.js";
import { compareText } from "../timeline/instant.js";
import { Timeline } from "../timeline/timeline.js";
import { requireNumbered, requireOwnKeys, requireStated } from "./lost-groups.js";
import { FILES, listedFiles, type MetadataRecord } from "./merge-records.js";
import { MetadataGroup } from "./metadata-group.js";
import { ALL_PARTITIONS, groupOfKey, partitionKey } from "./metadata-keys.js";
import { validInstants } from "./valid-instants.js";

/** Folder of the metadata table, relative to the data table. */
export const METADATA_FOLDER = ".hoodie/metadata";

/** Decides which files and log blocks of the metadata table count. */
interface ValidParts {
  readonly instants: ReadonlySet<string>;
  readonly rules: SliceRules;
}

/** An open metadata table. Its timeline is listed on demand: a table that was just compacted is read without it. */
export class MetadataTable {
  /** Partitions that can be read. */
  readonly partitions: readonly string[];
  private readonly data: Timeline;
  private readonly files: TableFiles;
  private readonly schemas = new SchemaCache();
  private readonly groups = new Map<string, Promise<readonly MetadataGroup[]>>();
  private listed: Promise<Timeline> | undefined;
  private parts: Promise<ValidParts> | undefined;

  private constructor(data: Timeline) {
    this.data = data;
    this.files = data.files.below(METADATA_FOLDER);
    this.partitions = data.properties.metadataPartitions;
  }

  /** The metadata table of a data table; `undefined` if it cannot be used. Nothing is read. */
  static of(data: Timeline): MetadataTable | undefined {
    return data.properties.metadataPartitions.includes("files") ? new MetadataTable(data) : undefined;
  }

  /** Its own timeline. @throws {CFileError} `E_IO` */
  timeline(): Promise<Timeline> {
    this.listed ??= Timeline.load(this.files, metadataProperties(this.data.properties));
    return this.listed;
  }

  /** Instants whose log blocks count. @throws {CFileError} for damaged rollbacks */
  async validInstants(): Promise<ReadonlySet<string>> {
    return (await this.validParts()).instants;
  }

  /** Paths of all partitions of the data table, sorted. @throws {CFileError} for damage */
  async partitionPaths(): Promise<string[]> {
    const record = (await this.find("files", [ALL_PARTITIONS])).get(ALL_PARTITIONS);
    if (record === undefined) {
      const details = { path: this.files.nameOf("files"), field: ALL_PARTITIONS };
      throw corrupt("the metadata table has no list of partitions", details);
    }
    return [...listedFiles(record).keys()].map((name) => (name === partitionKey("") ? "" : name)).sort();
  }

  /** Files of a partition: name and size. @throws {CFileError} for damage */
  async filesOf(partition: string): Promise<Map<string, number>> {
    return (await this.filesOfAll([partition])).get(partition) as Map<string, number>;
  }

  /** Files of partitions, by partition. @throws {CFileError} for damage */
  async filesOfAll(partitions: readonly string[]): Promise<Map<string, Map<string, number>>> {
    const records = await this.find("files", partitions.map(partitionKey));
    const files = new Map<string, Map<string, number>>();
    for (const partition of partitions) {
      const record = records.get(partitionKey(partition));
      // Every write that adds a partition to the list also adds a record of its files, even if it has no files.
      if (record === undefined && (await this.partitionPaths()).includes(partition)) {
        const reason = `the metadata table has no record of partition ${JSON.stringify(partition)}, which it lists`;
        throw corrupt(reason, { path: this.files.nameOf("files"), field: FILES });
      }
      files.set(partition, record === undefined ? new Map<string, number>() : listedFiles(record));
    }
    return files;
  }

  /** Whether a partition of the metadata table can be read. */
  has(partition: string): boolean {
    return this.partitions.includes(partition);
  }

  /** Records with these keys. @throws {CFileError} for damage */
  async find(partition: string, keys: readonly string[]): Promise<Map<string, MetadataRecord>> {
    const groups = await this.groupsOf(partition);
    const wanted = new Map<number, string[]>();
    for (const key of keys) {
      const index = groupOfKey(key, groups.length);
      const known = wanted.get(index);
      if (known === undefined) {
        wanted.set(index, [key]);
      } else {
        known.push(key);
      }
    }
    const found = await Promise.all(
      [...wanted].map(([index, own]) => (groups[index] as MetadataGroup).read({ keys: own })),
    );
    return new Map(found.flatMap((records) => [...records]));
  }

  /** Records whose keys have a prefix; all records for an empty one. @throws {CFileError} for damage */
  async withPrefix(partition: string, prefix: string): Promise<Map<string, MetadataRecord>> {
    const groups = await this.groupsOf(partition);
    const found = await Promise.all(groups.map((group) => group.read({ prefix })));
    return new Map(found.flatMap((records) => [...records]));
  }

  /** File names of a partition of the metadata table. @throws {CFileError} `E_IO` */
  fileNames(partition: string): Promise<string[]> {
    return this.files.fileNames(partition);
  }

  /** The file slices of a partition of the metadata table. @throws {CFileError} for damage */
  async slices(partition: string): Promise<FileSlice[]> {
    return this.slicesOf(partition, await this.fileNames(partition));
  }

  /** @internal Requires the file groups that completed writes of its active timeline state. @throws {CFileError} for damage */
  async requireGroups(partition: string): Promise<void> {
    const timeline = await this.timeline();
    const writes = [...timeline.completed.values()];
    await requireStated(partition, await this.fileNames(partition), timeline, writes);
  }

  /** Closes all files. */
  async close(): Promise<void> {
    for (const groups of this.groups.values()) {
      for (const group of await groups.catch(() => [])) {
        await group.close();
      }
    }
  }

  private async slicesOf(partition: string, names: readonly string[]): Promise<FileSlice[]> {
    return onlyBaseFiles(partition, names) ?? latestSlices(partition, names, (await this.validParts()).rules);
  }

  private groupsOf(partition: string): Promise<readonly MetadataGroup[]> {
    let groups = this.groups.get(partition);
    if (groups === undefined) {
      groups = this.openGroups(partition);
      this.groups.set(partition, groups);
    }
    return groups;
  }

  private validParts(): Promise<ValidParts> {
    this.parts ??= this.timeline().then(async (timeline) => {
      const [instants, rules] = await Promise.all([validInstants(this.data, timeline), sliceRules(timeline)]);
      return { instants, rules };
    });
    return this.parts;
  }

  private async openGroups(partition: string): Promise<readonly MetadataGroup[]> {
    const names = await this.fileNames(partition);
    const slices = await this.slicesOf(partition, names);
    requireNumbered(slices, this.files.nameOf(partition));
    if (slices.some(({ logFiles }) => logFiles.length > 0)) {
      // Compactions write most groups, and the logs require the timeline anyway.
      const timeline = await this.timeline();
      const compactions = [...timeline.completed.values()].filter(({ action }) => action === "commit");
      await requireStated(partition, names, timeline, compactions.slice(-1));
    }
    const context = { files: this.files, schemas: this.schemas, valid: () => this.validInstants() };
    // Other indexes may assign keys to groups by parts of the keys.
    const check = partition === "record_index" ? requireOwnKeys : undefined;
    return slices.map(
      (slice, index) => new MetadataGroup(slice, context, (file) => check?.(file, index, slices.length)),
    );
  }
}

/**
 * The slices of a partition whose file groups have one base file each and no logs; `undefined` for others. Such base files are complete:
 * the table's properties name a partition only after its first base files are complete, and an older base file stays until its successor is
 * complete.
 */
function onlyBaseFiles(partition: string, names: readonly string[]): FileSlice[] | undefined {
  const slices = new Map<string, FileSlice>();
  for (const name of names) {
    const file = parseFileName(name);
    if (file?.kind === "log" || (file?.kind === "base" && slices.has(file.fileId))) {
      return undefined;
    }
    if (file?.kind === "base") {
      const { fileId, instant: baseInstant } = file;
      slices.set(fileId, { partition, fileId, baseInstant, baseFile: name, logFiles: [] });
    }
  }
  return [...slices.values()].sort((a, b) => compareText(a.fileId, b.fileId));
}
