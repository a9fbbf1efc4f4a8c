/** Starts the page and its worker; keeps the page's files for when there is no network. */
import { render } from "preact";
import { App } from "./app.js";
import { trustedScript, WorkerClient } from "./worker-client.js";

/** `cfile serve` names its files here. */
function servedFiles(): string[] {
  const content = document.querySelector('meta[name="cfile-served"]')?.getAttribute("content") ?? "";
  return content === "" ? [] : content.split(" ");
}

const client = new WorkerClient(new URL("./worker.js", import.meta.url));
const place = document.getElementById("app");
if (place !== null) {
  render(<App client={client} served={servedFiles()} />, place);
}
if ("serviceWorker" in navigator && servedFiles().length === 0) {
  const script = trustedScript(new URL("./offline.js", import.meta.url));
  navigator.serviceWorker.register(script).catch(() => undefined);
}
