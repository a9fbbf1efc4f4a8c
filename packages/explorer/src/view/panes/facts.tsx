import type { Fact } from "../../protocol.js";

/** Names and values. */
export function Facts({
  facts,
  className = "facts",
}: {
  readonly facts: readonly Fact[];
  readonly className?: string;
}) {
  return (
    <dl class={className}>
      {facts.map(({ label, value }, i) => (
        <div key={`${label}${i}`}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
