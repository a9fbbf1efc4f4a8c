/** Calls the user's function with the batches of a task. */
import { fieldsOf } from "../messages/error-fields.js";
import type { ResultMessage } from "../messages/messages.js";
import { Thrown } from "../messages/thrown-fields.js";
import type { MapFunction, MapTask } from "../pool/map-function.js";
import type { TaskBatches } from "./task-batches.js";

/**
 * Sends the result of the function at once, because it may refer to the memory of batches.
 *
 * @param send called once, unless this throws
 * @throws {Thrown} what the function throws, and when its result cannot be sent
 * @throws {CFileError} the error of `batches`. If the function has caught it and returned, the error is sent with the result
 */
export async function callFunction(
  send: (message: Omit<ResultMessage, "task">) => void,
  call: MapFunction,
  batches: TaskBatches,
  task: MapTask<never>,
): Promise<void> {
  task.signal.throwIfAborted();
  try {
    const result = await call(batches, task);
    send({ kind: "result", result, error: batches.failure && fieldsOf(batches.failure.error) });
  } catch (thrown) {
    // The function throws because the file does.
    throw batches.failure === undefined ? new Thrown(thrown) : batches.failure.error;
  } finally {
    await batches.return();
  }
}
