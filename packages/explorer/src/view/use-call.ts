/** Calls to the worker as state of a component. */
import type { Progress } from "@cfile/bytes";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { CallName, Calls } from "../protocol.js";
import { type CallOptions, errorText, isCancelled, type WorkerClient } from "./worker-client.js";

interface Outcome<N extends CallName> {
  readonly result?: Calls[N][1] | undefined;
  readonly error?: string | undefined;
}

/**
 * Calls when the component appears and when the argument changes; cancels when the component disappears or the argument changes again.
 *
 * @param argument `undefined` for no call
 * @param onProgress called with `undefined` first
 * @returns `stop` is `undefined` when no call is in progress; `again` repeats the call
 */
export function useCall<N extends CallName, P = Progress>(
  client: WorkerClient,
  name: N,
  argument: Calls[N][0] | undefined,
  onProgress?: (progress: P | undefined) => void,
) {
  const [outcome, setOutcome] = useState<Outcome<N>>({});
  const [abort, setAbort] = useState<AbortController>();
  const [run, setRun] = useState(0);
  const key = JSON.stringify(argument);
  useEffect(() => {
    setOutcome({});
    if (argument === undefined) {
      return;
    }
    let isCurrent = true;
    const controller = new AbortController();
    const end = (found: Outcome<N>): void => {
      if (isCurrent) {
        setOutcome(found);
        setAbort(undefined);
      }
    };
    setAbort(controller);
    onProgress?.(undefined);
    client.call(name, argument, { signal: controller.signal, onProgress }).then(
      (result) => end({ result }),
      (error) => end({ error: messageOf(error) }),
    );
    return () => {
      isCurrent = false;
      controller.abort();
    };
  }, [client, name, key, run]);
  const again = useCallback(() => setRun((count) => count + 1), []);
  return { ...outcome, stop: abort && (() => abort.abort()), again };
}

/** An action of the user, one at a time: its message, its progress and a way to stop it. */
export function useAction() {
  const [message, setMessage] = useState("");
  const [progress, setProgress] = useState<Progress>();
  const [isRunning, setRunning] = useState(false);
  const current = useRef<AbortController | undefined>(undefined);
  /** @param work returns the final message */
  const run = async (first: string, work: (options: CallOptions<Progress>) => Promise<string>) => {
    current.current?.abort();
    const controller = new AbortController();
    current.current = controller;
    setRunning(true);
    setMessage(first);
    const last = await work({ signal: controller.signal, onProgress: setProgress }).catch(messageOf);
    if (current.current === controller) {
      setMessage(last);
      setRunning(false);
      setProgress(undefined);
    }
  };
  return { message, setMessage, progress, run, stop: isRunning ? () => current.current?.abort() : undefined };
}

function messageOf(error: unknown): string {
  return isCancelled(error) ? "Stopped." : errorText(error);
}
