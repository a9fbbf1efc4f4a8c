/** Exports, with progress and a way to stop. */
import type { Progress } from "@cfile/bytes";
import { useState } from "preact/hooks";
import type { DocView, ExportFormat } from "../../protocol.js";
import { saveFile } from "../save-file.js";
import { errorText, isCancelled, type WorkerClient } from "../worker-client.js";

export interface ExportBarProps {
  readonly client: WorkerClient;
  readonly doc: DocView;
  readonly formats: readonly ExportFormat[];
  /** Encoding and codec of a new CFile; default: as it is. */
  readonly form?: { readonly encoding: string; readonly compression: string } | undefined;
}

const NAMES: Readonly<Record<ExportFormat, string>> = {
  cfile: "CFile",
  csv: "CSV",
  ndjson: "NDJSON",
  arrow: "Arrow",
  parquet: "Parquet",
};

export function ExportBar({ client, doc, formats, form }: ExportBarProps) {
  const [progress, setProgress] = useState<Progress>();
  const [message, setMessage] = useState("");
  const [abort, setAbort] = useState<AbortController>();
  const run = async (format: ExportFormat): Promise<void> => {
    const stop = new AbortController();
    setAbort(stop);
    setMessage("");
    try {
      const request = { id: doc.id, format, ...(format === "cfile" ? form : {}) };
      const made = await client.call("export", request, { signal: stop.signal, onProgress: setProgress });
      saveFile(made);
      setMessage(
        `${made.name}: ${made.rows.toLocaleString("en-US")} rows, ${made.blob.size.toLocaleString("en-US")} bytes`,
      );
    } catch (error) {
      setMessage(isCancelled(error) ? "Stopped." : errorText(error));
    }
    setAbort(undefined);
    setProgress(undefined);
  };
  return (
    <div class="bar export">
      <span>Save as</span>
      {formats.map((format) => (
        <button key={format} type="button" disabled={abort !== undefined} onClick={() => run(format)}>
          {NAMES[format]}
          {format === "cfile" && form !== undefined && ` (${form.encoding}, ${form.compression})`}
        </button>
      ))}
      {abort !== undefined && (
        <>
          <progress max={progress?.total || 1} value={progress?.done ?? 0} aria-label="Rows written" />
          <button type="button" onClick={() => abort.abort()}>
            Cancel
          </button>
        </>
      )}
      <span class="message" role="status">
        {message}
      </span>
    </div>
  );
}
