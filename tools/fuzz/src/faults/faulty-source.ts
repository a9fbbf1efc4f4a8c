/** A source that fails once, at a chosen operation, in a chosen way. */
import type { ByteSource, ReadOptions } from "@cfile/io";

export const READ_FAULTS = [
  "an error",
  "one byte too few",
  "no bytes",
  "one byte too many",
  "something other than bytes",
  "other bytes",
  "an abort while it is slow",
  "no answer until it is aborted",
] as const;

export type ReadFault = (typeof READ_FAULTS)[number];

/** Faults that affect all reads from this operation on. */
export const LASTING_FAULTS = [
  "the file is half as long",
  "the file was replaced",
  "the disk is gone",
] as const;

export type LastingFault = (typeof LASTING_FAULTS)[number];

export interface Injection {
  readonly at: number;
  readonly fault: ReadFault | LastingFault;
}

/** Counts the operations of all sources of one test and decides which of them fail. */
export class FaultPlan {
  operations = 0;
  injection: Injection | undefined;
  /** The signal that the test passes to everything it calls. */
  controller = new AbortController();
  /** Whether the operation was reached. */
  struck = false;

  /** @param injection position of the next fault; without it, everything works from here on */
  reset(injection?: Injection): void {
    this.operations = 0;
    this.injection = injection;
    this.controller = new AbortController();
    this.struck = false;
  }

  source(bytes: Uint8Array, name: string): ByteSource {
    const half = (): boolean => this.lasting("the file is half as long");
    return {
      name,
      size: async () => {
        const fault = this.next();
        await this.slow(fault, undefined);
        if (fault === "something other than bytes" || fault === "one byte too few") {
          return Number.NaN;
        }
        return bytes.length;
      },
      read: async (offset, length, options?: ReadOptions) => {
        const fault = this.next();
        await this.slow(fault, options?.signal);
        const end = half() ? bytes.length >> 1 : bytes.length;
        const answer = bytes.slice(Math.min(offset, end), Math.min(offset + length, end));
        if (this.lasting("the file was replaced") || fault === "other bytes") {
          return answer.map((byte) => byte ^ 0x55);
        }
        return wrongAnswer(fault, answer);
      },
    };
  }

  private next(): ReadFault | undefined {
    const { injection } = this;
    const at = this.operations++;
    if (injection === undefined || at < injection.at) {
      return undefined;
    }
    this.struck = true;
    if (injection.fault === "the disk is gone") {
      throw Object.assign(new Error("EIO: i/o error, read"), { code: "EIO", syscall: "read" });
    }
    return at === injection.at ? READ_FAULTS.find((fault) => fault === injection.fault) : undefined;
  }

  private lasting(fault: LastingFault): boolean {
    return this.struck && this.injection?.fault === fault;
  }

  private async slow(fault: ReadFault | undefined, signal: AbortSignal | undefined): Promise<void> {
    if (fault === "an error") {
      throw Object.assign(new Error("EIO: i/o error, read"), { code: "EIO", syscall: "read" });
    }
    if (fault === "an abort while it is slow") {
      await new Promise((resolve) => setImmediate(resolve));
      this.controller.abort(new DOMException("enough", "AbortError"));
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (fault === "no answer until it is aborted") {
      setImmediate(() => this.controller.abort(new DOMException("enough", "AbortError")));
      await new Promise<void>((_resolve, reject) => {
        const own = signal ?? this.controller.signal;
        own.addEventListener("abort", () => reject(own.reason));
      });
    }
  }
}

function wrongAnswer(fault: ReadFault | undefined, answer: Uint8Array): Uint8Array {
  switch (fault) {
    case "one byte too few":
      return answer.subarray(0, Math.max(0, answer.length - 1));
    case "no bytes":
      return answer.subarray(0, 0);
    case "one byte too many": {
      const more = new Uint8Array(answer.length + 1);
      more.set(answer);
      return more;
    }
    case "something other than bytes":
      return undefined as never;
    default:
      return answer;
  }
}
