/** What each encoding and codec would make of the column, and exports. */
import type { Progress } from "@cfile/bytes";
import { lazy, Suspense } from "preact/compat";
import { useState } from "preact/hooks";
import type { CandidateView, DocView, ExportFormat } from "../../protocol.js";
import { useCall } from "../use-call.js";
import type { WorkerClient } from "../worker-client.js";
import { ExportBar } from "./export-bar.js";

const Chart = lazy(() =>
  import("../parts/chart.js").then(({ CandidatesChart }) => ({ default: CandidatesChart })),
);

export interface ComparePaneProps {
  readonly client: WorkerClient;
  readonly doc: DocView;
  readonly theme: string;
}

type Form = Pick<CandidateView, "encoding" | "compression">;

const FORMATS: readonly ExportFormat[] = ["cfile", "csv", "ndjson", "arrow", "parquet"];

export function ComparePane({ client, doc, theme }: ComparePaneProps) {
  const [progress, setProgress] = useState<Progress>();
  const [chosen, setChosen] = useState<Form>();
  const { result, error, stop } = useCall(client, "compare", { id: doc.id, column: 0 }, setProgress);
  return (
    <section class="pane compare" aria-label="Compare and export">
      <ExportBar client={client} doc={doc} formats={FORMATS} form={chosen} />
      {stop !== undefined && (
        <div class="bar">
          <progress max={progress?.total ?? 1} value={progress?.done ?? 0} aria-label="Forms tried" />
          <button type="button" onClick={stop}>
            Cancel
          </button>
          <span class="message">Writing and reading the column in every form</span>
        </div>
      )}
      {error !== undefined && <p class="error">{error}</p>}
      {result !== undefined && (
        <>
          <p class="hint">
            {result.rows === result.rowsTotal
              ? `All ${result.rows.toLocaleString("en-US")} rows`
              : `${result.rows.toLocaleString("en-US")} of ${result.rowsTotal.toLocaleString("en-US")} rows, from four places of the file,`}{" "}
            written and read in this browser. Speeds are of one run.
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
  const least = Math.min(...candidates.map(({ bytes }) => bytes));
  return (
    <table class="top">
      <caption>Choose a form to export the column in it</caption>
      <thead>
        <tr>
          <th scope="col">Encoding</th>
          <th scope="col">Codec</th>
          {["Bytes", "Bytes a row", "Written, M rows/s", "Read, M rows/s"].map((name) => (
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
          return (
            <tr key={`${encoding}${compression}`} class={current ? "current" : ""}>
              <td>
                {encoding}
                {current && <small> this file</small>}
              </td>
              <td>{compression}</td>
              <td class="num">
                {bytes.toLocaleString("en-US")}
                {bytes === least && <small> least</small>}
              </td>
              <td class="num">{one.bytesPerRow.toFixed(2)}</td>
              <td class="num">{(one.writeRowsPerSecond / 1e6).toFixed(1)}</td>
              <td class="num">{(one.readRowsPerSecond / 1e6).toFixed(1)}</td>
              <td>
                <button
                  type="button"
                  aria-pressed={isChosen}
                  aria-label={`${isChosen ? "chosen" : "choose"} ${encoding}, ${compression}`}
                  onClick={() => onChoose(isChosen ? undefined : { encoding, compression })}
                >
                  {isChosen ? "chosen" : "choose"}
                </button>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
