/** One block: its fields and encoding, the name of every byte, its values. */
import { useState } from "preact/hooks";
import type { PartDetail } from "../../protocol.js";
import { Button, count, Facts, Pending } from "../parts/basics.js";
import { HexView } from "../parts/hex-view.js";
import { VirtualList } from "../parts/virtual-list.js";
import { useCall } from "../use-call.js";
import type { PaneProps } from "../worker-client.js";

interface PartPaneProps extends PaneProps {
  readonly part: number;
  readonly onRow: (row: number) => void;
}

type View = "stored" | "content" | "values";

export function PartPane({ client, doc, part, onRow }: PartPaneProps) {
  const { result, error } = useCall(client, "part", { id: doc.id, part });
  const [view, setView] = useState<View>("stored");
  if (result === undefined) {
    return <Pending error={error} hint="Reading the block…" />;
  }
  const { fields, explanation, stored, content, values, problem } = result;
  const { label, firstRow } = result.part;
  const views: readonly (readonly [View, string])[] = [
    ["stored", "Stored bytes"],
    ...(content === undefined ? [] : [["content", "Expanded bytes"] as const]),
    ...(values.length === 0 ? [] : [["values", "Values"] as const]),
  ];
  const shown = views.some(([name]) => name === view) ? view : "stored";
  return (
    <section class="part" aria-label={label}>
      <header class="part-head">
        <h2>{label}</h2>
        <div class="choice" role="group" aria-label="View of the block">
          {views.map(([name, title]) => (
            <button key={name} type="button" aria-pressed={name === shown} onClick={() => setView(name)}>
              {title}
            </button>
          ))}
        </div>
        {firstRow !== undefined && doc.tabs.includes("data") && (
          <Button onClick={() => onRow(firstRow)}>Show its rows</Button>
        )}
      </header>
      {problem !== undefined && (
        <p class="error">
          {problem.code}: {problem.reason}
        </p>
      )}
      <div class="part-body">
        <div class="part-told">
          <Facts facts={fields} />
          <p class="explanation">{explanation}</p>
        </div>
        {shown === "values" ? (
          <Values {...result} />
        ) : (
          <HexView key={shown} data={(shown === "content" && content) || stored} label={label} />
        )}
      </div>
    </section>
  );
}

function Values({ part: { label, firstRow = 0 }, values, valueCount }: PartDetail) {
  return (
    <div class="values">
      <VirtualList
        count={values.length}
        lineHeight={20}
        label={`Values of ${label}`}
        line={(i) => (
          <code class="value-line">
            <span class="hex-at">{firstRow + i}</span>
            <span>{values[i]}</span>
          </code>
        )}
      />
      {valueCount > values.length && (
        <p class="hint">
          The first {count(values.length)} of {count(valueCount)}.
        </p>
      )}
    </div>
  );
}
