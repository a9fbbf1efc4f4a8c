/** Opens files, a folder or a URL. */
import { useRef } from "preact/hooks";
import type { Given, GivenFile } from "../../protocol.js";
import { Button } from "../parts/basics.js";
import { submitted } from "./data-pane.js";

export function Opener({ onGiven }: { readonly onGiven: (given: Given, urls: readonly string[]) => void }) {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const picker = {
    type: "file" as const,
    hidden: true,
    onChange: ({ currentTarget: input }: { readonly currentTarget: HTMLInputElement }) => {
      const list = [...(input.files ?? [])];
      if (list.length > 0) {
        onGiven({ kind: "files", files: list.map(fileGiven) }, []);
      }
      input.value = "";
    },
  };
  const openFolder = async (): Promise<void> => {
    const { showDirectoryPicker: pick } = globalThis as {
      showDirectoryPicker?: () => Promise<FileSystemDirectoryHandle>;
    };
    if (pick === undefined) {
      folder.current?.click();
      return;
    }
    try {
      onGiven({ kind: "folder", handle: await pick() }, []);
    } catch {
      // The user chose nothing.
    }
  };
  return (
    <div class="opener">
      <button type="button" class="primary" onClick={() => files.current?.click()}>
        Open files
      </button>
      <Button onClick={openFolder}>Open folder</Button>
      <form
        onSubmit={(event) => submitted(event, "url", (url) => url !== "" && onGiven(urlGiven([url]), [url]))}
      >
        <input name="url" type="url" placeholder="https://…" aria-label="URL of a file" autoComplete="off" />
        <button type="submit">Open URL</button>
      </form>
      <input ref={files} {...picker} multiple aria-label="Files" />
      <input ref={folder} {...picker} {...{ webkitdirectory: true }} aria-label="Folder" />
    </div>
  );
}

function fileGiven(file: File): GivenFile {
  return { path: file.webkitRelativePath || file.name, blob: file };
}

export function urlGiven(urls: readonly string[]): Given {
  return {
    kind: "files",
    files: urls.map((url) => {
      const { href, pathname } = new URL(url, location.href);
      return { path: decodeURIComponent(pathname.split("/").at(-1) || pathname), url: href };
    }),
  };
}

/** Dropped items: the handle of a folder if the browser supports it, else files with the folders in their names. */
export async function droppedGiven(transfer: DataTransfer): Promise<Given | undefined> {
  const items = [...transfer.items].filter(({ kind }) => kind === "file");
  const handles = items.map((item) =>
    (item as { getAsFileSystemHandle?: () => Promise<FileSystemHandle | null> }).getAsFileSystemHandle?.(),
  );
  const entries = items.map((item) => item.webkitGetAsEntry());
  const plain = [...transfer.files].map(fileGiven);
  const [handle] = await Promise.all(handles);
  if (handles.length === 1 && handle instanceof FileSystemDirectoryHandle) {
    return { kind: "folder", handle };
  }
  if (entries.some((entry) => entry?.isDirectory)) {
    const files = await Promise.all(entries.map((entry) => (entry === null ? [] : filesBelow(entry))));
    return { kind: "files", files: files.flat() };
  }
  return plain.length === 0 ? undefined : { kind: "files", files: plain };
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
