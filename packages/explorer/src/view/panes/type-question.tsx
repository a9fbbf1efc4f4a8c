/** Asks for the type of a column if the footer, which states it, is lost. */
import { useState } from "preact/hooks";
import type { DocView } from "../../protocol.js";
import { Message } from "../parts/basics.js";
import { useAction } from "../use-call.js";
import type { PaneProps } from "../worker-client.js";

export function TypeQuestion({ client, doc, onDoc }: PaneProps & { readonly onDoc: (doc: DocView) => void }) {
  const [type, setType] = useState("INT32");
  const { message, run } = useAction();
  const search = () =>
    run("Searching the file for blocks…", async () => {
      onDoc(await client.call("retype", { id: doc.id, type }));
      return "";
    });
  return (
    <div class="bar question">
      <label>
        The footer, which states the type, is lost. Type of the column:{" "}
        <select value={type} onChange={(event) => setType(event.currentTarget.value)}>
          {doc.types.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <button type="button" class="primary" onClick={search}>
        Search for blocks
      </button>
      <Message>{message}</Message>
    </div>
  );
}
