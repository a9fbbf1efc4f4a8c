/** A call as the state of a component: it is cancelled when the component goes or asks for something else. */
import { useEffect, useState } from "preact/hooks";
import type { CallName, Calls } from "../protocol.js";
import { errorText, isCancelled, type WorkerClient } from "./worker-client.js";

export interface CallState<N extends CallName> {
  readonly result: Calls[N][1] | undefined;
  readonly error: string | undefined;
}

/** @param argument `undefined` asks for nothing */
export function useCall<N extends CallName>(
  client: WorkerClient,
  name: N,
  argument: Calls[N][0] | undefined,
): CallState<N> {
  const [state, setState] = useState<CallState<N>>({ result: undefined, error: undefined });
  const key = JSON.stringify(argument);
  useEffect(() => {
    setState({ result: undefined, error: undefined });
    if (argument === undefined) {
      return;
    }
    const abort = new AbortController();
    client.call(name, argument, { signal: abort.signal }).then(
      (result) => setState({ result, error: undefined }),
      (error) => {
        if (!isCancelled(error)) {
          setState({ result: undefined, error: errorText(error) });
        }
      },
    );
    return () => abort.abort();
  }, [client, name, key]);
  return state;
}
