/** What axe-core finds in a page or a frame, and what the keyboard does not reach. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Frame, Page } from "playwright-core";

/** Rules of axe-core: WCAG 2.2 AA and its best practices. */
export const ALL_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** Only colors differ between light and dark. */
export const COLOR_RULES = ["color-contrast"];

const MAX_STOPS = 300;
const STOPS_AT_ONCE = 10;
const STOPS = `[...root.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")]
  .filter((element) => element.tabIndex >= 0 && !element.disabled && element.checkVisibility({ visibilityProperty: true }))`;

/** Each violation as its rule and the HTML of the first element. */
export async function accessibilityProblems(
  frame: Page | Frame,
  rules: readonly string[] = ALL_RULES,
): Promise<string[]> {
  await frame.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  const found: { id: string; nodes: { html: string; failureSummary: string }[] }[] = await frame.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(rules)} }).then(({ violations }) => violations)`,
  );
  return found.map(({ id, nodes: [node] }) => `${id}: ${node?.html.slice(0, 200)} ${node?.failureSummary}`);
}

/**
 * Presses Tab through the first element with this selector. Returns the elements that should have had the focus and did
 * not, those that get it before an element that precedes them, and those that do not show that they have it.
 */
export async function keyboardProblems(page: Page, selector = "body"): Promise<string[]> {
  const stops = Number(
    await page.evaluate(`{
      const root = document.querySelector(${JSON.stringify(selector)});
      globalThis.keyboardStops = new Set(${STOPS});
      globalThis.unmarkedStops = new Set();
      globalThis.lateStops = new Set();
      // Tab continues from the element with the focus.
      root.tabIndex = -1;
      root.focus();
      document.addEventListener("focusin", ({ target }) => {
        if (keyboardStops.delete(target)) {
          for (const stop of keyboardStops) {
            if (stop.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_FOLLOWING) {
              lateStops.add(stop);
            }
          }
        }
        if (!root.contains(target)) {
          return;
        }
        const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(target);
        if ((outlineStyle === "none" || outlineWidth === "0px") && boxShadow === "none") {
          unmarkedStops.add(target);
        }
      });
      keyboardStops.size;
    }`),
  );
  if (stops > MAX_STOPS) {
    throw new Error(`too many stops for the keyboard: ${stops} (maximum ${MAX_STOPS})`);
  }
  // Scrollable areas are stops as well.
  let left = stops;
  for (let pressed = 0; left > 0 && pressed < 2 * stops + STOPS_AT_ONCE; pressed += STOPS_AT_ONCE) {
    for (let i = 0; i < STOPS_AT_ONCE; i++) {
      await page.keyboard.press("Tab");
    }
    left = Number(await page.evaluate("keyboardStops.size"));
  }
  return page.evaluate(`document.body.removeAttribute("tabindex"), [
    ...[...keyboardStops].map((element) => "not reached: " + element.outerHTML.slice(0, 160)),
    ...[...lateStops].map((element) => "reached too late: " + element.outerHTML.slice(0, 160)),
    ...[...unmarkedStops].map((element) => "no visible focus: " + element.outerHTML.slice(0, 160)),
  ]`);
}
