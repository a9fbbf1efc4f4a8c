/** A row set while its files are being found. */

import type { ColumnAlignment } from "./columns/align-columns.js";
import type { BaseFiles } from "./columns/base-files.js";
import type { NearbyDelta } from "./deltas/run-deltas.js";
import type { SurveyedBlock, SurveyedDelta } from "./survey-blocks.js";
import type { KnownTable, KnownTablet } from "./tables/known-tables.js";

/** A table and tablet that a row set may belong to. */
export interface TablePlace {
  readonly table: KnownTable;
  /** `undefined` for a table without known tablets. */
  readonly tablet: KnownTablet | undefined;
  readonly alignment: ColumnAlignment;
  /** Whether all alignments with the table are known. */
  readonly isComplete: boolean;
}

/** A file of a row set, and how it was found. */
export interface FoundFile {
  readonly block: SurveyedBlock;
  /** `column ID`, `bloom`, `adhoc-index`, `undo` or `redo`. */
  readonly role: string;
  readonly evidence: string;
}

export class RowSetGroup {
  readonly base: BaseFiles;
  /** Tables and tablets that it may belong to; one if that is certain. */
  places: readonly TablePlace[];
  readonly files: FoundFile[] = [];
  /** Files by column ID, once the table is certain. */
  readonly columns = new Map<number, SurveyedBlock>();
  /** Newest first. */
  readonly undo: SurveyedDelta[] = [];
  /** Oldest first. */
  readonly redo: SurveyedDelta[] = [];
  /** Timestamp of the last change that was already in the base data when it was written. */
  flushedUntil = 0n;
  /** The order of the last column of each major delta compaction, which replaced all earlier REDO files. */
  readonly compactions: bigint[] = [];
  /** Delta files that may belong to it by their position. */
  nearby: readonly NearbyDelta[] = [];
  /** Delta files that may belong to it, or to others. */
  readonly possibleDeltas: SurveyedBlock[] = [];
  /** Whether its columns may be those of row sets that were written at the same time. */
  isUnclear: boolean;
  /** Why its base files or its table are not certain. */
  readonly doubts: string[] = [];

  constructor(base: BaseFiles, places: readonly TablePlace[]) {
    this.base = base;
    this.places = places;
    this.isUnclear = base.isMixed;
  }

  get id(): bigint {
    return this.base.id;
  }

  /** The only table and tablet that it can belong to. */
  get place(): TablePlace | undefined {
    const [only, ...others] = this.places;
    return only?.isComplete === true && others.length === 0 ? only : undefined;
  }

  /** Whether all alignments are known. */
  private get isComplete(): boolean {
    return this.places.every(({ isComplete }) => isComplete);
  }

  /** One of the candidates, which represents all of them, if all name the same columns. */
  get shape(): TablePlace | undefined {
    const [first, ...others] = this.places;
    const isShared = others.every((other) => shapeText(other) === (first && shapeText(first)));
    return isShared && this.isComplete ? first : undefined;
  }

  /** The IDs of columns of the current schema whose original files are gone. */
  missing(): readonly number[] {
    const { alignment = [] } = this.shape ?? {};
    return alignment.flatMap((id, i) =>
      id !== undefined && this.base.slots[i] === undefined && !this.columns.has(id) ? [id] : [],
    );
  }

  /** Drops alignments with columns that were not found, and those that lead to the same files, unless there may be others. */
  settle(): void {
    if (!this.isComplete || this.isUnclear) {
      return;
    }
    const isWhole = ({ alignment }: TablePlace): boolean =>
      alignment.every(
        (id, i) => id === undefined || this.base.slots[i] !== undefined || this.columns.has(id),
      );
    const whole = this.places.filter(isWhole);
    const found = new Map<string, TablePlace>();
    for (const place of whole) {
      const { alignment, table, tablet } = place;
      const inPlace = alignment.map((id, i) => (this.base.slots[i] === undefined ? undefined : id));
      const key = JSON.stringify([table.id, tablet?.id, inPlace]);
      found.set(key, found.get(key) ?? place);
    }
    this.places = whole.length > 0 ? [...found.values()] : this.places;
  }

  add(file: FoundFile): void {
    this.files.push(file);
  }

  /** Does nothing if the column has a file. */
  addColumn(id: number, block: SurveyedBlock, evidence: string): void {
    if (!this.columns.has(id)) {
      this.columns.set(id, block);
      this.add({ block, role: `column ${id}`, evidence });
    }
  }

  addUndo(block: SurveyedDelta, evidence: string): void {
    this.undo.push(block);
    this.undo.sort((left, right) => byTime(right, left));
    this.add({ block, role: "undo", evidence });
  }

  addRedo(block: SurveyedDelta, evidence: string): void {
    this.redo.push(block);
    this.redo.sort(byTime);
    this.add({ block, role: "redo", evidence });
  }
}

function shapeText({ alignment, table }: TablePlace): string {
  const columns = table.schema.columns.map(({ id, type, nullable, array }) => [id, type, nullable, array]);
  return JSON.stringify([alignment, columns]);
}

/** Oldest first. A flush can come between changes with the same time. */
function byTime(left: SurveyedDelta, right: SurveyedDelta): number {
  const difference = left.deltas.minTimestamp - right.deltas.minTimestamp || left.order - right.order;
  return difference < 0n ? -1 : 1;
}
