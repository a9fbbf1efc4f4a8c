/** The replicas of a tablet side by side. */
import { useState } from "preact/hooks";
import type { ComparisonView } from "../../protocol.js";
import { Button, Pending } from "../parts/basics.js";
import { useCall } from "../use-call.js";
import type { PaneProps } from "../worker-client.js";

export function ReplicasPane({ client, doc }: PaneProps) {
  const { result, error } = useCall(client, "replicas", { id: doc.id });
  const [isCompared, setCompared] = useState(false);
  if (result === undefined) {
    return <Pending error={error} hint="Reading the replicas…" />;
  }
  const { replicas, missing } = result;
  const differences = result.rows.filter(({ differs }) => differs).length;
  return (
    <section class="pane replicas" aria-label="Replicas">
      {replicas.length === 0 ? (
        <p class="error">No replica is in the folders.</p>
      ) : (
        <>
          <p class="hint">
            {differences === 0
              ? "No differences."
              : `Rows with ≠ differ between the replicas (${differences}).`}{" "}
            Replicas flush and compact independently: their files differ, their rows do not.
          </p>
          <Comparison caption="What each replica has" comparison={result} />
          {isCompared ? (
            <ComparedRows client={client} doc={doc} />
          ) : (
            <p>
              <Button onClick={() => setCompared(true)}>Compare the rows</Button>
            </p>
          )}
        </>
      )}
      {missing.length > 0 && <p class="error">Voters whose folders are missing: {missing.join(", ")}</p>}
    </section>
  );
}

function ComparedRows({ client, doc }: PaneProps) {
  const { result, error } = useCall(client, "digests", { id: doc.id });
  if (result === undefined) {
    return <Pending error={error} hint="Reading all rows of each replica…" />;
  }
  const isEqual = result.rows.every(({ differs }) => !differs);
  return (
    <>
      <p class={isEqual ? "hint" : "error"} role="status">
        {isEqual ? "The rows of all replicas are equal." : "The rows of the replicas differ."}
      </p>
      <Comparison caption="Rows at the latest time that all replicas have" comparison={result} />
    </>
  );
}

interface ComparisonProps {
  readonly caption: string;
  readonly comparison: ComparisonView;
}

function Comparison({ caption, comparison: { replicas, rows } }: ComparisonProps) {
  return (
    <table class="top">
      <caption>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Property</th>
          {replicas.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ label, values, differs }) => (
          <tr key={label} class={differs ? "current" : ""}>
            <th scope="row">
              {label}
              {differs && <small title="The replicas differ"> ≠</small>}
            </th>
            {values.map((value, i) => (
              <td key={replicas[i]}>{value}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
