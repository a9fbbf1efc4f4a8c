/**
 * Counts the memory allocated in typed arrays and buffers while something runs, whether or not it is written
 * to.
 */

const NAMES = [
  "Uint8Array",
  "Int8Array",
  "Uint16Array",
  "Int16Array",
  "Uint32Array",
  "Int32Array",
  "Float32Array",
  "Float64Array",
  "BigInt64Array",
  "BigUint64Array",
  "ArrayBuffer",
] as const;

/** @returns all bytes allocated, including released ones */
export async function countMemory(action: () => Promise<unknown>): Promise<number> {
  const originals = new Map<string, object>();
  let total = 0;
  for (const name of NAMES) {
    const original: new (...args: never) => { readonly byteLength: number } = globalThis[name];
    originals.set(name, original);
    const counting = new Proxy(original, {
      construct(target, args, newTarget): object {
        const made = Reflect.construct(target, args, newTarget === counting ? target : newTarget);
        // A view of an existing buffer allocates nothing.
        total += args[0] instanceof ArrayBuffer || args[0] instanceof SharedArrayBuffer ? 0 : made.byteLength;
        return made;
      },
    });
    Reflect.set(globalThis, name, counting);
  }
  try {
    await action();
  } finally {
    for (const [name, original] of originals) {
      Reflect.set(globalThis, name, original);
    }
  }
  return total;
}
