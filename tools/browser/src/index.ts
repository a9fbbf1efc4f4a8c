/** @module @cfile-tools/browser: Chromium and pages for tests in a browser. */

export { ALL_RULES, accessibilityProblems, COLOR_RULES, keyboardProblems } from "./accessibility.js";
export { type BundleOptions, bundleScripts, type PageFile, type Script } from "./bundle-scripts.js";
export { ensureChromium, type FoundChromium, findChromium } from "./find-chromium.js";
export { launchChromium } from "./launch-chromium.js";
export { type PageOptions, pageFiles, strictPolicy } from "./page-files.js";
