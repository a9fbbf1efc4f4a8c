/** Opens files, a folder or a URL. */
import type { RefObject } from "preact";
import { useRef } from "preact/hooks";
import type { GivenFile } from "../../protocol.js";
import { submitted } from "../panes/data-pane.js";
import { Button } from "../parts/basics.js";
import { fileGiven, fileOpening, handleOpening, type Opening, urlOpening } from "./origin.js";

interface Pickers {
  readonly showOpenFilePicker?: (options: { multiple: boolean }) => Promise<FileSystemFileHandle[]>;
  readonly showDirectoryPicker?: () => Promise<FileSystemDirectoryHandle>;
}

interface OpenerProps {
  readonly onOpening: (opening: Opening) => void;
  /** Set to a function that lets the user choose files. */
  readonly choose: RefObject<() => void>;
}

export function Opener({ onOpening, choose }: OpenerProps) {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const opened = (opening: Opening | undefined): void => {
    if (opening !== undefined) {
      onOpening(opening);
    }
  };
  const input = {
    type: "file" as const,
    hidden: true,
    onChange: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => {
      opened(fileOpening([...(currentTarget.files ?? [])].map(fileGiven)));
      currentTarget.value = "";
    },
  };
  /** Prefers handles, which can be opened again later; falls back to an upload field. */
  const pick = async (
    picker: (pickers: Pickers) => Promise<readonly FileSystemHandle[]> | undefined,
    field: HTMLInputElement | null,
  ): Promise<void> => {
    const picking = picker(globalThis as Pickers);
    if (picking === undefined) {
      field?.click();
      return;
    }
    // Rejected when the user chooses nothing.
    opened(await handleOpening(await picking.catch(() => [])));
  };
  const chooseFiles = (): Promise<void> =>
    pick(({ showOpenFilePicker }) => showOpenFilePicker?.({ multiple: true }), files.current);
  const chooseFolder = (): Promise<void> =>
    pick(({ showDirectoryPicker }) => showDirectoryPicker?.().then((handle) => [handle]), folder.current);
  choose.current = chooseFiles;
  return (
    <div class="opener">
      <button type="button" class="primary" onClick={chooseFiles}>
        Open files
      </button>
      <Button onClick={chooseFolder}>Open folder</Button>
      <form onSubmit={(event) => submitted(event, "url", (url) => url !== "" && opened(urlOpening([url])))}>
        <input name="url" type="url" placeholder="https://…" aria-label="URL of a file" autoComplete="off" />
        <button type="submit">Open URL</button>
      </form>
      <input ref={files} {...input} multiple aria-label="Files" />
      <input ref={folder} {...input} {...{ webkitdirectory: true }} aria-label="Folder" />
    </div>
  );
}

/** Dropped items: their handles if the browser supports them, else files whose names include their folders. */
export async function droppedOpening(transfer: DataTransfer): Promise<Opening | undefined> {
  const items = [...transfer.items].filter(({ kind }) => kind === "file");
  const waiting = items.map((item) =>
    (item as { getAsFileSystemHandle?: () => Promise<FileSystemHandle | null> }).getAsFileSystemHandle?.(),
  );
  const entries = items.map((item) => item.webkitGetAsEntry());
  const plain = [...transfer.files].map(fileGiven);
  const handles = (await Promise.all(waiting)).filter((handle) => handle instanceof FileSystemHandle);
  const isPlain = handles.every(({ kind }) => kind === "file");
  if (handles.length === items.length && handles.length > 0 && (isPlain || handles.length === 1)) {
    return handleOpening(handles);
  }
  if (entries.some((entry) => entry?.isDirectory)) {
    const files = await Promise.all(entries.map((entry) => (entry === null ? [] : filesBelow(entry))));
    return fileOpening(files.flat());
  }
  return fileOpening(plain);
}

async function filesBelow(entry: FileSystemEntry): Promise<GivenFile[]> {
  if (entry instanceof FileSystemFileEntry) {
    const blob = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    return [{ path: entry.fullPath.replace(/^\//, ""), blob }];
  }
  if (!(entry instanceof FileSystemDirectoryEntry)) {
    return [];
  }
  const reader = entry.createReader();
  const next = () => new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
  const found: GivenFile[] = [];
  for (let entries = await next(); entries.length > 0; entries = await next()) {
    found.push(...(await Promise.all(entries.map(filesBelow))).flat());
  }
  return found;
}
