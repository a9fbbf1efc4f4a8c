/** The rows: table, jump to a row, search by value. */
import type { Progress } from "@cfile/bytes";
import { useCallback, useState } from "preact/hooks";
import type { DocView, FoundView } from "../../protocol.js";
import { DataGrid } from "../parts/data-grid.js";
import type { RowReader } from "../row-pages.js";
import { errorText, isCancelled, type WorkerClient } from "../worker-client.js";

export interface DataPaneProps {
  readonly client: WorkerClient;
  readonly doc: DocView;
  readonly row: number | undefined;
  readonly onRow: (row: number) => void;
  /** Shows the blocks that a search has read. */
  readonly onTouched: (parts: readonly number[]) => void;
}

export function DataPane({ client, doc, row, onRow, onTouched }: DataPaneProps) {
  const [goal, setGoal] = useState(row === undefined ? undefined : { row });
  const [found, setFound] = useState<FoundView>();
  const [message, setMessage] = useState("");
  const [search, setSearch] = useState<AbortController>();
  const { id, rowCount } = doc;
  const read: RowReader = useCallback(
    (from, to, signal) => client.call("rows", { id, from, to }, { signal }),
    [client, id],
  );
  const jump = (text: string): void => {
    const wanted = Number(text.replaceAll(/[,_\s]/g, ""));
    if (!Number.isInteger(wanted) || wanted < 0 || (rowCount !== undefined && wanted >= rowCount)) {
      setMessage(
        `There is no row ${text}${rowCount === undefined ? "" : `; rows are 0 to ${(rowCount - 1).toLocaleString("en-US")}`}.`,
      );
      return;
    }
    setMessage("");
    setGoal({ row: wanted });
    onRow(wanted);
  };
  const find = async (text: string): Promise<void> => {
    search?.abort();
    const abort = new AbortController();
    setSearch(abort);
    setFound(undefined);
    setMessage("Searching…");
    const onProgress = ({ done, total }: Progress): void =>
      setMessage(`Searching… ${done.toLocaleString("en-US")} of ${total.toLocaleString("en-US")} rows`);
    try {
      const answer = await client.call("find", { id, text }, { signal: abort.signal, onProgress });
      setFound(answer);
      setMessage(answer.text);
      if (answer.row !== undefined) {
        setGoal({ row: answer.row });
        onRow(answer.row);
      }
      onTouched(answer.touched);
    } catch (error) {
      setMessage(isCancelled(error) ? "" : errorText(error));
    }
    setSearch(undefined);
  };
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
            {search !== undefined && (
              <button type="button" onClick={() => search.abort()}>
                Cancel
              </button>
            )}
          </form>
        )}
        <p class="message" role="status">
          {message}
        </p>
        {found !== undefined && found.touched.length > 0 && (
          <span class="hint">The blocks read are marked on the map.</span>
        )}
      </div>
      <DataGrid columns={doc.columns} rowCount={rowCount} read={read} goal={goal} onRow={onRow} />
    </section>
  );
}

export function submitted(event: SubmitEvent, field: string, action: (text: string) => void): void {
  event.preventDefault();
  const value =
    event.currentTarget instanceof HTMLFormElement ? new FormData(event.currentTarget).get(field) : null;
  if (typeof value === "string") {
    action(value);
  }
}
