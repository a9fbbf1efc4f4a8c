/** Starts the page and its worker, and registers the service worker, which makes the page work offline. */
import { render } from "preact";
import type { GivenFile } from "../protocol.js";
import { App } from "./app.js";
import { trustedScript, WorkerClient } from "./worker-client.js";

/** The files of `cfile serve`; none on other servers. */
async function servedFiles(): Promise<readonly GivenFile[]> {
  const list = document.querySelector('meta[name="cfile-served"]')?.getAttribute("content");
  if (!list) {
    return [];
  }
  const answer = await fetch(new URL(list, document.baseURI));
  const files: readonly { readonly path: string; readonly url: string }[] = await answer.json();
  return files.map(({ path, url }) => ({ path, url: new URL(url, document.baseURI).href }));
}

const client = new WorkerClient(new URL("./worker.js", import.meta.url));
const root = document.getElementById("app");
const served = await servedFiles();
if (root !== null) {
  render(<App client={client} served={served} />, root);
}
if ("serviceWorker" in navigator && served.length === 0) {
  const script = trustedScript(new URL("./offline.js", import.meta.url));
  navigator.serviceWorker.register(script).catch(() => undefined);
}
