/**
 * The page inside an editor. Messages to the editor: `{ ready }`, reads of bytes, `{ save }`. Messages from it: `{ files }`
 * once, and the answers to the reads.
 */
import { render } from "preact";
import type { GivenFile, HostAnswer, HostRead } from "../protocol.js";
import { App } from "./app.js";
import { saveWith } from "./save-file.js";
import { WorkerClient } from "./worker-client.js";

interface Editor {
  postMessage(message: unknown): void;
}

declare function acquireVsCodeApi(): Editor;

type FromEditor = HostAnswer | { readonly files: readonly GivenFile[] };

const editor = acquireVsCodeApi();

/** A worker needs a script of the page's own origin, which a web view has only for blobs. */
async function startWorker(): Promise<WorkerClient> {
  const script = document.querySelector('meta[name="cfile-worker"]')?.getAttribute("content") ?? "";
  const code = await (await fetch(script)).text();
  return new WorkerClient(new URL(URL.createObjectURL(new Blob([code], { type: "text/javascript" }))));
}

const { port1: page, port2: worker } = new MessageChannel();
page.addEventListener("message", ({ data }: MessageEvent<HostRead>) => editor.postMessage(data));
page.start();
saveWith(async ({ name, blob }) => {
  editor.postMessage({ save: { name, bytes: new Uint8Array(await blob.arrayBuffer()) } });
});
const client = startWorker().then((started) => {
  started.connect(worker);
  return started;
});
addEventListener("message", async ({ data }: MessageEvent<FromEditor>) => {
  if (!("files" in data)) {
    page.postMessage(data);
    return;
  }
  const root = document.getElementById("app");
  if (root !== null) {
    render(<App client={await client} served={data.files} isEmbedded />, root);
  }
});
editor.postMessage({ ready: true });
