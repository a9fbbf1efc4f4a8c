/** The page: what to open, the tree of open files, and the current document. */
import { useCallback, useEffect, useState } from "preact/hooks";
import type { DocView, Given, GivenFile, NodeView } from "../protocol.js";
import { readLink, writeLink } from "./link.js";
import { DocPane, type Place } from "./panes/doc-pane.js";
import { droppedGiven, Opener, urlGiven } from "./panes/opener.js";
import { Sidebar } from "./panes/sidebar.js";
import { useTheme } from "./theme.js";
import { errorText, type WorkerClient } from "./worker-client.js";

const NOWHERE: Place = { tab: undefined, row: undefined, block: undefined };

interface AppProps {
  readonly client: WorkerClient;
  /** Files of `cfile serve`; empty elsewhere. */
  readonly served: readonly GivenFile[];
}

export function App({ client, served }: AppProps) {
  const [root, setRoot] = useState<NodeView>();
  const [doc, setDoc] = useState<DocView>();
  const [urls, setUrls] = useState<readonly string[]>([]);
  const [start, setStart] = useState<Place>(NOWHERE);
  const [message, setMessage] = useState("");
  const { theme, chosen, next } = useTheme();

  const attempt = useCallback(async (first: string, work: () => Promise<void>): Promise<void> => {
    setMessage(first);
    const last = await work().then(() => "", errorText);
    setMessage(last);
  }, []);
  const open = useCallback(
    (given: Given, from: readonly string[], place: Place = NOWHERE) =>
      attempt("Opening…", async () => {
        const opened = await client.call("open", given);
        const { id, title, kind, hasChildren } = opened;
        setRoot({ id, label: title, detail: "", kind, hasChildren });
        setStart(place);
        setDoc(opened);
        setUrls(from);
        writeLink({ urls: from, ...place });
      }),
    [client, attempt],
  );
  const show = (id: number) =>
    attempt("", async () => {
      setDoc(await client.call("doc", { id }));
      setStart(NOWHERE);
    });

  useEffect(() => {
    const follow = (): void => {
      const { urls: given, ...place } = readLink(location.hash);
      if (given.length > 0) {
        open(urlGiven(given), given, place);
      } else if (served.length > 0) {
        open({ kind: "files", files: served }, [], place);
      }
    };
    follow();
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, [open, served]);

  const isOver = useDrop(open);
  const onPlace = useCallback((place: Place) => writeLink({ urls, ...place }), [urls]);
  return (
    <div class={`app${isOver ? " over" : ""}${root?.hasChildren ? " with-sidebar" : ""}`}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="top-bar">
        <span class="brand">
          <Mark /> cfile explorer
        </span>
        <Opener onGiven={open} />
        <button type="button" class="theme" onClick={next}>
          Theme: {chosen}
        </button>
      </header>
      {message !== "" && (
        <p class={`notice${/^E_|Error/.test(message) ? " error" : ""}`} role="status">
          {message}
        </p>
      )}
      {root?.hasChildren && <Sidebar client={client} node={root} current={doc?.id ?? -1} onOpen={show} />}
      {doc === undefined ? (
        <Welcome />
      ) : (
        <DocPane key={doc.id} {...{ client, doc, theme, start, onPlace }} onDoc={setDoc} />
      )}
    </div>
  );
}

/** Opens files dropped on the page. Returns whether files are being dragged over it. */
function useDrop(open: (given: Given, from: readonly string[]) => void): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    const on = (type: "dragover" | "dragleave" | "drop", listener: (event: DragEvent) => void): void =>
      addEventListener(type, listener, { signal: stop.signal });
    on("dragover", (event) => {
      event.preventDefault();
      setOver(true);
    });
    on("dragleave", ({ relatedTarget }) => setOver((old) => old && relatedTarget !== null));
    on("drop", async (event) => {
      event.preventDefault();
      setOver(false);
      const given = event.dataTransfer === null ? undefined : await droppedGiven(event.dataTransfer);
      if (given !== undefined) {
        open(given, []);
      }
    });
    return () => stop.abort();
  }, [open]);
  return isOver;
}

function Mark() {
  return (
    <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
      <rect x="1" y="1" width="16" height="4" rx="1" class="mark-a" />
      <rect x="1" y="7" width="10" height="4" rx="1" class="mark-b" />
      <rect x="1" y="13" width="13" height="4" rx="1" class="mark-c" />
    </svg>
  );
}

function Welcome() {
  return (
    <main class="welcome" id="main">
      <div class="drop">
        <h1>Explore files block by block and byte by byte</h1>
        <p>
          Drop files or a folder here: CFiles, Bloom and delta files of Apache Kudu, table stores, the
          directories of a Kudu server, Hudi tables, HFiles and Parquet files.
        </p>
        <p class="hint">
          Your data stays in this browser. From a URL, only the byte ranges you view are fetched.
        </p>
      </div>
    </main>
  );
}
