/** @module @cfile/workers/worker: the script of the pool's workers; does nothing outside a worker. */
import { ownEnd } from "./pool/worker-like.js";
import { serveScans } from "./worker/serve-scans.js";

export { type ServeOptions, serveScans } from "./worker/serve-scans.js";

const end = ownEnd();
if (end !== undefined) {
  serveScans(end);
}
