// Generated from the files in proto/ by `pnpm proto`. Do not edit.
import type { MessageReader } from "@cfile/protobuf/read";

export interface DeltaStats {
  readonly deleteCount: number;
  readonly minTimestamp: bigint;
  readonly maxTimestamp: bigint;
  readonly columnStats: readonly ColumnStats[];
  readonly reinsertCount?: number | undefined;
}

export function decodeDeltaStats(reader: MessageReader, into?: DeltaStats): DeltaStats {
  let deleteCount = into?.deleteCount;
  let minTimestamp = into?.minTimestamp;
  let maxTimestamp = into?.maxTimestamp;
  const columnStats: ColumnStats[] = into ? [...into.columnStats] : [];
  let reinsertCount = into?.reinsertCount;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        deleteCount = reader.count("delete_count");
        break;
      case 3:
        minTimestamp = reader.fixed64("min_timestamp");
        break;
      case 4:
        maxTimestamp = reader.fixed64("max_timestamp");
        break;
      case 5:
        columnStats.push(decodeColumnStats(reader.message("column_stats")));
        break;
      case 6:
        reinsertCount = reader.count("reinsert_count");
        break;
      default:
        reader.skip();
    }
  }
  return {
    deleteCount: reader.required(deleteCount, "delete_count"),
    minTimestamp: reader.required(minTimestamp, "min_timestamp"),
    maxTimestamp: reader.required(maxTimestamp, "max_timestamp"),
    columnStats,
    reinsertCount,
  };
}

export interface ColumnStats {
  readonly colId: number;
  readonly updateCount?: number | undefined;
}

export function decodeColumnStats(reader: MessageReader, into?: ColumnStats): ColumnStats {
  let colId = into?.colId;
  let updateCount = into?.updateCount;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        colId = reader.int32("col_id");
        break;
      case 2:
        updateCount = reader.count("update_count");
        break;
      default:
        reader.skip();
    }
  }
  return {
    colId: reader.required(colId, "col_id"),
    updateCount,
  };
}
