/**
 * The write-ahead logs of a root directory. One pass over them records where the entries of each region are; their cells are read when
 * the region is opened.
 */

import type { CellBatch } from "@cfile/hfile";
import { type ByteSource, type FileTree, type ReadOptions, readExactly } from "@cfile/io";
import type { RegionInfo } from "../root/region-info.js";
import { tablePath } from "../root/table-name.js";
import { filesIn, foldersIn } from "../root/tree-files.js";
import { LogFile } from "./log-file.js";
import { UnflushedCells, visitLoggedCells } from "./unflushed-cells.js";

const LOGS = "WALs";

interface EntryPlace {
  readonly path: string;
  readonly offset: number;
  readonly length: number;
  readonly sequenceId: number;
}

/** A log that ends inside an entry, as it can while it is being written. */
export interface CutLog {
  readonly path: string;
  /** Offset of the incomplete entry. */
  readonly offset: number;
}

/** The locations of the entries of each region. */
export class WriteAheadLog {
  /** Logs that end inside an entry. */
  readonly cut: CutLog[] = [];
  private readonly tree: FileTree;
  private readonly regions = new Map<string, EntryPlace[]>();

  private constructor(tree: FileTree) {
    this.tree = tree;
  }

  /**
   * Reads all logs.
   * @throws {CFileError} `E_UNSUPPORTED` for compressed and encrypted logs, `E_CORRUPT`, `E_TRUNCATED`; `E_IO` from the tree
   */
  static async open(tree: FileTree, options: ReadOptions = {}): Promise<WriteAheadLog> {
    const log = new WriteAheadLog(tree);
    for (const path of await logPaths(tree)) {
      await log.index(path, log.regions, options);
    }
    return log;
  }

  /**
   * Cells of a region that no store file has, by family.
   * @param flushed greatest sequence ID of each family's store files
   */
  async unflushed(
    region: RegionInfo,
    flushed: ReadonlyMap<string, number>,
    options: ReadOptions = {},
  ): Promise<ReadonlyMap<string, CellBatch>> {
    const places = [
      ...(this.regions.get(region.encodedName) ?? []),
      ...(await this.recoveredEdits(region, options)),
    ];
    const least = Math.min(...flushed.values());
    const cells = new Map([...flushed.keys()].map((family) => [family, new UnflushedCells()]));
    const text = new TextDecoder();
    let source: ByteSource | undefined;
    let open = "";
    try {
      for (const { path, offset, length, sequenceId } of places) {
        if (sequenceId <= least) {
          continue;
        }
        if (source === undefined || open !== path) {
          await source?.close?.();
          source = await this.tree.openSource(path);
          open = path;
        }
        const bytes = await readExactly(source, offset, length, options);
        visitLoggedCells(bytes, source.name, offset, (familyBytes, key, value, tags) => {
          const family = text.decode(familyBytes);
          // This leaves out the region's markers, whose family no table has.
          if (sequenceId > (flushed.get(family) ?? Number.POSITIVE_INFINITY)) {
            cells.get(family)?.add({ key, value, tags, sequenceId });
          }
        });
      }
    } finally {
      await source?.close?.();
    }
    const batches = new Map<string, CellBatch>();
    for (const [family, collected] of cells) {
      const batch = collected.batch();
      if (batch !== undefined) {
        batches.set(family, batch);
      }
    }
    return batches;
  }

  /** Entries of a dead server that HBase has moved to the region. */
  private async recoveredEdits(region: RegionInfo, options: ReadOptions): Promise<readonly EntryPlace[]> {
    const folder = `data/${tablePath(region.table)}/${region.encodedName}/recovered.edits`;
    const regions = new Map<string, EntryPlace[]>();
    for (const name of await filesIn(this.tree, folder)) {
      if (/^\d+$/.test(name)) {
        await this.index(`${folder}/${name}`, regions, options);
      }
    }
    return regions.get(region.encodedName) ?? [];
  }

  private async index(path: string, regions: Map<string, EntryPlace[]>, options: ReadOptions): Promise<void> {
    const source = await this.tree.openSource(path);
    try {
      const log = new LogFile(source);
      for await (const { region, offset, bytes, sequenceId } of log.entries(options)) {
        const places = regions.get(region) ?? [];
        regions.set(region, places);
        places.push({ path, offset, length: bytes.length, sequenceId });
      }
      if (log.cutAt !== undefined) {
        this.cut.push({ path, offset: log.cutAt });
      }
    } finally {
      await source.close?.();
    }
  }
}

/** Paths of all logs except those of the table of regions. */
async function logPaths(tree: FileTree): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const server of await foldersIn(tree, LOGS)) {
    for (const name of await filesIn(tree, `${LOGS}/${server}`)) {
      if (!name.startsWith(".") && !name.endsWith(".meta")) {
        paths.push(`${LOGS}/${server}/${name}`);
      }
    }
  }
  return paths;
}
