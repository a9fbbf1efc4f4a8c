/**
 * Column batches as messages: plain objects of typed arrays. Arrays that fill their buffer, or lie in memory that was made to
 * travel, are moved, others copied, as their buffer may hold other batches or the file. The dictionary stays behind: both sides
 * have it from the file.
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

/** Collects batches for one message. Nobody may use them after that. */
export class BatchPacker {
  readonly batches: BatchMessage[] = [];
  private readonly moved = new Set<ArrayBuffer>();
  private readonly memory: MemoryArena | undefined;
  private packed = 0;

  /** @param memory what is moved from it and what is copied into it comes back some time */
  constructor(memory?: MemoryArena) {
    this.memory = memory;
  }

  /** Bytes of all arrays. */
  get bytes(): number {
    return this.packed;
  }

  /** What is to be moved along with the message. */
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
    return {
      type,
      length,
      firstRow,
      rows: rows && this.take(rows),
      validity: validity && this.take(validity),
      nullCount,
    };
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
    const start = offsets[0] as number;
    const end = offsets[length] as number;
    // The data may be a whole block's, of which the batch needs little.
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
    this.packed += byteLength;
    if (byteLength === 0) {
      return values.slice() as T;
    }
    if (this.memory?.detach(buffer)) {
      this.moved.add(buffer);
      return values;
    }
    if (this.memory !== undefined && this.moved.has(buffer as ArrayBuffer)) {
      return values;
    }
    if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength && !this.moved.has(buffer)) {
      this.moved.add(buffer);
      return values;
    }
    const copy = this.copy(values);
    this.moved.add(copy.buffer as ArrayBuffer);
    return copy;
  }

  private copy<T extends FixedValues>(values: T): T {
    if (this.memory === undefined) {
      return values.slice() as T;
    }
    const View = values.constructor as new (buffer: ArrayBuffer, offset: number, length: number) => T;
    const buffer = this.memory.take(values.byteLength);
    this.memory.detach(buffer);
    const copy = new View(buffer, 0, values.length);
    (copy as { set(from: FixedValues): void }).set(values);
    return copy;
  }
}

/** @param dictionary the file's, if its encoding has one */
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
    throw corrupt("codes of a dictionary that the file does not have", { field: "dict_block_ptr" });
  }
  return batchOfVector(rows, { ...vector, dictionary });
}
