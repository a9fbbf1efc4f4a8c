/** The column in every encoding and codec, and exports. */
import type { Progress } from "@cfile/bytes";
import { lazy, Suspense } from "preact/compat";
import { useState } from "preact/hooks";
import type { CandidateView, ExportFormat } from "../../protocol.js";
import { count, Running } from "../parts/basics.js";
import { useCall } from "../use-call.js";
import type { PaneProps } from "../worker-client.js";
import { ExportBar } from "./export-bar.js";

const Chart = lazy(() =>
  import("../parts/chart.js").then(({ CandidatesChart }) => ({ default: CandidatesChart })),
);

type Form = Pick<CandidateView, "encoding" | "compression">;

const FORMATS: readonly ExportFormat[] = ["cfile", "csv", "ndjson", "arrow", "parquet"];

export function ComparePane({ client, doc, theme }: PaneProps & { readonly theme: string }) {
  const [progress, setProgress] = useState<Progress>();
  const [chosen, setChosen] = useState<Form>();
  const { result, error, stop } = useCall(client, "compare", { id: doc.id }, setProgress);
  return (
    <section class="pane compare" aria-label="Compare and export">
      <ExportBar client={client} doc={doc} formats={FORMATS} form={chosen} />
      {stop !== undefined && (
        <div class="bar">
          <Running progress={progress} label="Combinations tried" onCancel={stop} />
          <span class="message">Writing and reading the column in every encoding and codec</span>
        </div>
      )}
      {error !== undefined && <p class="error">{error}</p>}
      {result !== undefined && (
        <>
          <p class="hint">
            {result.rows === result.rowsTotal
              ? `All ${count(result.rows)} rows`
              : `${count(result.rows)} of ${count(result.rowsTotal)} rows, from four sections of the file,`}{" "}
            written and read in this browser. Speeds are from a single run.
          </p>
          <Suspense fallback={<p class="hint">Drawing…</p>}>
            <Chart candidates={result.candidates} theme={theme} />
          </Suspense>
          <Candidates {...result} chosen={chosen} onChoose={setChosen} />
        </>
      )}
    </section>
  );
}

interface CandidatesProps {
  readonly candidates: readonly CandidateView[];
  readonly chosen: Form | undefined;
  readonly onChoose: (form: Form | undefined) => void;
}

function Candidates({ candidates, chosen, onChoose }: CandidatesProps) {
  const smallest = Math.min(...candidates.map(({ bytes }) => bytes));
  return (
    <table class="top">
      <caption>Choose an encoding and codec for the export</caption>
      <thead>
        <tr>
          <th scope="col">Encoding</th>
          <th scope="col">Codec</th>
          {["Bytes", "Bytes per row", "Write, M rows/s", "Read, M rows/s"].map((name) => (
            <th key={name} scope="col" class="num">
              {name}
            </th>
          ))}
          <th scope="col">Export</th>
        </tr>
      </thead>
      <tbody>
        {candidates.map((one) => {
          const { encoding, compression, bytes, current } = one;
          const isChosen = chosen?.encoding === encoding && chosen.compression === compression;
          const action = isChosen ? "chosen" : "choose";
          return (
            <tr key={`${encoding}${compression}`} class={current ? "current" : ""}>
              <td>
                {encoding}
                {current && <small> this file</small>}
              </td>
              <td>{compression}</td>
              <td class="num">
                {count(bytes)}
                {bytes === smallest && <small> smallest</small>}
              </td>
              <td class="num">{one.bytesPerRow.toFixed(2)}</td>
              <td class="num">{(one.writeRowsPerSecond / 1e6).toFixed(1)}</td>
              <td class="num">{(one.readRowsPerSecond / 1e6).toFixed(1)}</td>
              <td>
                <button
                  type="button"
                  aria-pressed={isChosen}
                  aria-label={`${action} ${encoding}, ${compression}`}
                  onClick={() => onChoose(isChosen ? undefined : { encoding, compression })}
                >
                  {action}
                </button>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
