/** The rows: a table, a field to go to a row, and a search by value. */
import { useCallback, useState } from "preact/hooks";
import type { FoundView } from "../../protocol.js";
import { Button, count } from "../parts/basics.js";
import { DataGrid } from "../parts/data-grid.js";
import type { RowReader } from "../row-pages.js";
import { useAction } from "../use-call.js";
import type { PaneProps } from "../worker-client.js";

interface DataPaneProps extends PaneProps {
  readonly row: number | undefined;
  readonly onRow: (row: number) => void;
  /** Marks the blocks that a search has read. */
  readonly onTouched: (parts: readonly number[]) => void;
}

export function DataPane({ client, doc, row, onRow, onTouched }: DataPaneProps) {
  const [goal, setGoal] = useState(row === undefined ? undefined : { row });
  const [found, setFound] = useState<FoundView>();
  const { message, setMessage, progress, run, stop } = useAction();
  const { id, rowCount } = doc;
  const read: RowReader = useCallback(
    (from, to, signal) => client.call("rows", { id, from, to }, { signal }),
    [client, id],
  );
  const goTo = (next: number): void => {
    setGoal({ row: next });
    onRow(next);
  };
  const jump = (text: string): void => {
    const target = Number(text.replaceAll(/[,_\s]/g, ""));
    if (Number.isInteger(target) && target >= 0 && target < (rowCount ?? Number.POSITIVE_INFINITY)) {
      setMessage("");
      goTo(target);
    } else {
      setMessage(`No row ${text}${rowCount === undefined ? "" : ` (rows are 0 to ${count(rowCount - 1)})`}.`);
    }
  };
  const find = (text: string) =>
    run("Searching…", async (options) => {
      setFound(undefined);
      const result = await client.call("find", { id, text }, options);
      setFound(result);
      if (result.row !== undefined) {
        goTo(result.row);
      }
      onTouched(result.touched ?? []);
      return result.text;
    });
  return (
    <section class="pane data" aria-label="Data">
      <div class="bar">
        <form onSubmit={(event) => submitted(event, "row", jump)}>
          <label>
            Row <input name="row" inputMode="numeric" size={12} placeholder="0" autoComplete="off" />
          </label>
          <button type="submit">Go</button>
        </form>
        {doc.searchHint !== undefined && (
          <form onSubmit={(event) => submitted(event, "value", find)}>
            <label>
              Find <input name="value" size={28} placeholder={doc.searchHint} autoComplete="off" />
            </label>
            <button type="submit">Search</button>
            {stop !== undefined && <Button onClick={stop}>Cancel</Button>}
          </form>
        )}
        <p class="message" role="status">
          {message}
          {progress !== undefined && ` ${count(progress.done)} of ${count(progress.total)} rows`}
        </p>
        {(found?.touched ?? []).length > 0 && <span class="hint">The map marks the blocks read.</span>}
      </div>
      <DataGrid columns={doc.columns} rowCount={rowCount} read={read} goal={goal} onRow={onRow} />
    </section>
  );
}

export function submitted(event: SubmitEvent, field: string, action: (text: string) => void): void {
  event.preventDefault();
  const form = event.currentTarget;
  const value = form instanceof HTMLFormElement ? new FormData(form).get(field) : null;
  if (typeof value === "string") {
    action(value);
  }
}
