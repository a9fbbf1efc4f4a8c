/** The children of a folder, table or server: a tree, opened level by level. */
import { useState } from "preact/hooks";
import type { DocKind, NodeView } from "../../protocol.js";
import { Pending } from "../parts/basics.js";
import { useCall } from "../use-call.js";
import type { WorkerClient } from "../worker-client.js";

const MARKS: Readonly<Partial<Record<DocKind, string>>> = {
  folder: "▤",
  table: "▦",
  column: "▮",
  damaged: "✗",
  bloom: "◌",
  delta: "Δ",
};

export function Sidebar({ hidden, ...props }: NodeProps & { readonly hidden: boolean }) {
  return (
    <nav class="sidebar" aria-label="Open files" hidden={hidden}>
      <ul class="nodes">
        <Node {...props} startsOpen />
      </ul>
    </nav>
  );
}

interface NodeProps {
  readonly client: WorkerClient;
  readonly node: NodeView;
  readonly current: number;
  readonly onOpen: (id: number) => void;
  readonly startsOpen?: boolean;
}

function Node({ client, node, current, onOpen, startsOpen = false }: NodeProps) {
  const [isOpen, setOpen] = useState(startsOpen);
  const { label, detail, kind, hasChildren, id } = node;
  const { result, error } = useCall(client, "children", isOpen && hasChildren ? { id } : undefined);
  return (
    <li>
      <div class={`node${id === current ? " current" : ""}`}>
        {hasChildren ? (
          <button
            type="button"
            class="twist"
            aria-expanded={isOpen}
            aria-label={`${isOpen ? "Collapse" : "Expand"} ${label}`}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? "▾" : "▸"}
          </button>
        ) : (
          <span class="twist" />
        )}
        <button
          type="button"
          class="node-name"
          aria-current={id === current ? "true" : undefined}
          onClick={() => {
            setOpen(true);
            onOpen(id);
          }}
        >
          <span class={`mark mark-${kind}`} aria-hidden="true">
            {MARKS[kind] ?? "▯"}
          </span>
          <span class="node-label">{label}</span>
          {detail !== "" && <small>{detail}</small>}
        </button>
      </div>
      {isOpen && hasChildren && result === undefined && <Pending error={error} hint="Reading…" />}
      {isOpen && result !== undefined && result.length > 0 && (
        <ul class="nodes">
          {result.map((child) => (
            <Node key={child.id} {...{ client, node: child, current, onOpen }} />
          ))}
        </ul>
      )}
    </li>
  );
}
