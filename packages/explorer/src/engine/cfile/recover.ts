/** What recovery would save, and the file that it makes. */
import type { DataType } from "@cfile/encodings";
import type { RecoveryLedger } from "@cfile/format/recover";
import type { ByteSource } from "@cfile/io";
import { recoverCFile } from "cfile/recover";
import type { Exported, RecoveryView } from "../../protocol.js";
import { countText } from "../cells.js";
import type { Work } from "../docs/doc.js";
import { unclosable } from "../docs/unclosable.js";
import { BlobSink } from "../export/blob-sink.js";

const MOST_LINES = 200;

export function recoveryView(ledger: RecoveryLedger): RecoveryView {
  const lost = [
    ...ledger.parts
      .filter(({ state }) => state !== "valid")
      .map(({ part, state, problem }) => `${part}: ${state}${problem ? `, ${problem.reason}` : ""}`),
    ...ledger.blocks
      .filter(({ state }) => state === "lost")
      .map(({ firstRow, rows, problem }) => {
        const last = firstRow === undefined || rows === undefined ? undefined : firstRow + rows - 1;
        const which =
          last === undefined
            ? "rows that nobody can tell"
            : `rows ${countText(firstRow ?? 0)} to ${countText(last)}`;
        return `${which} lost${problem ? `: ${problem.reason}` : ""}`;
      }),
  ];
  return {
    rowsKept: ledger.rowsKept,
    rowsLost: ledger.rowsLost,
    rowsUnverified: ledger.rowsUnverified,
    rowsTotal: ledger.rowsTotal,
    lost: lost.slice(0, MOST_LINES),
  };
}

/** The file of all rows that can be trusted; lost rows are nulls, so that the others keep their numbers. */
export async function recoverBlob(
  source: ByteSource,
  title: string,
  type: string | undefined,
  { signal, progress }: Work,
): Promise<Exported> {
  const sink = new BlobSink("application/octet-stream");
  const { ledger } = await recoverCFile(unclosable(source), sink, {
    lost: "null",
    signal,
    ...(type === undefined ? {} : { type: type as DataType }),
    onProgress: progress,
  });
  return {
    name: `${title.replace(/\.cfile$/, "")}.recovered.cfile`,
    blob: sink.blob(),
    rows: ledger.rowsKept,
  };
}
