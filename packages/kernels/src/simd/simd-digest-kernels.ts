/** The kernels for digests in WebAssembly SIMD; the portable implementation handles input that the module declines. */
import type { DigestKernels, HashedCells, HashStrings, SumCells } from "../digest-kernels.js";
import { DIGEST_WASM } from "../generated/digest-wasm.js";
import { once } from "../kernel-choice.js";
import { aligned, bytesUnder, startModule } from "./kernels-memory.js";
import type { DigestModule } from "./kernels-module.js";

const FORMS = ["pairs", "signed", "unsigned"] as const;

export class SimdDigestKernels implements DigestKernels {
  private readonly digest = startModule<DigestModule>(DIGEST_WASM);

  readonly hashStrings = once<HashStrings>((portable) => (strings, count, hashes) => {
    const { module, room } = this.digest;
    const put = room.putStrings(strings.offsets, strings.data, count, 8 * count);
    if (put === undefined || module.hashStrings(put.dataAt, put.offsetsAt, put.end, count, put.output) < 0) {
      portable(strings, count, hashes);
    } else {
      hashes.set(new Int32Array(room.bytes.buffer, put.output, 2 * count));
    }
  });

  readonly sumCells = once<SumCells>((portable) => (columns, length, sums) => {
    const { module, room } = this.digest;
    const bitmap = (length + 7) >> 3;
    const input = aligned(8 * length) + bitmap;
    const size = aligned(8 * length + 32);
    if (!room.reserve(input, 2 * size) || columns.some((column) => !isWhole(column, length))) {
      portable(columns, length, sums);
      return;
    }
    const keys = room.outputStart(input);
    const rows = keys + size;
    const fold = ({ words, form, validity, seed: [low, high] }: HashedCells, from: number, to: number) => {
      const at = room.put(bytesUnder(words), 0, (form === "pairs" ? 8 : 4) * length);
      const bits = validity === undefined ? 0 : at + aligned(8 * length);
      if (validity !== undefined) {
        room.bytes.set(validity.subarray(0, bitmap), bits);
      }
      return module.foldCells(at, FORMS.indexOf(form), length, bits, low, high, keys, from, to);
    };
    const add = (column: number, sumsAt: number): void => {
      const [low = 0, high = 0] = new Int32Array(room.bytes.buffer, sumsAt, 2);
      sums[2 * column] = (sums[2 * column] ?? 0) + low;
      sums[2 * column + 1] = (sums[2 * column + 1] ?? 0) + high;
    };
    module.clearKeys(keys, length);
    for (const [i, column] of columns.entries()) {
      if (column.isKey) {
        add(i, fold(column, 0, keys));
      }
    }
    // The first column that is not part of the key starts the hashes of the rows with their keys.
    let hashes = keys;
    for (const [i, column] of columns.entries()) {
      if (!column.isKey) {
        add(i, fold(column, hashes, rows));
        hashes = rows;
      }
    }
    add(columns.length, module.sumRows(hashes, length));
  });
}

function isWhole({ words, form, validity }: HashedCells, length: number): boolean {
  return (
    words.length >= (form === "pairs" ? 2 : 1) * length &&
    (validity === undefined || 8 * validity.length >= length)
  );
}
