/** Columns of tables whose tablets may have schemas of different age. */
import type { KuduTablet } from "@cfile/kudu-dir";
import type { KuduColumn } from "@cfile/kudu-dir/catalog";
import { UsageError } from "../program/exit-code.js";

/** The columns of the table's last schema that the server has, in the order asked for. */
export function columnsOf(
  tablets: readonly KuduTablet[],
  names: readonly string[] | undefined,
): readonly KuduColumn[] {
  const newest = tablets.reduce<KuduTablet | undefined>(
    (last, tablet) =>
      last === undefined || tablet.superblock.schemaVersion > last.superblock.schemaVersion ? tablet : last,
    undefined,
  );
  const known = newest?.schema.columns ?? [];
  return (
    names?.map((name) => {
      const column = known.find((candidate) => candidate.name === name);
      if (column === undefined) {
        const all = known.map((candidate) => candidate.name).join(", ");
        throw new UsageError(`--columns: there is no column "${name}"; there are ${all}`);
      }
      return column;
    }) ?? known
  );
}

/** What a tablet calls them, whose schema may be an older one. */
export function namesIn(tablet: KuduTablet, columns: readonly KuduColumn[]): readonly string[] {
  return columns.map(
    ({ id, name }) => tablet.schema.columns.find((column) => column.id === id)?.name ?? name,
  );
}
