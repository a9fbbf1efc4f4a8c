/**
 * Tables for row sets that no known table fits: one for each list of columns. Their names say that they are guesses. The ID of each
 * column, its position, is also a guess.
 */
import type { BaseFiles } from "../columns/base-files.js";
import { type GivenColumn, type KnownTable, tableOfColumns } from "./known-tables.js";

/** One table for each list of columns among the row sets that have all of their columns. */
export function guessedTables(bases: readonly BaseFiles[]): readonly KnownTable[] {
  const schemas = new Map<string, readonly GivenColumn[]>();
  for (const { slots, keyColumns, isMixed } of bases) {
    const files = slots.filter((slot) => slot !== undefined);
    if (files.length === slots.length && !isMixed && files.every(({ kind }) => kind !== "damaged")) {
      const columns = files.map(({ type, nullable, array }, i) => ({
        name: `column_${i}`,
        type,
        nullable,
        array,
        isKey: i < keyColumns.length,
      }));
      schemas.set(JSON.stringify(columns), columns);
    }
  }
  return [...schemas.values()].map((columns, i) => tableOfColumns(`guess_${i}`, columns, "guess"));
}
