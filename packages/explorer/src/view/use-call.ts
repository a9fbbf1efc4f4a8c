/** A call as the state of a component: it is cancelled when the component goes or asks for something else. */
import type { Progress } from "@cfile/bytes";
import { useCallback, useEffect, useState } from "preact/hooks";
import type { CallName, Calls } from "../protocol.js";
import { errorText, isCancelled, type WorkerClient } from "./worker-client.js";

interface Outcome<N extends CallName> {
  readonly result?: Calls[N][1] | undefined;
  readonly error?: string | undefined;
}

export interface CallState<N extends CallName> extends Outcome<N> {
  /** Ends the call; `undefined` when none is under way. */
  readonly stop: (() => void) | undefined;
  /** Calls once more. */
  readonly again: () => void;
}

/**
 * @param argument `undefined` asks for nothing
 * @param onProgress called with `undefined` first
 */
export function useCall<N extends CallName, P = Progress>(
  client: WorkerClient,
  name: N,
  argument: Calls[N][0] | undefined,
  onProgress?: (progress: P | undefined) => void,
): CallState<N> {
  const [outcome, setOutcome] = useState<Outcome<N>>({});
  const [abort, setAbort] = useState<AbortController>();
  const [run, setRun] = useState(0);
  const key = JSON.stringify(argument);
  useEffect(() => {
    setOutcome({});
    if (argument === undefined) {
      return;
    }
    let isWanted = true;
    const controller = new AbortController();
    const end = (found: Outcome<N>): void => {
      if (isWanted) {
        setOutcome(found);
        setAbort(undefined);
      }
    };
    setAbort(controller);
    onProgress?.(undefined);
    client.call(name, argument, { signal: controller.signal, onProgress }).then(
      (result) => end({ result }),
      (error) => end({ error: isCancelled(error) ? "Stopped." : errorText(error) }),
    );
    return () => {
      isWanted = false;
      controller.abort();
    };
  }, [client, name, key, run]);
  const again = useCallback(() => setRun((count) => count + 1), []);
  return { ...outcome, stop: abort && (() => abort.abort()), again };
}
