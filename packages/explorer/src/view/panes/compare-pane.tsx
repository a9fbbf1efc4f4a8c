/** What each encoding and codec would make of the column, and exports. */
import type { Progress } from "@cfile/bytes";
import { lazy, Suspense } from "preact/compat";
import { useEffect, useState } from "preact/hooks";
import type { CompareView, DocView, ExportFormat } from "../../protocol.js";
import { errorText, isCancelled, type WorkerClient } from "../worker-client.js";
import { ExportBar } from "./export-bar.js";

const Chart = lazy(() =>
  import("../parts/chart.js").then(({ CandidatesChart }) => ({ default: CandidatesChart })),
);

export interface ComparePaneProps {
  readonly client: WorkerClient;
  readonly doc: DocView;
  readonly theme: string;
}

export function ComparePane({ client, doc, theme }: ComparePaneProps) {
  const [result, setResult] = useState<CompareView>();
  const [progress, setProgress] = useState<Progress>();
  const [message, setMessage] = useState("");
  const [abort, setAbort] = useState<AbortController>();
  const [chosen, setChosen] = useState<{ encoding: string; compression: string }>();
  useEffect(() => {
    const stop = new AbortController();
    setAbort(stop);
    client
      .call("compare", { id: doc.id, column: 0 }, { signal: stop.signal, onProgress: setProgress })
      .then(setResult)
      .catch((error) => setMessage(isCancelled(error) ? "Stopped." : errorText(error)))
      .finally(() => setAbort(undefined));
    return () => stop.abort();
  }, [client, doc.id]);
  const least = Math.min(...(result?.candidates ?? []).map(({ bytes }) => bytes));
  const formats: readonly ExportFormat[] = ["cfile", "csv", "ndjson", "arrow", "parquet"];
  return (
    <section class="pane compare" aria-label="Compare and export">
      <ExportBar client={client} doc={doc} formats={formats} form={chosen} />
      {abort !== undefined && (
        <div class="bar">
          <progress max={progress?.total ?? 1} value={progress?.done ?? 0} aria-label="Forms tried" />
          <button type="button" onClick={() => abort.abort()}>
            Cancel
          </button>
          <span class="message">Writing and reading the column in every form</span>
        </div>
      )}
      {message !== "" && <p class="error">{message}</p>}
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
          <table class="top">
            <caption>Choose a form to export the column in it</caption>
            <thead>
              <tr>
                <th scope="col">Encoding</th>
                <th scope="col">Codec</th>
                <th scope="col" class="num">
                  Bytes
                </th>
                <th scope="col" class="num">
                  Bytes a row
                </th>
                <th scope="col" class="num">
                  Written, M rows/s
                </th>
                <th scope="col" class="num">
                  Read, M rows/s
                </th>
                <th scope="col">Export</th>
              </tr>
            </thead>
            <tbody>
              {result.candidates.map((one) => {
                const {
                  encoding,
                  compression,
                  bytes,
                  bytesPerRow,
                  writeRowsPerSecond,
                  readRowsPerSecond,
                  current,
                } = one;
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
                    <td class="num">{bytesPerRow.toFixed(2)}</td>
                    <td class="num">{(writeRowsPerSecond / 1e6).toFixed(1)}</td>
                    <td class="num">{(readRowsPerSecond / 1e6).toFixed(1)}</td>
                    <td>
                      <button
                        type="button"
                        aria-pressed={isChosen}
                        aria-label={`${isChosen ? "chosen" : "choose"} ${encoding}, ${compression}`}
                        onClick={() => setChosen(isChosen ? undefined : { encoding, compression })}
                      >
                        {isChosen ? "chosen" : "choose"}
                      </button>
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </>
      )}
    </section>
  );
}
