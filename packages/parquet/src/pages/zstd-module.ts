/**
 * Zstandard's reference implementation in WebAssembly, `@hpcc-js/wasm-zstd`, lazily loaded and shared. The project has regular releases;
 * the module has no native code or separate files, so it also runs in browsers. Node 20 has no Zstandard; newer releases have a different
 * version, which would write different bytes.
 */
import type { Zstd } from "@hpcc-js/wasm-zstd";

let loading: Promise<Zstd> | undefined;

/** @throws {Error} where WebAssembly is forbidden, for example by a content security policy */
export function loadZstd(): Promise<Zstd> {
  loading ??= import("@hpcc-js/wasm-zstd").then(async (library) => {
    const zstd = await library.Zstd.load();
    copyAtOnce(zstd);
    return zstd;
  });
  return loading;
}

interface Heap {
  heapView(place: unknown): Uint8Array;
  heapToUint8Array(place: unknown): Uint8Array;
}

/** The library copies results from its memory byte by byte, through an array, which takes longer than compression. */
function copyAtOnce(zstd: object): void {
  const heap: unknown = Reflect.get(zstd, "_mainModule");
  if (isHeap(heap)) {
    heap.heapToUint8Array = (place) => heap.heapView(place).slice();
  }
}

function isHeap(value: unknown): value is Heap {
  return typeof value === "object" && value !== null && "heapView" in value && "heapToUint8Array" in value;
}

const MAGIC = 0xfd2fb528;

/** The size that a frame's header states; `undefined` if it does not. The library allocates this size, and guesses without it. */
export function statedSize(frame: Uint8Array): number | undefined {
  const flags = frame[4] ?? 0;
  const isSingle = (flags & 32) !== 0;
  const code = flags >>> 6;
  const width = code === 0 ? Number(isSingle) : 1 << code;
  // After magic number and flags: window size, and a dictionary ID of 0, 1, 2 or 4 bytes.
  const start = 5 + (isSingle ? 0 : 1) + ((1 << (flags & 3)) >>> 1);
  if (width === 0 || start + width > frame.length) {
    return undefined;
  }
  const view = new DataView(frame.buffer, frame.byteOffset, frame.length);
  if (view.getUint32(0, true) !== MAGIC) {
    return undefined;
  }
  let size = width === 2 ? 256 : 0;
  for (let i = 0; i < width; i++) {
    size += view.getUint8(start + i) * 256 ** i;
  }
  return size;
}
