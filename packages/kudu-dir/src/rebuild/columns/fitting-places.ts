/** Finds the tables and tablets that a row set fits, by columns, keys of all rows, times, and the replicas of the server. */

import { FIRST_HYBRID } from "../deltas/delta-fit.js";
import type { LogEvidence } from "../logs/log-evidence.js";
import type { RebuildChoices } from "../rebuild-choices.js";
import type { TablePlace } from "../row-set-group.js";
import type { SurveyedDelta } from "../survey-blocks.js";
import { fittingTablets } from "../tables/fitting-tablets.js";
import type { KnownTable, KnownTablet } from "../tables/known-tables.js";
import { alignColumns } from "./align-columns.js";
import type { BaseFiles } from "./base-files.js";

/** The tables to choose from, and the facts that limit the choice. */
export interface PlaceContext {
  readonly tables: readonly KnownTable[];
  /** Tables for row sets that fit none of `tables`. */
  readonly guesses: readonly KnownTable[];
  /** The server's UUID. */
  readonly server: string | undefined;
  readonly choices: RebuildChoices;
  readonly evidence: Pick<LogEvidence, "logs">;
}

const CLOCK_SLACK_MILLISECONDS = 10_000;

/** @param undo the known UNDO files of the row set, which have its first changes */
export async function fittingPlaces(
  base: BaseFiles,
  undo: readonly SurveyedDelta[],
  context: PlaceContext,
): Promise<readonly TablePlace[]> {
  const { tables, guesses, server, choices, evidence } = context;
  const known = await placesIn(tables, base, undo);
  const places = known.length > 0 ? known : await placesIn(guesses, base, []);
  const chosen = choices.tablets?.get(base.id);
  if (chosen !== undefined) {
    return places.filter(({ tablet }) => tablet?.id === chosen);
  }
  const here = places.filter(
    ({ tablet }) => tablet === undefined || isOn(tablet, server) || evidence.logs.has(tablet.id),
  );
  return here.length > 0 ? here : places;
}

async function placesIn(
  tables: readonly KnownTable[],
  base: BaseFiles,
  undo: readonly SurveyedDelta[],
): Promise<readonly TablePlace[]> {
  const places: TablePlace[] = [];
  for (const table of tables) {
    const { found, isComplete } = alignColumns(base, table);
    if (found.length > 0 && existedAt(table, timesOf(base, undo))) {
      const tablets = table.tablets.length === 0 ? [undefined] : await fittingTablets(table, base.keyColumns);
      // Without a master, a table can have more tablets than are known.
      const all = tablets.length === 0 && table.createdAt === undefined ? [undefined] : tablets;
      places.push(
        ...all.flatMap((tablet) => found.map((alignment) => ({ table, tablet, alignment, isComplete }))),
      );
    }
  }
  return places;
}

function isOn({ servers }: KnownTablet, server: string | undefined): boolean {
  return server === undefined || servers.length === 0 || servers.includes(server);
}

/** Times of the first changes of a row set and of the creation of its files, in microseconds. */
function timesOf({ key }: BaseFiles, undo: readonly SurveyedDelta[]): readonly bigint[] {
  const changes = undo.map(({ deltas }) => deltas.minTimestamp);
  const hybrid = changes.filter((change) => change >= FIRST_HYBRID).map((change) => change >> 12n);
  return key.createdAt === undefined ? hybrid : [...hybrid, key.createdAt];
}

function existedAt({ createdAt }: KnownTable, times: readonly bigint[]): boolean {
  return times.every(
    (time) => createdAt === undefined || Number(time / 1000n) + CLOCK_SLACK_MILLISECONDS >= createdAt,
  );
}
