/** A file whose footer is lost does not tell its type: it is asked for. */
import { useState } from "preact/hooks";
import type { DocView } from "../../protocol.js";
import { errorText, type WorkerClient } from "../worker-client.js";

const TYPES = [
  "INT8",
  "INT16",
  "INT32",
  "INT64",
  "INT128",
  "UINT8",
  "UINT16",
  "UINT32",
  "UINT64",
  "FLOAT",
  "DOUBLE",
  "BOOL",
  "STRING",
  "BINARY",
  "VARCHAR",
  "DATE",
  "UNIXTIME_MICROS",
  "DECIMAL32",
  "DECIMAL64",
  "DECIMAL128",
  "IS_DELETED",
];

export interface TypeQuestionProps {
  readonly client: WorkerClient;
  readonly doc: DocView;
  readonly onDoc: (doc: DocView) => void;
}

export function TypeQuestion({ client, doc, onDoc }: TypeQuestionProps) {
  const [type, setType] = useState("INT32");
  const [message, setMessage] = useState("");
  const search = (): void => {
    setMessage("Searching the file for blocks…");
    client
      .call("retype", { id: doc.id, type })
      .then(onDoc)
      .catch((error) => setMessage(errorText(error)));
  };
  return (
    <div class="bar question">
      <label>
        The footer, which tells the type, is lost. The column was of type{" "}
        <select value={type} onChange={(event) => setType(event.currentTarget.value)}>
          {TYPES.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <button type="button" class="primary" onClick={search}>
        Search for its blocks
      </button>
      <span class="message" role="status">
        {message}
      </span>
    </div>
  );
}
