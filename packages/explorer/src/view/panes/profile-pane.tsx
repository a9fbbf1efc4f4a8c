/** The profile of a column, computed in the worker. */
import type { Progress } from "@cfile/bytes";
import { lazy, Suspense } from "preact/compat";
import { useEffect, useState } from "preact/hooks";
import type { DocView, ProfileView } from "../../protocol.js";
import { errorText, isCancelled, type WorkerClient } from "../worker-client.js";
import { Facts } from "./facts.js";

const Chart = lazy(() => import("../parts/chart.js").then(({ Histogram }) => ({ default: Histogram })));

export interface ProfilePaneProps {
  readonly client: WorkerClient;
  readonly doc: DocView;
  readonly theme: string;
}

export function ProfilePane({ client, doc, theme }: ProfilePaneProps) {
  const [column, setColumn] = useState(0);
  const [profile, setProfile] = useState<ProfileView>();
  const [progress, setProgress] = useState<Progress>();
  const [message, setMessage] = useState("");
  const [abort, setAbort] = useState<AbortController>();
  const [run, setRun] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    setAbort(stop);
    setProfile(undefined);
    setProgress(undefined);
    setMessage("");
    client
      .call("profile", { id: doc.id, column }, { signal: stop.signal, onProgress: setProgress })
      .then(setProfile)
      .catch((error) => setMessage(isCancelled(error) ? "Stopped." : errorText(error)))
      .finally(() => setAbort(undefined));
    return () => stop.abort();
  }, [client, doc.id, column, run]);
  const total = progress?.total || doc.rowCount || 0;
  return (
    <section class="pane profile" aria-label="Profile">
      <div class="bar">
        {doc.columns.length > 1 && (
          <label>
            Column{" "}
            <select value={column} onChange={(event) => setColumn(Number(event.currentTarget.value))}>
              {doc.columns.map(({ name, type }, i) => (
                <option key={name} value={i}>
                  {name} {type}
                </option>
              ))}
            </select>
          </label>
        )}
        {abort !== undefined && (
          <>
            <progress max={total} value={progress?.done ?? 0} aria-label="Rows read" />
            <button type="button" onClick={() => abort.abort()}>
              Cancel
            </button>
          </>
        )}
        {abort === undefined && (
          <button type="button" onClick={() => setRun(run + 1)}>
            Compute again
          </button>
        )}
        <span class="message" role="status">
          {message ||
            (abort === undefined
              ? ""
              : `${(progress?.done ?? 0).toLocaleString("en-US")} of ${total.toLocaleString("en-US")} rows`)}
        </span>
      </div>
      {profile !== undefined && <Profile profile={profile} theme={theme} />}
    </section>
  );
}

function Profile({ profile, theme }: { readonly profile: ProfileView; readonly theme: string }) {
  const { rows, nulls, min, max, distinct, distinctExact, histogram, top, seconds } = profile;
  const most = top[0]?.count ?? 1;
  return (
    <div class="profile-body">
      <Facts
        facts={[
          { label: "Rows", value: rows.toLocaleString("en-US") },
          { label: "Nulls", value: `${nulls.toLocaleString("en-US")} (${share(nulls, rows)})` },
          { label: "Distinct", value: `${distinctExact ? "" : "about "}${distinct.toLocaleString("en-US")}` },
          { label: "Least", value: min ?? "none" },
          { label: "Greatest", value: max ?? "none" },
          { label: "Computed in", value: `${seconds.toFixed(2)} s` },
        ]}
      />
      {histogram !== undefined && (
        <figure>
          <figcaption>{histogram.title}</figcaption>
          <Suspense fallback={<p class="hint">Drawing…</p>}>
            <Chart histogram={histogram} theme={theme} />
          </Suspense>
        </figure>
      )}
      {top.length > 0 && (
        <table class="top">
          <caption>Most frequent values</caption>
          <thead>
            <tr>
              <th scope="col">Value</th>
              <th scope="col" class="num">
                Rows
              </th>
              <th scope="col">Share</th>
            </tr>
          </thead>
          <tbody>
            {top.map(({ value, count }) => (
              <tr key={value}>
                <td>{value === "" ? "(empty)" : value}</td>
                <td class="num">{count.toLocaleString("en-US")}</td>
                <td>
                  <span class="share" style={{ width: `${(120 * count) / most}px` }} /> {share(count, rows)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

function share(part: number, whole: number): string {
  return whole === 0 ? "0 %" : `${((100 * part) / whole).toFixed(1)} %`;
}
