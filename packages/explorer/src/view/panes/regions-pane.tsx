/** The regions of a table over its key space: a bar with their stored bytes to scale, and a table. */
import type { RegionsView } from "../../protocol.js";
import { count, Pending, TitledTable } from "../parts/basics.js";
import { useCall } from "../use-call.js";
import type { PaneProps } from "../worker-client.js";

/** Units of the bar; it is stretched to the width of the page. */
const WIDTH = 1000;
const HEIGHT = 24;

export function RegionsPane({ client, doc }: PaneProps) {
  const { result, error } = useCall(client, "regions", { id: doc.id });
  if (result === undefined) {
    return <Pending error={error} hint="Reading the regions…" />;
  }
  return (
    <section class="pane regions" aria-label="Regions">
      <p class="hint">Regions in the order of their rows. Their width shows their stored bytes.</p>
      <Bar {...result} />
      <TitledTable
        caption={`${count(result.regions.length)} regions`}
        titles={["From row", "To row", "Store files", "Bytes", "Cells", "Encoded name"]}
      >
        {result.regions.map(({ name, from, to, files, bytes, cells }) => (
          <tr key={name}>
            <th scope="row">{from === "" ? "the start" : from}</th>
            <td>{to === "" ? "the end" : to}</td>
            <td>{count(files)}</td>
            <td>{count(bytes)}</td>
            <td>{count(cells)}</td>
            <td>{name}</td>
          </tr>
        ))}
      </TitledTable>
    </section>
  );
}

function Bar({ regions }: RegionsView) {
  // An empty region is still visible.
  const weights = regions.map(({ bytes }) => bytes + 1);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let at = 0;
  return (
    <svg
      class="regions-bar"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${regions.length} regions over the key space`}
    >
      {regions.map(({ name, from, to, bytes }, i) => {
        const width = ((weights[i] ?? 0) / total) * WIDTH;
        const x = at;
        at += width;
        return (
          <rect key={name} class={i % 2 === 0 ? "even" : "odd"} x={x} y={0} width={width} height={HEIGHT}>
            <title>{`${from === "" ? "the start" : from} to ${to === "" ? "the end" : to}: ${count(bytes)} bytes`}</title>
          </rect>
        );
      })}
    </svg>
  );
}
