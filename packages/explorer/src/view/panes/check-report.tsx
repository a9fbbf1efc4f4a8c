/** What a check found, and what recovery would save. */
import { useState } from "preact/hooks";
import type { CheckView, DocView } from "../../protocol.js";
import { saveFile } from "../save-file.js";
import { errorText, type WorkerClient } from "../worker-client.js";

const MOST_PROBLEMS = 50;

export interface CheckReportProps {
  readonly client: WorkerClient;
  readonly doc: DocView;
  readonly report: CheckView;
}

export function CheckReport({ client, doc, report }: CheckReportProps) {
  const [message, setMessage] = useState("");
  const { ok, checksums, problems, recovery } = report;
  if (ok) {
    return (
      <p class="verdict sound-text">
        ✓ Everything is sound
        {checksums ? "; all checksums match" : ", as far as a file without checksums can tell"}.
      </p>
    );
  }
  const save = async (): Promise<void> => {
    setMessage("Saving…");
    try {
      saveFile(await client.call("recover", { id: doc.id }));
      setMessage("Saved.");
    } catch (error) {
      setMessage(errorText(error));
    }
  };
  const canSave = doc.kind === "column" || doc.kind === "damaged";
  return (
    <section class="verdict" aria-label="Damage">
      <h2 class="damaged-text">✗ This file is damaged</h2>
      <ul>
        {problems.slice(0, MOST_PROBLEMS).map(({ code, reason, place }, i) => (
          <li key={i}>
            <strong>{code}</strong> {reason} {place !== "" && <small>{place}</small>}
          </li>
        ))}
        {problems.length > MOST_PROBLEMS && <li>and {problems.length - MOST_PROBLEMS} more</li>}
      </ul>
      {recovery !== undefined && (
        <div class="recovery">
          <p>
            <strong>Recovery saves {whole(recovery.rowsKept)} rows</strong>
            {recovery.rowsTotal === undefined ? "" : ` of ${whole(recovery.rowsTotal)}`}
            {recovery.rowsLost > 0 && `; ${whole(recovery.rowsLost)} are lost`}
            {recovery.rowsUnverified > 0 && `; no checksum vouches for ${whole(recovery.rowsUnverified)}`}.
          </p>
          {recovery.lost.length > 0 && (
            <ul>
              {recovery.lost.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          )}
          {canSave && (
            <button type="button" onClick={save}>
              Save the rows as a new file
            </button>
          )}
          <span class="message" role="status">
            {message}
          </span>
        </div>
      )}
    </section>
  );
}

function whole(value: number): string {
  return value.toLocaleString("en-US");
}
