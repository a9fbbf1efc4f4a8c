/**
 * Checks a table or snapshot: that its regions adjoin, that every link and reference leads to a file, every block of every file, the
 * sizes in a snapshot's manifest, and every reference to a MOB file.
 */
import { type FileProblem, findingOf, problemOf, type WorkOptions } from "@cfile/bytes";
import { type HFileReader, openHFile } from "@cfile/hfile";
import { candidatePaths, firstPresent } from "../files/file-places.js";
import type { NamedFile } from "../files/store-file.js";
import { MobValues, mobReference } from "../mob/mob-values.js";
import { boundaryProblems, type RegionBoundaryProblem } from "../root/current-regions.js";
import type { RegionInfo } from "../root/region-info.js";
import type { HBaseTable } from "../table/hbase-table.js";

/** A problem, and its location. */
export interface TableProblem extends FileProblem {
  /** Encoded name of the region; `undefined` for the write-ahead log. */
  readonly region: string | undefined;
  readonly family: string | undefined;
  /** The file, as in the region's folder or the manifest. */
  readonly file: string | undefined;
  /** Path of the HFile below the root directory, if it was found. */
  readonly path: string | undefined;
}

/** The result of a check. */
export interface TableReport {
  readonly ok: boolean;
  readonly problems: readonly TableProblem[];
  /** Number of problems, including those that are not listed. */
  readonly problemCount: number;
  /** Rows without a region, and rows with more than one. */
  readonly boundaries: readonly RegionBoundaryProblem[];
  readonly regions: number;
  /** Number of store files, and of the links and references among them. */
  readonly files: number;
  readonly links: number;
  readonly references: number;
  /** Valid blocks and cells of the files; a file that several regions share counts once. */
  readonly blocks: number;
  readonly cells: number;
  /** Values in MOB files that were found. */
  readonly mobReferences: number;
  /** Paths of write-ahead logs that end inside an entry, as a log can while it is being written. */
  readonly cutLogs: readonly string[];
}

const MAX_PROBLEMS = 1000;

/** @throws {CFileError} `E_IO` when the tree fails; the signal's reason; damage is in the report */
export function verifyTable(table: HBaseTable, options: WorkOptions = {}): Promise<TableReport> {
  return new TableVerifier(table, options).run();
}

type Place = Pick<TableProblem, "region" | "family" | "file" | "path">;
type FamilyPlace = Place & { readonly family: string };
const NOWHERE: Place = { region: undefined, family: undefined, file: undefined, path: undefined };

class TableVerifier {
  private readonly table: HBaseTable;
  private readonly options: WorkOptions;
  private readonly problems: TableProblem[] = [];
  private problemCount = 0;
  private readonly verified = new Set<string>();
  private readonly counts = { files: 0, links: 0, references: 0, blocks: 0, cells: 0, mobReferences: 0 };

  constructor(table: HBaseTable, options: WorkOptions) {
    this.table = table;
    this.options = options;
  }

  async run(): Promise<TableReport> {
    const { table, options, problems, counts } = this;
    const boundaries = boundaryProblems(table.regions);
    const total = table.regions.length;
    for (const [done, region] of table.regions.entries()) {
      options.signal?.throwIfAborted();
      for (const { name } of table.descriptor.families) {
        await this.checkFamily(region, name);
      }
      options.onProgress?.({ done: done + 1, total });
    }
    const cutLogs = await this.checkLog();
    const { problemCount } = this;
    const ok = problemCount === 0 && boundaries.length === 0;
    return { ok, problems, problemCount, boundaries, regions: total, ...counts, cutLogs };
  }

  private async checkFamily(region: RegionInfo, family: string): Promise<void> {
    const place = { ...NOWHERE, region: region.encodedName, family };
    const files = await this.finding(place, () => this.table.parts.listFiles(region, family));
    for (const file of files ?? []) {
      this.options.signal?.throwIfAborted();
      this.counts.files++;
      this.counts.links += file.parsed.kind === "link" ? 1 : 0;
      this.counts.references += file.parsed.kind === "reference" ? 1 : 0;
      await this.finding({ ...place, file: file.name }, () =>
        this.checkFile(file, { ...place, file: file.name }),
      );
    }
  }

  private async checkFile(file: NamedFile, place: FamilyPlace): Promise<void> {
    const { tree } = this.table.parts;
    await firstPresent(tree, candidatePaths(file.parsed.place, place.family), async (path) => {
      const source = await tree.openSource(path);
      try {
        const hfile = await openHFile(source);
        const { fileSize } = hfile.structure;
        if (file.size !== undefined && file.size !== fileSize) {
          const reason = `the file has ${fileSize} bytes, but ${file.size} in the snapshot's manifest`;
          this.report(
            { ...place, path },
            { code: "E_CORRUPT", reason, expected: file.size, actual: fileSize },
          );
        }
        if (!this.verified.has(path)) {
          this.verified.add(path);
          await this.checkBlocks(hfile, { ...place, path });
        }
      } catch (error) {
        // A file that is damaged is present: its problem must not look like a missing file.
        const finding = findingOf(error);
        if (finding.code === "E_NOT_FOUND") {
          throw error;
        }
        this.report({ ...place, path }, problemOf(finding));
      } finally {
        await source.close?.();
      }
    });
  }

  private async checkBlocks(hfile: HFileReader, place: FamilyPlace): Promise<void> {
    const { signal } = this.options;
    const report = await hfile.verify({ signal });
    for (const problem of report.problems) {
      this.report(place, problem);
    }
    this.problemCount += report.problemCount - report.problems.length;
    this.counts.cells += report.entries;
    for (const count of Object.values(report.blocks)) {
      this.counts.blocks += count;
    }
    const isMob = this.table.descriptor.families.some(({ name, mob }) => mob && name === place.family);
    if (isMob && report.ok) {
      await this.checkMob(hfile, place);
    }
  }

  /** Checks every value that the file has in a MOB file. */
  private async checkMob(hfile: HFileReader, place: FamilyPlace): Promise<void> {
    const { tree, memory, descriptor } = this.table.parts;
    const values = new MobValues(tree, descriptor.name, memory);
    try {
      for await (const batch of hfile.scan({ signal: this.options.signal })) {
        for (let i = 0; i < batch.length; i++) {
          await this.finding(place, async () => {
            const reference = mobReference(batch, i, descriptor.name);
            if (reference !== undefined) {
              await values.value(reference, place.family, batch.cell(i).key, this.options);
              this.counts.mobReferences++;
            }
          });
        }
      }
    } finally {
      await values.close();
    }
  }

  private async checkLog(): Promise<readonly string[]> {
    const { log } = this.table.parts;
    const opened = log && (await this.finding(NOWHERE, log));
    if (opened === undefined) {
      return [];
    }
    const families = new Map(this.table.descriptor.families.map(({ name }) => [name, -1]));
    for (const region of this.table.regions) {
      const place = { ...NOWHERE, region: region.encodedName };
      await this.finding(place, () => opened.unflushed(region, families, this.options));
    }
    return opened.cut.map(({ path }) => path);
  }

  /** The result, unless it is a problem, which is reported. */
  private async finding<T>(place: Place, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.report(place, problemOf(error));
      return undefined;
    }
  }

  private report(place: Place, problem: FileProblem): void {
    this.problemCount++;
    if (this.problems.length < MAX_PROBLEMS) {
      this.problems.push({ ...problem, ...place });
    }
  }
}
