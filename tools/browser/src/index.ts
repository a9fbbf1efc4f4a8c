/** @module @cfile-tools/browser: Chromium, pages and a web server for tests in a browser. */

export { type AskedRange, readRange } from "./asked-range.js";
export { type BundleOptions, bundleScripts, type Script } from "./bundle-scripts.js";
export { ensureChromium, type FoundChromium, findChromium } from "./find-chromium.js";
export { launchChromium } from "./launch-chromium.js";
export type { Misbehaviour } from "./misbehaviour.js";
export { type PageOptions, pageFiles, strictPolicy } from "./page-files.js";
export {
  type Served,
  type ServedFile,
  type ServerOptions,
  serveFiles,
  type WebServer,
} from "./serve-files.js";
export { requireSignature, type S3Credentials } from "./signed-request.js";
