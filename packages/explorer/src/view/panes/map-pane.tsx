/** The map of a file: its blocks to scale and by health, its trees, and the block that is looked at. */
import { useState } from "preact/hooks";
import type { DocView, HealthView, MapView, PartView } from "../../protocol.js";
import { PART_KINDS } from "../parts/draw-parts.js";
import { FileStrip } from "../parts/file-strip.js";
import { useCall } from "../use-call.js";
import type { WorkerClient } from "../worker-client.js";
import { CheckReport } from "./check-report.js";
import { PartPane } from "./part-pane.js";
import { TreePane } from "./tree-pane.js";

export interface MapPaneProps {
  readonly client: WorkerClient;
  readonly doc: DocView;
  readonly theme: string;
  /** Offset of the block that is looked at. */
  readonly block: number | undefined;
  readonly touched: readonly number[];
  readonly onBlock: (offset: number) => void;
  readonly onRow: (row: number) => void;
}

export function MapPane({ client, doc, theme, block, touched, onBlock, onRow }: MapPaneProps) {
  const { result: map, error } = useCall(client, "map", { id: doc.id });
  if (error !== undefined) {
    return <p class="error">{error}</p>;
  }
  if (map === undefined) {
    return <p class="hint">Reading the indexes…</p>;
  }
  return <LoadedMap {...{ client, doc, theme, block, touched, onBlock, onRow, map }} />;
}

function LoadedMap(props: MapPaneProps & { readonly map: MapView }) {
  const { client, doc, theme, block, touched, onBlock, onRow, map } = props;
  const [parts, setParts] = useState<readonly PartView[]>(map.parts);
  const [progress, setProgress] = useState<HealthView>();
  const onProgress = (health: HealthView | undefined): void => {
    setProgress(health);
    setParts((old) => (health === undefined ? map.parts : withHealth(old, health)));
  };
  const { result: report, error, stop, again } = useCall(client, "check", { id: doc.id }, onProgress);

  const selected = block === undefined ? undefined : parts.findIndex(({ offset }) => offset === block);
  const chosen = selected === undefined || selected < 0 ? undefined : selected;
  const select = (index: number): void => onBlock(parts[index]?.offset ?? 0);
  return (
    <section class="pane map" aria-label="Map">
      <FileStrip {...{ map, parts, touched, theme }} selected={chosen} onSelect={select} />
      <div class="bar legend">
        <Legend parts={parts} />
        <span class="message" role="status">
          {stop === undefined ? error : checking(progress)}
        </span>
        <button type="button" onClick={stop ?? again}>
          {stop === undefined ? "Check again" : "Stop"}
        </button>
      </div>
      {report !== undefined && <CheckReport client={client} doc={doc} report={report} />}
      {chosen !== undefined && (
        <PartPane key={chosen} client={client} doc={doc} part={chosen} onRow={onRow} />
      )}
      {chosen === undefined && <p class="hint">Choose a block on the map to see its bytes.</p>}
      <div class="trees">
        {map.trees.map((tree, number) => (
          <TreePane key={tree.kind} {...{ client, doc, tree, number, touched }} onSelect={select} />
        ))}
      </div>
    </section>
  );
}

function withHealth(parts: readonly PartView[], { parts: told }: HealthView): PartView[] {
  const next = [...parts];
  for (const { index, health, problem } of told) {
    const part = next[index];
    if (part !== undefined) {
      next[index] = { ...part, health, problem };
    }
  }
  return next;
}

function checking(progress: HealthView | undefined): string {
  const { checked, total } = progress ?? { checked: 0, total: 0 };
  return progress === undefined
    ? ""
    : `Checking ${checked.toLocaleString("en-US")} of ${total.toLocaleString("en-US")} blocks`;
}

function Legend({ parts }: { readonly parts: readonly PartView[] }) {
  const kinds = PART_KINDS.filter(([kind]) => parts.some((part) => part.kind === kind));
  return (
    <>
      {kinds.map(([kind, name]) => (
        <span key={kind}>
          <span class={`swatch kind-${kind}`} /> {name}
        </span>
      ))}
      <span class="spacer" />
      {["sound", "damaged", "unchecked"].map((health) => (
        <span key={health}>
          <span class={`swatch ${health}`} /> {health === "unchecked" ? "not checked" : health}
        </span>
      ))}
    </>
  );
}
