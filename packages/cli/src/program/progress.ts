/** A progress bar on standard error, where that is a terminal. */
import cliProgress from "cli-progress";
import type { CliIo } from "./io.js";

export interface Progress {
  /** Sets how much is done, of the total given at the start. */
  update(done: number): void;
  /** Removes the bar. */
  stop(): void;
}

const silent: Progress = {
  update: () => undefined,
  stop: () => undefined,
};

/** @param total what counts as all of it; the bar shows percent */
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
