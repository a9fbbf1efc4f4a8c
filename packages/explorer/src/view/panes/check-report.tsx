/** The result of a check, and the rows that can be recovered. */
import type { CheckView, RecoveryView } from "../../protocol.js";
import { Button, count, Message } from "../parts/basics.js";
import { saveFile } from "../save-file.js";
import { useAction } from "../use-call.js";
import type { PaneProps } from "../worker-client.js";

const MAX_PROBLEMS = 50;

export function CheckReport({ client, doc, report }: PaneProps & { readonly report: CheckView }) {
  const { ok, checksums, problems, recovery } = report;
  if (ok) {
    return (
      <p class="verdict valid-text">
        ✓ No damage found; {checksums ? "all checksums match" : "the file has no checksums"}.
      </p>
    );
  }
  return (
    <section class="verdict" aria-label="Damage">
      <h2 class="damaged-text">✗ This file is damaged</h2>
      <ul>
        {problems.slice(0, MAX_PROBLEMS).map(({ code, reason, position }, i) => (
          <li key={i}>
            <strong>{code}</strong> {reason} {position !== "" && <small>{position}</small>}
          </li>
        ))}
        {problems.length > MAX_PROBLEMS && <li>and {problems.length - MAX_PROBLEMS} more</li>}
      </ul>
      {recovery !== undefined && <Recovery {...{ client, doc, recovery }} />}
    </section>
  );
}

function Recovery({ client, doc, recovery }: PaneProps & { readonly recovery: RecoveryView }) {
  const { message, run } = useAction();
  const { rowsKept, rowsTotal, rowsLost, rowsUnverified, lost } = recovery;
  const save = () =>
    run("Saving…", async () => {
      saveFile(await client.call("recover", { id: doc.id }));
      return "Saved.";
    });
  return (
    <div class="recovery">
      <p>
        <strong>{count(rowsKept)} rows can be recovered</strong>
        {rowsTotal === undefined ? "" : ` of ${count(rowsTotal)}`}
        {rowsLost > 0 && `; ${count(rowsLost)} are lost`}
        {rowsUnverified > 0 && `; ${count(rowsUnverified)} have no checksum`}.
      </p>
      {lost.length > 0 && (
        <ul>
          {lost.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      {(doc.kind === "column" || doc.kind === "damaged") && (
        <Button onClick={save}>Save the recovered rows</Button>
      )}
      <Message>{message}</Message>
    </div>
  );
}
