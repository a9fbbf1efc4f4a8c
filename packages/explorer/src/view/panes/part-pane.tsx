/** One block: what its header says, how it is encoded, every byte by name, its values. */
import { useState } from "preact/hooks";
import type { DocView } from "../../protocol.js";
import { HexView } from "../parts/hex-view.js";
import { VirtualList } from "../parts/virtual-list.js";
import { useCall } from "../use-call.js";
import type { WorkerClient } from "../worker-client.js";
import { Facts } from "./facts.js";

export interface PartPaneProps {
  readonly client: WorkerClient;
  readonly doc: DocView;
  readonly part: number;
  readonly onRow: (row: number) => void;
}

type View = "stored" | "content" | "values";

export function PartPane({ client, doc, part, onRow }: PartPaneProps) {
  const { result, error } = useCall(client, "part", { id: doc.id, part });
  const [view, setView] = useState<View>("stored");
  if (error !== undefined) {
    return <p class="error">{error}</p>;
  }
  if (result === undefined) {
    return <p class="hint">Reading the block…</p>;
  }
  const { fields, explanation, stored, content, values, valueCount, problem } = result;
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
        <div class="choice" role="group" aria-label="What is shown of the block">
          {views.map(([name, title]) => (
            <button key={name} type="button" aria-pressed={name === shown} onClick={() => setView(name)}>
              {title}
            </button>
          ))}
        </div>
        {firstRow !== undefined && doc.tabs.includes("data") && (
          <button type="button" onClick={() => onRow(firstRow)}>
            Show its rows
          </button>
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
          <div class="values">
            <VirtualList
              count={values.length}
              lineHeight={20}
              label={`Values of ${label}`}
              line={(i) => (
                <code class="value-line">
                  <span class="hex-at">{(firstRow ?? 0) + i}</span>
                  <span>{values[i]}</span>
                </code>
              )}
            />
            {valueCount > values.length && (
              <p class="hint">
                The first {values.length.toLocaleString("en-US")} of {valueCount.toLocaleString("en-US")}.
              </p>
            )}
          </div>
        ) : (
          <HexView
            key={shown}
            data={shown === "content" && content !== undefined ? content : stored}
            label={label}
          />
        )}
      </div>
    </section>
  );
}
