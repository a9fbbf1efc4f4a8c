/** The profile of a column, computed in the worker. */
import type { Progress } from "@cfile/bytes";
import { lazy, Suspense } from "preact/compat";
import { useState } from "preact/hooks";
import type { DocView, ProfileView } from "../../protocol.js";
import { useCall } from "../use-call.js";
import type { WorkerClient } from "../worker-client.js";
import { Facts } from "./facts.js";

const Chart = lazy(() => import("../parts/chart.js").then(({ Histogram }) => ({ default: Histogram })));

export interface ProfilePaneProps {
  readonly client: WorkerClient;
  readonly doc: DocView;
  readonly theme: string;
}

export function ProfilePane({ client, doc, theme }: ProfilePaneProps) {
  const [column, setColumn] = useState(0);
  const [progress, setProgress] = useState<Progress>();
  const call = useCall(client, "profile", { id: doc.id, column }, setProgress);
  const { result: profile, error, stop, again } = call;
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
        {stop === undefined ? (
          <button type="button" onClick={again}>
            Compute again
          </button>
        ) : (
          <>
            <progress max={total} value={progress?.done ?? 0} aria-label="Rows read" />
            <button type="button" onClick={stop}>
              Cancel
            </button>
          </>
        )}
        <span class="message" role="status">
          {error ??
            (stop === undefined
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
