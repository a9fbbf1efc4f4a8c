/**
 * Column batches as messages: plain objects of typed arrays. Arrays that fill their buffer, or lie in an arena, are transferred; others
 * are copied, because their buffer may hold other batches or the file. The dictionary is not sent: both sides read it from the file.
 */
import { corrupt, type MemoryArena } from "@cfile/bytes";
import {
  ArrayBatch,
  type BatchRows,
  type BinaryVector,
  type BoolVector,
  batchOfVector,
  type ColumnBatch,
  type DictionaryVector,
  type FixedValues,
  type FixedVector,
  type ScalarBatch,
} from "@cfile/encodings";

type SentVector = FixedVector | BoolVector | BinaryVector | Omit<DictionaryVector, "dictionary">;

interface ScalarMessage extends BatchRows {
  readonly vector: SentVector;
}

interface ArrayMessage extends BatchRows {
  readonly offsets: Int32Array;
  readonly child: ScalarMessage;
}

export type BatchMessage = ScalarMessage | ArrayMessage;

/** Collects batches for one message. They must not be used afterwards. */
export class BatchPacker {
  readonly batches: BatchMessage[] = [];
  /** Bytes of all arrays. */
  bytes = 0;
  private readonly moved = new Set<ArrayBuffer>();
  private readonly arena: MemoryArena | undefined;

  /** @param arena memory transferred from it, or copied into it, is returned to it later */
  constructor(arena?: MemoryArena) {
    this.arena = arena;
  }

  /** The buffers to transfer with the message. */
  get transfer(): ArrayBuffer[] {
    return [...this.moved];
  }

  add(batch: ColumnBatch): void {
    this.batches.push(
      batch.kind === "array"
        ? { ...this.rows(batch), offsets: this.take(batch.offsets), child: this.scalar(batch.child) }
        : this.scalar(batch),
    );
  }

  private rows({ type, length, firstRow, rows, validity, nullCount }: BatchRows): BatchRows {
    const taken = { rows: rows && this.take(rows), validity: validity && this.take(validity) };
    return { type, length, firstRow, nullCount, ...taken };
  }

  private scalar(batch: ScalarBatch): ScalarMessage {
    return { ...this.rows(batch), vector: this.vector(batch) };
  }

  private vector(batch: ScalarBatch): SentVector {
    const { length } = batch;
    switch (batch.kind) {
      case "fixed":
        return { kind: "fixed", physical: batch.physical, length, values: this.take(batch.values) };
      case "bool":
        return { kind: "bool", length, values: this.take(batch.values) };
      case "dictionary":
        return { kind: "dictionary", length, codes: this.take(batch.codes) };
      case "binary":
        return this.binary(batch);
    }
  }

  private binary({ length, offsets, data }: Pick<BinaryVector, "length" | "offsets" | "data">): BinaryVector {
    const start = offsets[0] ?? 0;
    const end = offsets[length] ?? start;
    // The data may be that of a whole block, while the batch needs only a part.
    const trimmed = 2 * (end - start) < data.length;
    return {
      kind: "binary",
      length,
      offsets: this.take(trimmed ? offsets.map((offset) => offset - start) : offsets),
      data: this.take(trimmed ? data.slice(start, end) : data),
    };
  }

  private take<T extends FixedValues>(values: T): T {
    const { buffer, byteLength } = values;
    const { arena, moved } = this;
    this.bytes += byteLength;
    if (byteLength === 0) {
      return values.slice() as T;
    }
    if (buffer instanceof ArrayBuffer) {
      const isOwn = arena?.detach(buffer) || (byteLength === buffer.byteLength && !moved.has(buffer));
      if (isOwn || (arena !== undefined && moved.has(buffer))) {
        moved.add(buffer);
        return values;
      }
    }
    const copy = this.copy(values);
    moved.add(copy.buffer as ArrayBuffer);
    return copy;
  }

  private copy<T extends FixedValues>(values: T): T {
    if (this.arena === undefined) {
      return values.slice() as T;
    }
    const View = values.constructor as new (buffer: ArrayBuffer, offset: number, length: number) => T;
    const buffer = this.arena.take(values.byteLength);
    this.arena.detach(buffer);
    const copy = new View(buffer, 0, values.length);
    (copy as { set(from: FixedValues): void }).set(values);
    return copy;
  }
}

/** @param dictionary the file's dictionary, if its encoding has one */
export function unpackBatch(message: BatchMessage, dictionary: BinaryVector | undefined): ColumnBatch {
  return "vector" in message
    ? scalarOf(message, dictionary)
    : new ArrayBatch(message, message.offsets, scalarOf(message.child, dictionary));
}

function scalarOf({ vector, ...rows }: ScalarMessage, dictionary: BinaryVector | undefined): ScalarBatch {
  if (vector.kind !== "dictionary") {
    return batchOfVector(rows, vector);
  }
  if (dictionary === undefined) {
    throw corrupt("dictionary codes in a file without a dictionary", { field: "dict_block_ptr" });
  }
  return batchOfVector(rows, { ...vector, dictionary });
}
