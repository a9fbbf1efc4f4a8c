/** Elements that all panes share, and numbers as text. */
import type { Progress } from "@cfile/bytes";
import type { ComponentChildren } from "preact";
import type { Fact } from "../../protocol.js";

export function count(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

interface ButtonProps {
  readonly onClick: () => void;
  readonly children: ComponentChildren;
}

export function Button({ onClick, children }: ButtonProps) {
  return (
    <button type="button" onClick={onClick}>
      {children}
    </button>
  );
}

export function Message({ children }: { readonly children: ComponentChildren }) {
  return (
    <span class="message" role="status">
      {children}
    </span>
  );
}

/** Shows the error, or the hint without an error. */
export function Pending({ error, hint }: { readonly error: string | undefined; readonly hint: string }) {
  return error === undefined ? <p class="hint">{hint}</p> : <p class="error">{error}</p>;
}

interface RunningProps {
  readonly progress: Progress | undefined;
  readonly total?: number;
  readonly label: string;
  readonly onCancel: () => void;
}

export function Running({ progress, total = progress?.total, label, onCancel }: RunningProps) {
  return (
    <>
      <progress max={total || 1} value={progress?.done ?? 0} aria-label={label} />
      <Button onClick={onCancel}>Cancel</Button>
    </>
  );
}

interface TitledTableProps {
  readonly caption: string;
  readonly titles: readonly string[];
  /** Table rows. */
  readonly children: ComponentChildren;
}

export function TitledTable({ caption, titles, children }: TitledTableProps) {
  return (
    <table class="top">
      <caption>{caption}</caption>
      <thead>
        <tr>
          {titles.map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

interface FactsProps {
  readonly facts: readonly Fact[];
  readonly className?: string;
}

export function Facts({ facts, className = "facts" }: FactsProps) {
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
