/** Chromium without a window, driven by playwright-core. */
import { type Browser, chromium } from "playwright-core";
import { findChromium } from "./find-chromium.js";

/**
 * Starts Chromium; `browser.close()` ends it.
 *
 * @param found the program; by default the one that `findChromium` finds
 * @throws Error where there is none, with the reason
 */
export async function launchChromium({ path, missing } = findChromium()): Promise<Browser> {
  if (path === undefined) {
    throw new Error(missing);
  }
  return await chromium.launch({
    executablePath: path,
    headless: true,
    // The sandbox does not work for root, and shared memory is small in containers.
    args: [...(process.getuid?.() === 0 ? ["--no-sandbox"] : []), "--disable-dev-shm-usage"],
  });
}
