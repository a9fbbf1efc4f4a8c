/** Finds or installs Chromium. Prints its path on stdout, or nothing on stdout and the reason on stderr. */
import { ensureChromium } from "./find-chromium.js";

const { path, missing } = ensureChromium();
if (path !== undefined) {
  console.log(path);
} else {
  console.error(`Tests in a browser are skipped. ${missing}`);
}
