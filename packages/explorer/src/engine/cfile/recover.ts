/** The rows that can be recovered, and the recovered file. */
import type { DataType } from "@cfile/encodings";
import type { RecoveryLedger } from "@cfile/format/recover";
import type { ByteSource } from "@cfile/io";
import { recoverCFile } from "cfile/recover";
import type { Exported, RecoveryView } from "../../protocol.js";
import { countText } from "../cells.js";
import type { Work } from "../docs/doc.js";
import { unclosable } from "../docs/stored-part.js";
import { blobSink } from "../export/blob-sink.js";

const MAX_LINES = 200;

export function recoveryView(ledger: RecoveryLedger): RecoveryView {
  const { rowsKept, rowsLost, rowsUnverified, rowsTotal } = ledger;
  const lost = [
    ...ledger.parts
      .filter(({ state }) => state !== "valid")
      .map(({ part, state, problem }) => `${part}: ${state}${problem ? `, ${problem.reason}` : ""}`),
    ...ledger.blocks
      .filter(({ state }) => state === "lost")
      .map(({ firstRow, rows, problem }) => {
        const which =
          firstRow === undefined || rows === undefined
            ? "unknown rows"
            : `rows ${countText(firstRow)} to ${countText(firstRow + rows - 1)}`;
        return `${which} lost${problem ? `: ${problem.reason}` : ""}`;
      }),
  ];
  return { rowsKept, rowsLost, rowsUnverified, rowsTotal, lost: lost.slice(0, MAX_LINES) };
}

/** A file with all valid rows; lost rows are null, so that the others keep their numbers. */
export async function recoverBlob(
  source: ByteSource,
  title: string,
  type: DataType | undefined,
  { signal, progress }: Work,
): Promise<Exported> {
  const sink = blobSink("application/octet-stream");
  const { ledger } = await recoverCFile(unclosable(source), sink, {
    lost: "null",
    signal,
    ...(type !== undefined && { type }),
    onProgress: progress,
  });
  const name = `${title.replace(/\.cfile$/, "")}.recovered.cfile`;
  return { name, blob: sink.blob(), rows: ledger.rowsKept };
}
