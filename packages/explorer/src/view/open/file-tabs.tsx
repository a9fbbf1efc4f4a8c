/** The tabs of the open files, folders and servers. Arrow keys move, Delete closes. */
import { useState } from "preact/hooks";
import type { OpenFile } from "./use-open-files.js";

interface FileTabsProps {
  readonly files: readonly OpenFile[];
  readonly current: number | undefined;
  readonly onChoose: (key: number) => void;
  readonly onClose: (key: number) => void;
  readonly onNew: () => void;
}

export function FileTabs({ files, current, onChoose, onClose, onNew }: FileTabsProps) {
  // At once: the next key may come before the next frame.
  const focus = (key: number | undefined): void => {
    document.getElementById(key === undefined ? "new-tab" : tabId(key))?.focus();
  };
  const press = (event: KeyboardEvent, i: number): void => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at =
      { Home: 0, End: files.length - 1 }[event.key] ?? (by && (i + by + files.length) % files.length);
    const target = at === undefined ? undefined : files[at];
    if (target !== undefined) {
      event.preventDefault();
      onChoose(target.key);
      focus(target.key);
    } else if (event.key === "Delete") {
      event.preventDefault();
      close(i);
    }
  };
  const close = (i: number): void => {
    const { key } = files[i] ?? {};
    if (key !== undefined) {
      onClose(key);
      focus((files[i + 1] ?? files[i - 1])?.key);
    }
  };
  const chosen = files.findIndex(({ key }) => key === current);
  return (
    <nav class="file-tabs" aria-label="Tabs">
      <div role="tablist" aria-label="Open tabs">
        {files.map(({ key, root }, i) => (
          <button
            key={key}
            id={tabId(key)}
            type="button"
            role="tab"
            aria-selected={key === current}
            aria-controls="main"
            aria-keyshortcuts="Delete"
            title={`${root.label} (Delete closes it)`}
            tabIndex={i === Math.max(0, chosen) ? 0 : -1}
            onClick={() => onChoose(key)}
            onAuxClick={() => close(i)}
            onKeyDown={(event) => press(event, i)}
          >
            {root.label}
          </button>
        ))}
      </div>
      {chosen >= 0 && (
        <button
          type="button"
          class="close-tab"
          aria-label={`Close tab ${files[chosen]?.root.label}`}
          onClick={() => close(chosen)}
        >
          ×
        </button>
      )}
      <button id="new-tab" type="button" class="new-tab" aria-label="New tab" onClick={onNew}>
        +
      </button>
      {chosen >= 0 && <CopyLink />}
    </nav>
  );
}

/** Copies the address, which links to the current view. */
function CopyLink() {
  const [text, setText] = useState("Copy link");
  const copy = async (): Promise<void> => {
    // Missing on pages without a secure origin.
    const { clipboard } = navigator as { clipboard?: Clipboard };
    const done = clipboard?.writeText(location.href).then(() => "Link copied") ?? Promise.reject();
    setText(await done.catch(() => "Copy the address of this page"));
  };
  return (
    <button
      type="button"
      class="copy-link"
      aria-live="polite"
      onClick={copy}
      onBlur={() => setText("Copy link")}
    >
      {text}
    </button>
  );
}

function tabId(key: number): string {
  return `file-${key}`;
}
