/** The profile of a column. */
import type { Progress } from "@cfile/bytes";
import { lazy, Suspense } from "preact/compat";
import { useState } from "preact/hooks";
import type { ProfileView } from "../../protocol.js";
import { Button, count, Facts, Message, Running } from "../parts/basics.js";
import { useCall } from "../use-call.js";
import type { PaneProps } from "../worker-client.js";

const Chart = lazy(() => import("../parts/chart.js").then(({ Histogram }) => ({ default: Histogram })));

export function ProfilePane({ client, doc, theme }: PaneProps & { readonly theme: string }) {
  const [column, setColumn] = useState(0);
  const [progress, setProgress] = useState<Progress>();
  const argument = { id: doc.id, column };
  const { result: profile, error, stop, again } = useCall(client, "profile", argument, setProgress);
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
          <Button onClick={again}>Compute again</Button>
        ) : (
          <Running progress={progress} total={total} label="Rows read" onCancel={stop} />
        )}
        <Message>{error ?? (stop && `${count(progress?.done ?? 0)} of ${count(total)} rows`)}</Message>
      </div>
      {profile !== undefined && <Profile profile={profile} theme={theme} />}
    </section>
  );
}

function Profile({ profile, theme }: { readonly profile: ProfileView; readonly theme: string }) {
  const { rows, nulls, min, max, distinct, distinctExact, histogram, top, seconds } = profile;
  return (
    <div class="profile-body">
      <Facts
        facts={[
          { label: "Rows", value: count(rows) },
          { label: "Nulls", value: `${count(nulls)} (${share(nulls, rows)})` },
          { label: "Distinct", value: `${distinctExact ? "" : "about "}${count(distinct)}` },
          { label: "Minimum", value: min ?? "none" },
          { label: "Maximum", value: max ?? "none" },
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
      {top.length > 0 && <FrequentValues {...profile} />}
    </div>
  );
}

function FrequentValues({ top, rows }: ProfileView) {
  const highest = top[0]?.count ?? 1;
  return (
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
        {top.map(({ value, count: times }) => (
          <tr key={value}>
            <td>{value === "" ? "(empty)" : value}</td>
            <td class="num">{count(times)}</td>
            <td>
              <span class="share" style={{ width: `${(120 * times) / highest}px` }} /> {share(times, rows)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function share(part: number, whole: number): string {
  return whole === 0 ? "0 %" : `${((100 * part) / whole).toFixed(1)} %`;
}
