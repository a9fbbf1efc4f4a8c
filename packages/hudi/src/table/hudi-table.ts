/** An open Hudi table: properties, timeline, partitions, files and file slices. */
import { MetadataTable } from "../metadata/metadata-table.js";
import { type FileSlice, latestSlices, type SliceRules, sliceRules } from "../slices/file-slices.js";
import { requireReadable } from "../timeline/as-of.js";
import type { HudiInstant } from "../timeline/instant.js";
import { type StatedSizes, statedFiles } from "../timeline/stated-files.js";
import { Timeline } from "../timeline/timeline.js";
import { type ListedPartition, listPartitions } from "./list-partitions.js";
import { requireInside, type TableFiles } from "./table-files.js";
import { parseTableProperties, type TableProperties } from "./table-properties.js";

/** Where the lists of partitions and files come from. */
export type ListingSource = "metadata" | "listing";

/** A table. It does not see writes after it was opened; open it again to see them. */
export class HudiTable {
  readonly files: TableFiles;
  readonly properties: TableProperties;
  readonly timeline: Timeline;
  /** `undefined` without a usable metadata table. */
  readonly metadata: MetadataTable | undefined;
  private rules: Promise<SliceRules> | undefined;
  private listed: Promise<readonly ListedPartition[]> | undefined;
  private stated: Promise<ReadonlyMap<string, StatedSizes>> | undefined;

  private constructor(files: TableFiles, timeline: Timeline, metadata: MetadataTable | undefined) {
    this.files = files;
    this.properties = timeline.properties;
    this.timeline = timeline;
    this.metadata = metadata;
  }

  /** @internal */
  static async open(files: TableFiles): Promise<HudiTable> {
    const properties = parseTableProperties(await files.read(".hoodie/hoodie.properties"));
    const timeline = await Timeline.load(files, properties);
    return new HudiTable(files, timeline, MetadataTable.of(timeline));
  }

  /** Whether partitions and files come from the metadata table, or from listing folders in a table without one. */
  get listingSource(): ListingSource {
    return this.metadata === undefined ? "listing" : "metadata";
  }

  /** Active instants in their highest states, by requested time. */
  get instants(): readonly HudiInstant[] {
    return this.timeline.instants;
  }

  /** Archived instants, by requested time; in layout 1 one entry per state. @throws {CFileError} for damage */
  async archivedInstants(): Promise<readonly HudiInstant[]> {
    return (await this.timeline.archived()).instants;
  }

  /**
   * Paths of all partitions, sorted; one empty path for a table without partitions. Without a metadata table, they include partitions that
   * completed writes state, even if their folders are missing.
   * @throws {CFileError} for damage
   */
  async partitions(): Promise<readonly string[]> {
    const paths =
      this.metadata === undefined ? await this.listedPartitions() : await this.metadata.partitionPaths();
    for (const path of paths) {
      requireInside(path, "partition");
    }
    return paths;
  }

  /**
   * Names and sizes of a partition's files of all instants, sorted by name. Sizes are those that the metadata table states, if the table
   * has one.
   * @throws {CFileError} for damage
   */
  async filesOf(partition: string): Promise<ReadonlyMap<string, number>> {
    const names =
      this.metadata === undefined
        ? await this.listedSizes(partition)
        : await this.metadata.filesOf(partition);
    return new Map([...names].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /**
   * The latest slice of each file group of a partition, by file ID. Without a metadata table, slices include files that completed writes
   * state, even if storage lacks them.
   * @param asOf an instant; slices and replacements after it do not count. Default: the latest
   * @throws {CFileError} for damage
   */
  async slices(partition: string, asOf?: string): Promise<readonly FileSlice[]> {
    const stated = (await this.minSizes(partition)).keys();
    const names =
      this.metadata === undefined ? new Set([...(await this.listedNames(partition)), ...stated]) : stated;
    return latestSlices(partition, names, await this.sliceRules(), asOf);
  }

  /**
   * Requires that the table can be read as of an instant.
   * @throws {CFileError} `E_HISTORY_GONE` when the cleaner has removed files that it needs; `E_INVALID_ARGUMENT` when it is not a time, or
   *   a write before it is still pending
   */
  async requireReadable(asOf: string | undefined): Promise<void> {
    if (asOf !== undefined) {
      await requireReadable(this.timeline, asOf);
    }
  }

  /** @internal Number of bytes that completed writes wrote to each file of a partition, as far as known. */
  async minSizes(partition: string): Promise<StatedSizes> {
    if (this.metadata !== undefined) {
      return this.metadata.filesOf(partition);
    }
    this.stated ??= statedFiles(this.timeline);
    return (await this.stated).get(partition) ?? new Map();
  }

  /** Closes the files of the metadata table. */
  async close(): Promise<void> {
    await this.metadata?.close();
  }

  /** Calls `close` at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** @internal */
  sliceRules(): Promise<SliceRules> {
    this.rules ??= sliceRules(this.timeline);
    return this.rules;
  }

  private async listedNames(partition: string): Promise<readonly string[]> {
    return (await this.list()).find(({ path }) => path === partition)?.names ?? [];
  }

  private async listedSizes(partition: string): Promise<Map<string, number>> {
    const sizes = new Map<string, number>();
    for (const name of await this.listedNames(partition)) {
      sizes.set(name, await this.files.size(partition === "" ? name : `${partition}/${name}`));
    }
    return sizes;
  }

  private async listedPartitions(): Promise<readonly string[]> {
    const listed = (await this.list()).map(({ path }) => path);
    this.stated ??= statedFiles(this.timeline);
    const paths = new Set(listed);
    for (const partition of (await this.stated).keys()) {
      // A partition may have been removed after all of its file groups were replaced.
      if (!paths.has(partition) && (await this.slices(partition)).length > 0) {
        paths.add(partition);
      }
    }
    return [...paths].sort();
  }

  private list(): Promise<readonly ListedPartition[]> {
    this.listed ??= listPartitions(this.files);
    return this.listed;
  }
}
