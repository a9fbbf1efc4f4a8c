/** The layout of the report. */
import { styleText } from "node:util";
import CliTable3 from "cli-table3";

const hasColors = process.stdout.isTTY === true && !process.env["NO_COLOR"];

function styled(format: Parameters<typeof styleText>[0], text: string): string {
  return hasColors ? styleText(format, text) : text;
}

export function print(line = ""): void {
  process.stdout.write(`${line}\n`);
}

export function title(text: string): void {
  print(`\n${styled("bold", text)}\n`);
}

export function chapter(number: number, text: string): void {
  print(`\n${styled(["bold", "cyan"], `${number}  ${text}`)}\n`);
}

/** A line below a chapter title. */
export function say(text: string): void {
  print(`   ${text}`.trimEnd());
}

/** A command to type, and what it does. */
export function command(text: string, purpose: string): void {
  print(`   ${styled("green", text.padEnd(46))} ${styled("dim", purpose)}`);
}

/** Columns whose title starts with `>` are aligned to the right. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): void {
  const none = Object.fromEntries(
    "top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid"
      .split(" ")
      .map((border) => [border, ""]),
  );
  const lines = new CliTable3({
    head: titles.map((text) => text.replace(/^>/, "")),
    chars: { ...none, middle: "  " },
    colAligns: titles.map((text) => (text.startsWith(">") ? "right" : "left")),
    style: { head: hasColors ? ["bold"] : [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  lines.push(...rows.map((row) => [...row]));
  for (const line of lines.toString().split("\n")) {
    say(line.trimEnd());
  }
}

export function bytes(count: number): string {
  return count.toLocaleString("en-US");
}

export function milliseconds(time: number): string {
  return time < 10 ? `${time.toFixed(1)} ms` : `${Math.round(time)} ms`;
}
