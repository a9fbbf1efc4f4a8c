/** Export buttons, with progress and a way to stop. */
import type { CandidateView, ExportFormat } from "../../protocol.js";
import { count, Message, Running } from "../parts/basics.js";
import { saveFile } from "../save-file.js";
import { useAction } from "../use-call.js";
import type { PaneProps } from "../worker-client.js";

interface ExportBarProps extends PaneProps {
  readonly formats: readonly ExportFormat[];
  /** Encoding and codec of a new CFile; default: those of the file. */
  readonly form?: Pick<CandidateView, "encoding" | "compression"> | undefined;
}

const NAMES: Readonly<Record<ExportFormat, string>> = {
  cfile: "CFile",
  csv: "CSV",
  ndjson: "NDJSON",
  arrow: "Arrow",
  parquet: "Parquet",
};

export function ExportBar({ client, doc, formats, form }: ExportBarProps) {
  const { message, progress, run, stop } = useAction();
  const save = (format: ExportFormat) =>
    run("", async (options) => {
      const request = { id: doc.id, format, ...(format === "cfile" ? form : {}) };
      const made = await client.call("export", request, options);
      saveFile(made);
      return `${made.name}: ${count(made.rows)} rows, ${count(made.blob.size)} bytes`;
    });
  return (
    <div class="bar export">
      <span>Save as</span>
      {formats.map((format) => (
        <button key={format} type="button" disabled={stop !== undefined} onClick={() => save(format)}>
          {NAMES[format]}
          {format === "cfile" && form !== undefined && ` (${form.encoding}, ${form.compression})`}
        </button>
      ))}
      {stop !== undefined && <Running progress={progress} label="Rows written" onCancel={stop} />}
      <Message>{message}</Message>
    </div>
  );
}
