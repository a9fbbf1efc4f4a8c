import type { Exported } from "../protocol.js";

type Save = (file: Exported) => void;

let save: Save = download;

/** Saves a file: through the browser's downloads, unless the host of the page saves it. */
export function saveFile(file: Exported): void {
  save(file);
}

export function saveWith(host: Save): void {
  save = host;
}

/** Saves the file locally; nothing is sent anywhere. */
function download({ name, blob }: Exported): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
