/** Writes texts to the output: one per line, or as one JSON array with an element per line. */
import type { TextOutput } from "../program/output/text-output.js";

export type TextTarget = Pick<TextOutput, "write" | "line">;

export class LineWriter {
  private readonly output: TextTarget;
  private readonly isArray: boolean;
  private isBegun = false;

  constructor(output: TextTarget, isArray: boolean) {
    this.output = output;
    this.isArray = isArray;
  }

  async write(texts: readonly string[]): Promise<void> {
    if (texts.length === 0) {
      return;
    }
    await (this.isArray
      ? this.output.write((this.isBegun ? ",\n" : "[") + texts.join(",\n"))
      : this.output.line(texts.join("\n")));
    this.isBegun = true;
  }

  async end(): Promise<void> {
    if (this.isArray) {
      await this.output.line(this.isBegun ? "]" : "[]");
    }
  }
}
