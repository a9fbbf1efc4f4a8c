/** An index tree, level by level: the keys of a node, and below it the node that the chosen key leads to. */
import { useEffect, useState } from "preact/hooks";
import type { TreeView } from "../../protocol.js";
import { count, Pending } from "../parts/basics.js";
import { useCall } from "../use-call.js";
import type { PaneProps } from "../worker-client.js";

interface TreePaneProps extends PaneProps {
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

function TreeNode(props: TreePaneProps & { readonly part: number; readonly depth: number }) {
  const { client, doc, number, part, depth, touched, onSelect } = props;
  const { result, error } = useCall(client, "tree", { id: doc.id, tree: number, part });
  const [chosen, setChosen] = useState<number>();
  useEffect(() => {
    // Opens the path of a search.
    const index = result?.entries.findIndex((entry) => touched.includes(entry.part)) ?? -1;
    setChosen(index < 0 ? undefined : index);
  }, [result, touched]);
  if (result === undefined) {
    return <Pending error={error} hint="Reading the node…" />;
  }
  const { leaf, entries, entryCount } = result;
  const name = depth === 0 ? "Root" : leaf ? "Leaf" : `Level ${depth}`;
  const entry = chosen === undefined ? undefined : entries[chosen];
  return (
    <div class="tree-level">
      <div class="tree-node" role="group" aria-label={`${name}, ${entryCount} keys`}>
        <button type="button" class="tree-name" onClick={() => onSelect(part)}>
          {name}
          <small>{count(entryCount)} keys</small>
        </button>
        <div class="tree-keys">
          {entries.map(({ key, part: target, offset }, i) => (
            <button
              key={offset}
              type="button"
              class={`key${touched.includes(target) ? " touched" : ""}`}
              aria-pressed={i === chosen}
              title={`${key} → byte ${count(offset)}`}
              onClick={() => {
                setChosen(i);
                if (leaf && target >= 0) {
                  onSelect(target);
                }
              }}
            >
              {key === "" ? "(empty)" : key}
            </button>
          ))}
          {entryCount > entries.length && <span class="hint">and more</span>}
        </div>
      </div>
      {!leaf && entry !== undefined && entry.part >= 0 && (
        <TreeNode {...props} key={entry.part} part={entry.part} depth={depth + 1} />
      )}
    </div>
  );
}
