/** The page: what to open, the tabs of open files, the tree of the current one, and its document. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { GivenFile } from "../protocol.js";
import { FileTabs } from "./open/file-tabs.js";
import { type Link, readLink } from "./open/link.js";
import { droppedOpening, Opener } from "./open/opener.js";
import { isSameOrigin, type Opening, urlOpening } from "./open/origin.js";
import { forgetRecent, type Recent, recentFiles, recentOpening, rememberRecent } from "./open/recent.js";
import { sampleOpening } from "./open/samples.js";
import { type OpenFile, type OpenFiles, useOpenFiles } from "./open/use-open-files.js";
import { Welcome } from "./open/welcome.js";
import { DocPane } from "./panes/doc-pane.js";
import { Sidebar } from "./panes/sidebar.js";
import { useTheme } from "./theme.js";
import type { WorkerClient } from "./worker-client.js";

interface AppProps {
  readonly client: WorkerClient;
  /** Files of `cfile serve` or of an editor; empty elsewhere. */
  readonly served: readonly GivenFile[];
  /** Whether an editor shows the page: it opens other files itself. */
  readonly isEmbedded?: boolean;
}

export function App({ client, served, isEmbedded = false }: AppProps) {
  const isServed = served.length > 0;
  const [recent, setRecent] = useState<readonly Recent[]>([]);
  const [awaited, setAwaited] = useState<Link>();
  const waiting = useRef<Link | undefined>(undefined);
  waiting.current = awaited;
  const onOpened = useCallback(
    ({ origin, root }: OpenFile): void => {
      if (!isServed) {
        rememberRecent({ title: root.label, origin }).then(setRecent);
      }
    },
    [isServed],
  );
  const tabs = useOpenFiles(client, onOpened);
  const { files, current, message, open, find } = tabs;
  const { theme, chosen, next } = useTheme();
  const choose = useRef<() => void>(() => undefined);

  const openLocal = useCallback(
    (opening: Opening) => {
      const link = waiting.current;
      const isAwaited = link !== undefined && isSameOrigin(link.origin, opening.origin);
      setAwaited(undefined);
      return open(async () => opening, isAwaited ? link.place : undefined);
    },
    [open],
  );

  useEffect(() => {
    recentFiles().then(setRecent);
  }, []);
  useLink(tabs, served, setAwaited);
  /** Without a URL or a handle, the file must be chosen again. */
  const openRecent = (entry: Recent): void => {
    const { origin } = entry;
    const opened = find(origin);
    if (opened !== undefined) {
      tabs.choose(opened.key);
    } else if (origin.urls.length === 0 && origin.sample === undefined && origin.handles === undefined) {
      choose.current?.();
    } else {
      const place = awaited !== undefined && isSameOrigin(awaited.origin, origin) ? awaited.place : undefined;
      open(() => recentOpening(entry), place);
    }
  };

  const isOver = useDrop(openLocal);
  const file = files.find(({ key }) => key === current);
  return (
    <div class={`app${isOver ? " over" : ""}${file?.root.hasChildren ? " with-sidebar" : ""}`}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="top-bar">
        <span class="brand">
          <Mark /> cfile explorer
        </span>
        {!isEmbedded && <Opener onOpening={openLocal} choose={choose} />}
        <button type="button" class="theme" onClick={next}>
          Theme: {chosen}
        </button>
      </header>
      <div class="top-rows">
        {files.length > 0 && !isEmbedded && (
          <FileTabs {...{ files, current }} onChoose={tabs.choose} onClose={tabs.close} onNew={tabs.leave} />
        )}
        {message !== "" && (
          <p class={`notice${/^E_|Error/.test(message) ? " error" : ""}`} role="status">
            {message}
          </p>
        )}
      </div>
      {/* The trees are kept, so that their open nodes stay open. */}
      {files.map(
        ({ key, root, doc }) =>
          root.hasChildren && (
            <Sidebar
              key={key}
              {...{ client, node: root }}
              hidden={key !== current}
              current={doc.id}
              onOpen={(id) => tabs.show(key, id)}
            />
          ),
      )}
      {file === undefined ? (
        <Welcome
          {...{ awaited, recent }}
          hasSamples={!isServed}
          onRecent={openRecent}
          onForget={() => forgetRecent().then(setRecent)}
        />
      ) : (
        <DocPane
          key={`${file.key} ${file.doc.id} ${file.visit}`}
          {...{ client, theme, doc: file.doc, start: file.start }}
          isRemote={file.origin.urls.length > 0 || served.some(({ isRemote = false }) => isRemote)}
          onPlace={(place) => tabs.onPlace(file, place)}
          onDoc={(doc) => tabs.replace(file.key, doc)}
        />
      )}
    </div>
  );
}

/** Opens the link in the address, now and whenever it changes. */
function useLink(
  { open, find, goTo }: OpenFiles,
  served: readonly GivenFile[],
  onAwaited: (link: Link | undefined) => void,
): void {
  useEffect(() => {
    const follow = (): void => {
      const link = readLink(location.hash);
      const { origin, place } = link;
      const { urls, sample, file } = origin;
      const opened = find(origin);
      onAwaited(undefined);
      if (opened !== undefined) {
        goTo(opened, place);
      } else if (sample !== undefined) {
        open(() => sampleOpening(sample), place);
      } else if (urls.length > 0) {
        open(async () => urlOpening(urls), place);
      } else if (file !== undefined) {
        onAwaited(link);
      } else if (served.length > 0) {
        open(async () => ({ given: { kind: "files", files: served }, origin }), place);
      }
    };
    follow();
    const change = (): void => {
      // "Skip to content" also changes the address.
      if (location.hash !== "#main") {
        follow();
      }
    };
    addEventListener("hashchange", change);
    return () => removeEventListener("hashchange", change);
  }, [open, find, goTo, served]);
}

/** Opens files dropped on the page. Returns whether files are being dragged over it. */
function useDrop(open: (opening: Opening) => void): boolean {
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
      const opening = event.dataTransfer === null ? undefined : await droppedOpening(event.dataTransfer);
      if (opening !== undefined) {
        open(opening);
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
