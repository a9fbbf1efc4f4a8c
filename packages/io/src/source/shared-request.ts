import { untilAborted } from "./until-aborted.js";

interface Running<T> {
  readonly answer: Promise<T>;
  readonly controller: AbortController;
  /** Callers that wait for the answer and have not aborted. */
  waiting: number;
}

/**
 * One request for all callers that need its answer, which is kept. It is aborted when all of them have aborted; after a failure or
 * an abort, the next caller makes it again.
 */
export class SharedRequest<T> {
  private readonly send: (signal: AbortSignal) => Promise<T>;
  private running: Running<T> | undefined;

  constructor(send: (signal: AbortSignal) => Promise<T>) {
    this.send = send;
  }

  /** Fails as `send` does, and with the signal's reason as soon as it is aborted. */
  answer(signal: AbortSignal | undefined): Promise<T> {
    if (signal?.aborted === true) {
      return Promise.reject(signal.reason);
    }
    this.running ??= this.start();
    const { running } = this;
    running.waiting++;
    return untilAborted(running.answer, signal, () => {
      running.waiting--;
      if (running.waiting === 0) {
        this.forget(running);
        running.controller.abort();
      }
    });
  }

  private start(): Running<T> {
    const controller = new AbortController();
    const running = { answer: this.send(controller.signal), controller, waiting: 0 };
    running.answer.catch(() => this.forget(running));
    return running;
  }

  private forget(running: Running<T>): void {
    if (this.running === running) {
      this.running = undefined;
    }
  }
}
