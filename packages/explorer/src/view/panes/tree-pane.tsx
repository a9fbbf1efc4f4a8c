/** An index tree, level by level: the keys of a node, and below it the node that the chosen key leads to. */
import { useEffect, useState } from "preact/hooks";
import type { DocView, TreeNodeView, TreeView } from "../../protocol.js";
import { useCall } from "../use-call.js";
import type { WorkerClient } from "../worker-client.js";

export interface TreePaneProps {
  readonly client: WorkerClient;
  readonly doc: DocView;
  readonly tree: TreeView;
  readonly number: number;
  readonly touched: readonly number[];
  readonly onSelect: (part: number) => void;
}

export function TreePane(props: TreePaneProps) {
  const { title, levels, root } = props.tree;
  return (
    <section class="tree" aria-label={title}>
      <h2>
        {title} <small>{levels === 1 ? "1 level" : `${levels} levels`}</small>
      </h2>
      <TreeNode {...props} part={root} depth={0} />
    </section>
  );
}

interface TreeNodeProps extends TreePaneProps {
  readonly part: number;
  readonly depth: number;
}

function TreeNode(props: TreeNodeProps) {
  const { client, doc, number, part, depth, touched, onSelect } = props;
  const { result, error } = useCall(client, "tree", { id: doc.id, tree: number, part });
  const [chosen, setChosen] = useState<number>();
  useEffect(() => {
    // What a search went through is opened.
    const index = result?.entries.findIndex((entry) => touched.includes(entry.part));
    setChosen(index === undefined || index < 0 ? undefined : index);
  }, [result, touched]);
  if (error !== undefined) {
    return <p class="error">{error}</p>;
  }
  if (result === undefined) {
    return <p class="hint">Reading the node…</p>;
  }
  const entry = chosen === undefined ? undefined : result.entries[chosen];
  return (
    <div class="tree-level">
      <div class="tree-node" role="group" aria-label={nodeLabel(result, depth)}>
        <button type="button" class="tree-name" onClick={() => onSelect(part)}>
          {depth === 0 ? "Root" : result.leaf ? "Leaf" : `Level ${depth}`}
          <small>{result.entryCount.toLocaleString("en-US")} keys</small>
        </button>
        <div class="tree-keys">
          {result.entries.map(({ key, part: target, offset }, i) => (
            <button
              key={offset}
              type="button"
              class={`key${touched.includes(target) ? " touched" : ""}`}
              aria-pressed={i === chosen}
              title={`${key} → byte ${offset.toLocaleString("en-US")}`}
              onClick={() => {
                setChosen(i);
                if (result.leaf && target >= 0) {
                  onSelect(target);
                }
              }}
            >
              {key === "" ? "(empty)" : key}
            </button>
          ))}
          {result.entryCount > result.entries.length && <span class="hint">and more</span>}
        </div>
      </div>
      {!result.leaf && entry !== undefined && entry.part >= 0 && (
        <TreeNode {...props} key={entry.part} part={entry.part} depth={depth + 1} />
      )}
    </div>
  );
}

function nodeLabel({ leaf, entryCount }: TreeNodeView, depth: number): string {
  return `${depth === 0 ? "Root" : leaf ? "Leaf" : `Level ${depth}`}, ${entryCount} keys`;
}
