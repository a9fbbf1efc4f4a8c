/** Runs in a worker, so that the simulated disk never replaces anything of the page. */
import { cutPower, type PowerCuts } from "./power-cut.js";

self.addEventListener("message", async ({ data }: MessageEvent<{ readonly sync: boolean }>) => {
  self.postMessage((await cutPower(data.sync)) satisfies PowerCuts);
});
