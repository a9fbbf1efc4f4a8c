/** The timeline of a Hudi table: a bar for each instant, from its request to its completion. */
import { Pending, TitledTable } from "../parts/basics.js";
import { useCall } from "../use-call.js";
import type { PaneProps } from "../worker-client.js";

export function TimelinePane({ client, doc }: PaneProps) {
  const { result, error } = useCall(client, "timeline", { id: doc.id });
  if (result === undefined) {
    return <Pending error={error} hint="Reading the timeline…" />;
  }
  return (
    <section class="pane timeline" aria-label="Timeline">
      <TitledTable
        caption="Instants, from their request to their completion"
        titles={["Requested", "Action", "State", "Completed", "Time"]}
      >
        {result.instants.map(({ requested, action, state, completed, start, end }) => (
          <tr key={`${requested} ${action}`}>
            <th scope="row">{requested}</th>
            <td>{action}</td>
            <td>{state}</td>
            <td>{completed}</td>
            <td class="axis">
              <span
                class={`span ${state}`}
                style={{ left: `${100 * start}%`, width: `${100 * (end - start)}%` }}
              />
            </td>
          </tr>
        ))}
      </TitledTable>
    </section>
  );
}
