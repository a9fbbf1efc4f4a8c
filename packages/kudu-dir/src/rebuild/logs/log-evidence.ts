/** Finds delta files that surviving logs confirm: entries have the times of logged writes, and the row set has their keys. */
import { toHex } from "@cfile/bytes";
import type { ChangeType, DeltaKind } from "@cfile/deltafile";
import { openDeltaFile } from "@cfile/deltafile/read";
import type { CellValue } from "@cfile/encodings";
import { encodeCompositeKey, type KeyValue } from "@cfile/encodings/keys";
import { openCFile } from "@cfile/format";
import { unlessDamaged } from "../../blocks/problems.js";
import type { KuduDir } from "../../read/kudu-dir.js";
import type { BaseFiles } from "../columns/base-files.js";
import type { RowSetGroup, TablePlace } from "../row-set-group.js";
import { isDelta, type SurveyedBlock, type SurveyedDelta } from "../survey-blocks.js";
import { type KeyedEntry, type LoggedWrites, readLoggedWrites, type Verdict } from "./logged-writes.js";

/** An entry of a delta file. */
type Entry = Omit<KeyedEntry, "key"> & { readonly row: number };

/** A file that may belong to a row set, and its kind; `undefined` if that is unclear. */
export interface PossibleFile {
  readonly block: SurveyedDelta;
  readonly kind: DeltaKind | undefined;
}

/** Maximum number of entries per file that are compared with the logs. */
const MAX_ENTRIES = 256;

export class LogEvidence {
  /** Logs by tablet ID. */
  readonly logs: ReadonlyMap<string, LoggedWrites>;
  private readonly entries: ReadonlyMap<SurveyedDelta, readonly Entry[]>;
  private readonly keyed = new Map<BaseFiles, Map<SurveyedDelta, readonly KeyedEntry[]>>();
  /** The row sets of files whose owner is certain, by tablet and ID in the log. */
  private readonly owners = new Map<string, Set<RowSetGroup>>();

  private constructor(
    logs: ReadonlyMap<string, LoggedWrites>,
    entries: ReadonlyMap<SurveyedDelta, readonly Entry[]>,
  ) {
    this.logs = logs;
    this.entries = entries;
  }

  /** Reads the logs of a server for the first entries of its delta files. */
  static async of(dir: KuduDir, blocks: readonly SurveyedBlock[]): Promise<LogEvidence> {
    const entries = new Map<SurveyedDelta, readonly Entry[]>();
    if (dir.roots.logFolders.length === 0) {
      return new LogEvidence(new Map(), entries);
    }
    for (const block of blocks.filter(isDelta)) {
      entries.set(block, await firstEntries(block));
    }
    const wanted = new Set([...entries.values()].flat().map(({ timestamp }) => timestamp));
    return new LogEvidence(await readLoggedWrites(dir, wanted), entries);
  }

  /** Whether delta files belong to a row set of a tablet. */
  private async verdictOn(
    files: readonly PossibleFile[],
    group: RowSetGroup,
    tablet: string,
  ): Promise<Verdict> {
    const log = this.logs.get(tablet);
    if (log === undefined) {
      return "unknown";
    }
    let verdict: Verdict = "unknown";
    for (const { block, kind } of files) {
      for (const entry of await this.entriesIn(block, group)) {
        const one = log.verdictOn(entry, kind);
        if (one === "contradicted") {
          return one;
        }
        verdict = one === "confirmed" ? one : verdict;
      }
    }
    return verdict;
  }

  /** Like {@link verdictOn}, for each table and tablet of the row set. */
  private async verdictsOn(files: readonly PossibleFile[], group: RowSetGroup): Promise<readonly Verdict[]> {
    const verdicts: Verdict[] = [];
    for (const { tablet } of group.places) {
      verdicts.push(tablet === undefined ? "unknown" : await this.verdictOn(files, group, tablet.id));
    }
    return verdicts;
  }

  /** Like {@link verdictOn}, for the tablets that the row set may belong to. */
  private async verdictOnAny(files: readonly PossibleFile[], group: RowSetGroup): Promise<Verdict> {
    const verdicts = await this.verdictsOn(files, group);
    return verdicts.includes("confirmed")
      ? "confirmed"
      : verdicts.includes("unknown")
        ? "unknown"
        : "contradicted";
  }

  /** The tables and tablets of a row set that the logs do not exclude by its own files; only those that they confirm, if there are any. */
  async narrowPlaces(group: RowSetGroup): Promise<readonly TablePlace[]> {
    const files = [
      ...group.undo.map((block) => ({ block, kind: "undo" as const })),
      ...group.redo.map((block) => ({ block, kind: "redo" as const })),
    ];
    if (this.logs.size === 0 || group.places.length <= 1) {
      return group.places;
    }
    return narrowed(group.places, await this.verdictsOn(files, group));
  }

