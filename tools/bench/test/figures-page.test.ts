import { expect, test } from "vitest";
import { atLeast } from "../src/bench-case.js";
import { figuresPage } from "../src/figures/figures-page.js";
import { makeReport } from "../src/report.js";

const row = (contender: string, rate: number, ratio?: number, wanted?: number) => ({
  contender,
  milliseconds: 1,
  rate,
  ratio,
  ...(wanted !== undefined && { wanted }),
});

test("contenders are columns if each has several tasks; missed goals are bold", () => {
  const page = figuresPage([
    makeReport(
      [
        {
          name: "scan",
          title: "Scans",
          unit: "MB/s",
          peer: "Kudu",
          rows: [
            row("Kudu: a", 100, 1),
            row("cfile: a", 1234, 12.34, 10),
            row("Kudu: b", 7, 1),
            row("cfile: b", 3.5, 0.5, 1),
          ],
          goals: [atLeast("a", 10, 12.34), atLeast("b", 1, 0.5)],
        },
      ],
      1,
      "pnpm bench",
    ),
  ]);
  expect(page).toContain("| what | Kudu | cfile | × Kudu |");
  expect(page).toContain("| a | 100 MB/s | 1,234 MB/s | 12.3 (10) |");
  expect(page).toContain("| b | 7 MB/s | 3.5 MB/s | **0.5** (1) |");
  expect(page).toContain("1 of 2 goals are met. Missed:\n\n- b: **0.5**, goal 1");
});

test("otherwise, one line each", () => {
  const page = figuresPage([
    makeReport(
      [
        {
          name: "seek",
          title: "Seeks",
          unit: "a second",
          peer: "other",
          rows: [row("one | two", 5, 2)],
          goals: [],
        },
      ],
      1,
      "pnpm bench",
    ),
  ]);
  expect(page).toContain("| what | rate | × other |");
  expect(page).toContain("| one \\| two | 5 a second | 2 |");
});

test("goals that are met in only one of the runs, with and without a busy loop, are compared", () => {
  const report = (name: string, [a, b]: readonly [number, number]) =>
    makeReport(
      [
        {
          name,
          title: name,
          unit: "a second",
          peer: "other",
          rows: [row("one", 5, 2)],
          goals: [atLeast("a", 10, a), atLeast("b", 1, b)],
        },
      ],
      1,
      "pnpm bench",
    );
  const recorded = [report("scan", [12, 0.5]), report("seek", [12, 2])];
  const page = figuresPage(recorded, { last: [report("scan", [9, 0.4])] });
  expect(page).toContain(
    "Throttled, 0 of 2 goals are met. In the tables above, which can be of other commits, it is 1 of these.",
  );
  expect(page).toContain("Without a throttled run: seek.");
  expect(page).toContain("| a | 10 | 12 | **9** |");
  expect(page).not.toContain("| b | 1 |");
  expect(figuresPage(recorded)).not.toContain("busy loop");
});
