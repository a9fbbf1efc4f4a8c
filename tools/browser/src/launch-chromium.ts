/** Chromium in headless mode, controlled by playwright-core. */
import { type Browser, chromium } from "playwright-core";
import { findChromium } from "./find-chromium.js";

/**
 * Starts Chromium. `browser.close()` stops it.
 * @param found the executable; by default, the one that `findChromium` finds
 * @throws Error with the reason when Chromium is not available
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
