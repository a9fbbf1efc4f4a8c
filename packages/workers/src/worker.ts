/** What the pool's workers run: serves the pool that started them; does nothing outside a worker. */
import { serveScans } from "./serve-scans.js";
import { ownEnd } from "./worker-like.js";

export { type ServeOptions, serveScans } from "./serve-scans.js";

const end = ownEnd();
if (end !== undefined) {
  serveScans(end);
}
