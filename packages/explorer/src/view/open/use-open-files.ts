/** The open files, each with its tree, the visible document and the position in it. */
import { useCallback, useRef, useState } from "preact/hooks";
import type { DocView, NodeView } from "../../protocol.js";
import { errorText, type WorkerClient } from "../worker-client.js";
import { NOWHERE, type Place, writeLink } from "./link.js";
import { isSameOrigin, type Opening, type Origin } from "./origin.js";

export interface OpenFile {
  readonly key: number;
  readonly origin: Origin;
  readonly root: NodeView;
  readonly doc: DocView;
  readonly start: Place;
  /** Changes when the same document is shown at another position. */
  readonly visit: number;
}

export type OpenFiles = ReturnType<typeof useOpenFiles>;

/** @param onOpened called after a file was opened */
export function useOpenFiles(client: WorkerClient, onOpened: (file: OpenFile) => void) {
  const [files, setFiles] = useState<readonly OpenFile[]>([]);
  const [current, setCurrent] = useState<number>();
  const [message, setMessage] = useState("");
  // The positions change with every key press. They are not part of the state, so that they do not cause rendering.
  const places = useRef(new Map<number, Place>());
  const last = useRef(0);
  const latest = useRef(files);
  latest.current = files;

  const attempt = useCallback(async (first: string, work: () => Promise<void>): Promise<void> => {
    setMessage(first);
    setMessage(await work().then(() => "", errorText));
  }, []);

  const change = useCallback((key: number, part: Partial<OpenFile>): void => {
    setFiles((old) => old.map((file) => (file.key === key ? { ...file, ...part } : file)));
  }, []);

  const goTo = useCallback((file: OpenFile, place: Place): void => {
    places.current.set(file.key, place);
    change(file.key, { start: place, visit: ++last.current });
    setCurrent(file.key);
    setMessage("");
    writeLink({ origin: file.origin, place });
  }, []);

  const open = useCallback(
    (choose: () => Promise<Opening | undefined>, place: Place = NOWHERE) =>
      attempt("Opening…", async () => {
        const opening = await choose();
        if (opening === undefined) {
          return;
        }
        const { given, origin } = opening;
        const file = fileOf(++last.current, origin, await client.call("open", given));
        setFiles((old) => [...old, file]);
        goTo(file, place);
        onOpened(file);
      }),
    [client, attempt, goTo, onOpened],
  );

  const leave = (): void => {
    setCurrent(undefined);
    writeLink({ origin: { urls: [] }, place: NOWHERE });
  };

  return {
    files,
    current,
    message,
    open,
    /** The open file of a link. */
    find: useCallback(
      (origin: Origin) => latest.current.find((file) => isSameOrigin(file.origin, origin)),
      [],
    ),
    goTo,
    choose: useCallback(
      (key: number) => {
        const file = latest.current.find((other) => other.key === key);
        if (file !== undefined) {
          goTo(file, places.current.get(key) ?? NOWHERE);
        }
      },
      [goTo],
    ),
    /** Shows a document of the tree. */
    show: (key: number, id: number) =>
      attempt("", async () => {
        const doc = await client.call("doc", { id });
        places.current.set(key, NOWHERE);
        change(key, { doc, start: NOWHERE });
      }),
    replace: (key: number, doc: DocView) => change(key, { doc, start: NOWHERE }),
    close: (key: number): void => {
      const at = files.findIndex((file) => file.key === key);
      setFiles(files.filter((file) => file.key !== key));
      places.current.delete(key);
      client.call("close", { id: files[at]?.root.id ?? -1 }).catch(() => undefined);
      const next = files[at + 1] ?? files[at - 1];
      if (key === current && next !== undefined) {
        goTo(next, places.current.get(next.key) ?? NOWHERE);
      } else if (key === current) {
        leave();
      }
    },
    /** Hides the current file; all files stay open. */
    leave,
    onPlace: useCallback((file: OpenFile, place: Place): void => {
      places.current.set(file.key, place);
      writeLink({ origin: file.origin, place });
    }, []),
  };
}

function fileOf(key: number, origin: Origin, doc: DocView): OpenFile {
  const { id, title: label, kind, hasChildren } = doc;
  return { key, origin, root: { id, label, detail: "", kind, hasChildren }, doc, start: NOWHERE, visit: 0 };
}
