/**
 * The parts of an export: planned, written by several workers, and found again after an interruption. In the folder of the parts:
 *
 * | file | content |
 * | --- | --- |
 * | `plan.json` | what is exported, and the parts it consists of |
 * | `NNNN.parquet` and so on | a part |
 * | `NNNN.json` | that the part is complete: its rows, and what was lost of it |
 */
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { toHex } from "@cfile/bytes";
import type { KuduDir } from "@cfile/kudu-dir";
import { splitKeys } from "@cfile/kudu-dir/catalog";
import type { TableForm } from "../../convert/table-form.js";
import type { AccountJson } from "./account-json.js";
import { type ExportSettings, type ExportUnit, exportedTable, isDamage } from "./export-settings.js";

/** Rows of a part; a tablet with more is cut. */
const PART_ROWS = 1 << 20;

export interface PartReport {
  readonly rows: number;
  readonly accounts: readonly AccountJson[];
  /** Whether its rows are in another part, that of the whole tablet. */
  readonly absent?: boolean;
}

export class ExportParts {
  readonly folder: string;
  readonly units: readonly ExportUnit[];
  /** Of parts that are complete. */
  readonly reports: Map<number, PartReport>;
  private readonly ending: string;

  private constructor(folder: string, units: readonly ExportUnit[], form: TableForm) {
    this.folder = folder;
    this.units = units;
    this.reports = new Map();
    this.ending = form === "cfile" ? "" : `.${form}`;
  }

  /** Finds the parts of an export that was interrupted; without one, or when something else is exported now, plans them anew. */
  static async open(folder: string, dir: KuduDir, settings: ExportSettings): Promise<ExportParts> {
    const units = await planUnits(dir, settings);
    const parts = new ExportParts(folder, units, settings.form);
    const plan = JSON.stringify({ ...(await identityOf(dir, settings)), units: units.map(unitJson) });
    const known = await readFile(join(folder, "plan.json"), "utf8").catch(() => undefined);
    if (known === plan) {
      await parts.findReports();
    } else {
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, "plan.json"), plan);
    }
    return parts;
  }

  /** Where a part is, or is to be. */
  path(unit: number): string {
    return join(this.folder, `${String(unit).padStart(4, "0")}${this.ending}`);
  }

  async complete(unit: number, report: PartReport): Promise<void> {
    const path = join(this.folder, `${String(unit).padStart(4, "0")}.json`);
    await writeFile(`${path}.new`, JSON.stringify(report));
    await rename(`${path}.new`, path);
    this.reports.set(unit, report);
  }

  /** Takes a tablet's parts back: the whole of it becomes its first part. */
  async discard(tablet: string): Promise<number> {
    const [first = 0, ...others] = [...this.units.keys()].filter(
      (unit) => this.units[unit]?.tablet === tablet,
    );
    for (const unit of [first, ...others]) {
      await rm(this.path(unit), { recursive: true, force: true });
      this.reports.delete(unit);
    }
    for (const unit of others) {
      await this.complete(unit, { rows: 0, accounts: [], absent: true });
    }
    return first;
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  private async findReports(): Promise<void> {
    for (const unit of this.units.keys()) {
      const path = join(this.folder, `${String(unit).padStart(4, "0")}.json`);
      const text = await readFile(path, "utf8").catch(() => undefined);
      const report: PartReport | undefined = text === undefined ? undefined : JSON.parse(text);
      if (report !== undefined && (report.absent || (await exists(this.path(unit))))) {
        this.reports.set(unit, report);
      }
    }
  }
}

async function planUnits(dir: KuduDir, settings: ExportSettings): Promise<ExportUnit[]> {
  const { tablets } = await exportedTable(dir, settings);
  const units: ExportUnit[] = [];
  for (const tablet of tablets) {
    const rows = tablet.liveRowCount ?? 0;
    // What is only in the log would be looked for once for each part.
    const parts = settings.withLog ? 1 : Math.ceil(rows / PART_ROWS);
    let keys: readonly Uint8Array[] = [];
    try {
      keys = parts > 1 ? await splitKeys(tablet, parts) : [];
    } catch (error) {
      if (!isDamage(error)) {
        throw error;
      }
    }
    for (let i = 0; i <= keys.length; i++) {
      units.push({ tablet: tablet.id, from: keys[i - 1], to: keys[i] });
    }
  }
  return units;
}

/** What must be the same for parts to be used again: what is asked for, and the files that it comes from. */
async function identityOf(dir: KuduDir, settings: ExportSettings): Promise<object> {
  const { tablets } = await exportedTable(dir, settings);
  const { columns, where, asOf, withLog, partialHistory, form } = settings;
  return {
    columns,
    where,
    asOf: asOf === undefined ? undefined : String(asOf),
    withLog,
    partialHistory,
    form,
    tablets: tablets.map(({ id, superblock }) => ({
      id,
      schema: superblock.schemaVersion,
      blocks: superblock.rowSets.map(({ columns: base, redo, undo }) =>
        [...base.values(), ...redo, ...undo].join(" "),
      ),
    })),
  };
}

function unitJson({ tablet, from, to }: ExportUnit): object {
  return { tablet, from: from && toHex(from), to: to && toHex(to) };
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
