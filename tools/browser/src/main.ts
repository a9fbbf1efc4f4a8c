/** Finds or installs Chromium and says where it is: on stdout the path, or nothing; on stderr why there is none. */
import { ensureChromium } from "./find-chromium.js";

const { path, missing } = ensureChromium();
if (path !== undefined) {
  console.log(path);
} else {
  console.error(`Tests in a browser are skipped. ${missing}`);
}
