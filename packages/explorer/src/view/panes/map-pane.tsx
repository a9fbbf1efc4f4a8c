/** The map of a file: its blocks to scale and by health, its index trees, and the selected block. */
import { useState } from "preact/hooks";
import type { HealthView, MapView, PartView } from "../../protocol.js";
import { Button, count, Message, Pending } from "../parts/basics.js";
import { PART_KINDS } from "../parts/draw-parts.js";
import { FileStrip } from "../parts/file-strip.js";
import { useCall } from "../use-call.js";
import type { PaneProps } from "../worker-client.js";
import { CheckReport } from "./check-report.js";
import { PartPane } from "./part-pane.js";
import { TreePane } from "./tree-pane.js";

/** A check reads the whole file; above these sizes, it starts only when the user requests it. */
const MAX_UNASKED_BYTES = 64 * 1024 * 1024;
const MAX_UNASKED_REMOTE_BYTES = 1024 * 1024;

interface MapPaneProps extends PaneProps {
  readonly theme: string;
  /** Whether the file is at a URL. */
  readonly isRemote: boolean;
  /** Offset of the selected block. */
  readonly block: number | undefined;
  readonly touched: readonly number[];
  readonly onBlock: (offset: number) => void;
  readonly onRow: (row: number) => void;
}

export function MapPane(props: MapPaneProps) {
  const { result: map, error } = useCall(props.client, "map", { id: props.doc.id });
  return map === undefined ? (
    <Pending error={error} hint="Reading the indexes…" />
  ) : (
    <LoadedMap {...props} map={map} />
  );
}

function LoadedMap(props: MapPaneProps & { readonly map: MapView }) {
  const { client, doc, theme, isRemote, block, touched, onBlock, onRow, map } = props;
  const [parts, setParts] = useState<readonly PartView[]>(map.parts);
  const [progress, setProgress] = useState<HealthView>();
  const onProgress = (health: HealthView | undefined): void => {
    setProgress(health);
    setParts((old) => (health === undefined ? map.parts : withHealth(old, health)));
  };
  const [isChecked, setChecked] = useState(
    map.fileSize <= (isRemote ? MAX_UNASKED_REMOTE_BYTES : MAX_UNASKED_BYTES),
  );
  const argument = isChecked ? { id: doc.id } : undefined;
  const { result: report, error, stop, again } = useCall(client, "check", argument, onProgress);
  const found = parts.findIndex(({ offset }) => offset === block);
  const chosen = found < 0 ? undefined : found;
  const select = (index: number): void => onBlock(parts[index]?.offset ?? 0);
  const checking = progress && `Checking ${count(progress.checked)} of ${count(progress.total)} blocks`;
  return (
    <section class="pane map" aria-label="Map">
      <FileStrip {...{ map, parts, touched, theme }} selected={chosen} onSelect={select} />
      <div class="bar legend">
        <Legend parts={parts} />
        <Message>{stop === undefined ? error : checking}</Message>
        {isChecked ? (
          <Button onClick={stop ?? again}>{stop === undefined ? "Check again" : "Stop"}</Button>
        ) : (
          <Button onClick={() => setChecked(true)}>Check all blocks</Button>
        )}
      </div>
      {report !== undefined && <CheckReport client={client} doc={doc} report={report} />}
      {chosen === undefined ? (
        <p class="hint">Select a block on the map to see its bytes.</p>
      ) : (
        <PartPane key={chosen} client={client} doc={doc} part={chosen} onRow={onRow} />
      )}
      <div class="trees">
        {map.trees.map((tree, number) => (
          <TreePane key={tree.kind} {...{ client, doc, tree, number, touched }} onSelect={select} />
        ))}
      </div>
    </section>
  );
}

function withHealth(parts: readonly PartView[], { parts: checked }: HealthView): PartView[] {
  const next = [...parts];
  for (const { index, health, problem } of checked) {
    const part = next[index];
    if (part !== undefined) {
      next[index] = { ...part, health, problem };
    }
  }
  return next;
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
      {["valid", "damaged", "unchecked"].map((health) => (
        <span key={health}>
          <span class={`swatch ${health}`} /> {health === "unchecked" ? "not checked" : health}
        </span>
      ))}
    </>
  );
}
