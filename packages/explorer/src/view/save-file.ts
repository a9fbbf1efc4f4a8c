import type { Exported } from "../protocol.js";

/** Saves a file through the browser's downloads. Nothing is sent anywhere. */
export function saveFile({ name, blob }: Exported): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
