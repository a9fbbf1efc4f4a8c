/** A progress bar on standard error, if it is a terminal. */
import cliProgress from "cli-progress";
import type { CliIo } from "../io.js";

export interface Progress {
  update(done: number): void;
  /** Removes the bar. */
  stop(): void;
}

const silent: Progress = { update: () => undefined, stop: () => undefined };

/** @param total the value of `update` that is 100 % */
export function startProgress({ stderr }: CliIo, label: string, total: number): Progress {
  if (stderr.isTTY !== true || total <= 0) {
    return silent;
  }
  const bar = new cliProgress.SingleBar({
    stream: stderr,
    format: `${label} {bar} {percentage} % {eta_formatted}`,
    barCompleteChar: "█",
    barIncompleteChar: "░",
    hideCursor: true,
    clearOnComplete: true,
    gracefulExit: false,
    fps: 10,
  });
  bar.start(total, 0);
  return {
    update: (done) => bar.update(Math.min(done, total)),
    stop: () => bar.stop(),
  };
}