  /** The matches whose row sets the logs do not exclude; only those that they confirm, if there are any. */
  async narrow<T extends { readonly group: RowSetGroup; readonly kind?: DeltaKind }>(
    files: readonly SurveyedDelta[],
    matches: readonly T[],
  ): Promise<readonly T[]> {
    if (this.logs.size === 0) {
      return matches;
    }
    const verdicts: Verdict[] = [];
    for (const { group, kind } of matches) {
      const possible = files.map((block) => ({ block, kind }));
      verdicts.push(await this.verdictOnAny(possible, group));
    }
    return narrowed(matches, verdicts);
  }

  /** Whether the logs have the writes that made files, for each of these row sets. */
  async confirm(
    files: readonly SurveyedDelta[],
    matches: readonly { readonly group: RowSetGroup; readonly kind?: DeltaKind }[],
  ): Promise<boolean> {
    for (const { group, kind } of matches) {
      const possible = files.map((block) => ({ block, kind }));
      if ((await this.verdictOnAny(possible, group)) !== "confirmed") {
        return false;
      }
    }
    return true;
  }

  /** Learns the ID of a row set in the log from one of its REDO files. */
  async learn(file: SurveyedDelta, group: RowSetGroup): Promise<void> {
    const id = await this.idIn(file, group);
    if (id !== undefined) {
      this.owners.set(id, (this.owners.get(id) ?? new Set()).add(group));
    }
  }

  /** Whether a REDO file changes a row set whose ID in the log belongs to a different row set. */
  async isOfOther(file: SurveyedDelta, group: RowSetGroup): Promise<boolean> {
    const id = await this.idIn(file, group);
    const owners = id === undefined ? undefined : this.owners.get(id);
    return owners !== undefined && !owners.has(group);
  }

  /** The tablet and ID of the row set that a file changes, if its log names only one. */
  private async idIn(file: SurveyedDelta, group: RowSetGroup): Promise<string | undefined> {
    const tablet = group.place?.tablet?.id;
    const log = tablet === undefined ? undefined : this.logs.get(tablet);
    const ids = new Set<bigint>();
    for (const { timestamp, key } of (log && (await this.entriesIn(file, group))) ?? []) {
      const [id, ...others] = new Set(log?.rowSetsOf(timestamp, key));
      // While a compaction runs, writes go to two row sets.
      if (id === undefined || others.length > 0) {
        return undefined;
      }
      ids.add(id);
    }
    return ids.size === 1 ? `${tablet} ${[...ids].join()}` : undefined;
  }

  /** The entries of a file with the keys of their rows in a row set. The row set must have these rows. */
  private async entriesIn(file: SurveyedDelta, { base }: RowSetGroup): Promise<readonly KeyedEntry[]> {
    const known = this.keyed.get(base) ?? new Map<SurveyedDelta, readonly KeyedEntry[]>();
    this.keyed.set(base, known);
    const found = known.get(file);
    if (found !== undefined) {
      return found;
    }
    const entries = this.entries.get(file) ?? [];
    const rows = entries.map(({ row }) => row);
    const types = base.keyColumns.map(({ type }) => type);
    const cells = await Promise.all(
      base.keyColumns.map(async ({ source }) =>
        (await openCFile(source, { cacheBytes: 0 })).getMany(rows, { strings: "bytes" }),
      ),
    );
    const keyed = entries.map((entry, i) => {
      const values = cells.map((column) => column[i]).filter(isKeyValue);
      return { ...entry, key: toHex(encodeCompositeKey(types, values)) };
    });
    known.set(file, keyed);
    return keyed;
  }
}

function narrowed<T>(all: readonly T[], verdicts: readonly Verdict[]): readonly T[] {
  const wanted = verdicts.includes("confirmed") ? "confirmed" : "unknown";
  const left = all.filter((_, i) => verdicts[i] === wanted);
  return left.length > 0 ? left : all;
}

function isKeyValue(cell: CellValue | undefined): cell is KeyValue {
  return typeof cell === "number" || typeof cell === "bigint" || cell instanceof Uint8Array;
}

/** The first entries of a delta file, up to damage. */
async function firstEntries({ source }: SurveyedDelta): Promise<readonly Entry[]> {
  const found: Entry[] = [];
  await unlessDamaged(async () => {
    const reader = await openDeltaFile(source, { cacheBytes: 0 });
    for await (const { length, rows, timestamps, types, offsets, data } of reader.entries()) {
      for (let i = 0; i < length && found.length < MAX_ENTRIES; i++) {
        found.push({
          row: rows[i] as number,
          timestamp: timestamps[i] as bigint,
          type: types[i] as ChangeType,
          mutations: data.slice(offsets[i], offsets[i + 1]),
        });
      }
      if (found.length >= MAX_ENTRIES) {
        break;
      }
    }
  });
  return found;
}
