/** Functions that `map.test.ts` calls in workers. */

/** @param {AsyncIterable<{ length: number, toArray(options: object): unknown[] }>} batches */
export async function cells(batches, { input, rows }) {
  const all = [];
  for await (const batch of batches) {
    all.push(...batch.toArray({ strings: "bytes" }));
  }
  return { input, rows, cells: all };
}

export async function count(batches) {
  let rows = 0;
  for await (const { length } of batches) {
    rows += length;
  }
  return rows;
}

export async function first(batches) {
  for await (const batch of batches) {
    return batch.firstRow;
  }
  return -1;
}

/** Keeps the iterator open, and the view of a batch. */
export async function firstValues(batches) {
  const step = await batches[Symbol.asyncIterator]().next();
  return step.value.values.subarray(0, 3);
}

export const nothing = () => undefined;

/** Continues to read after it has left the loop. */
export async function again(batches) {
  for await (const _ of batches) {
    break;
  }
  return count(batches);
}

export async function until(batches, { argument, rows }) {
  if (rows.from >= argument.row) {
    throw new RangeError(`enough at ${rows.from}`);
  }
  return count(batches);
}

export async function catching(batches) {
  let rows = 0;
  try {
    for await (const { length } of batches) {
      rows += length;
    }
  } catch {
    return { rows, isWhole: false };
  }
  return { rows, isWhole: true };
}

export async function wrapping(batches) {
  try {
    return await count(batches);
  } catch (cause) {
    throw new Error("wrapped", { cause });
  }
}

export async function throwing(_batches, { argument }) {
  switch (argument) {
    case "cfile":
      throw Object.assign(new Error("mine"), { name: "CFileError", code: "E_LIMIT", reason: "mine" });
    case "function":
      throw () => argument;
    case "bare":
      throw Object.create(null);
    default:
      throw argument;
  }
}

export const uncloneable = () => ({ call: () => 1 });

/** Waits until its task is aborted. */
export function patient(_batches, { signal }) {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve("aborted")));
}

export const notAFunction = 5;
