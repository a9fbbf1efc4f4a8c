/** parquet-wasm, through Arrow, and Arrow's IPC stream: no codec, no checksums, no copies on reading. */
import type { ScalarBatch } from "@cfile/encodings";
import {
  Bool,
  type DataType,
  Float64,
  Int32,
  Int64,
  makeData,
  makeVector,
  Table,
  tableFromIPC,
  tableToIPC,
  Utf8,
  type Vector,
} from "apache-arrow";
import * as parquetWasm from "parquet-wasm";
import type { ParquetCodec } from "../peers.js";
import type { CellVisitor, ColumnPeer } from "./column-peer.js";

function arrowVector(batch: ScalarBatch): Vector {
  const { length, nullCount } = batch;
  const rows = { length, nullCount, ...(batch.validity && { nullBitmap: batch.validity }) };
  switch (batch.kind) {
    case "bool":
      return makeVector(makeData({ type: new Bool(), ...rows, data: batch.values }));
    case "binary":
      return makeVector(
        makeData({ type: new Utf8(), ...rows, valueOffsets: batch.offsets, data: batch.data }),
      );
    case "fixed":
      if (batch.values instanceof Int32Array) {
        return makeVector(makeData({ type: new Int32(), ...rows, data: batch.values }));
      }
      if (batch.values instanceof BigInt64Array) {
        return makeVector(makeData({ type: new Int64(), ...rows, data: batch.values }));
      }
      if (batch.values instanceof Float64Array) {
        return makeVector(makeData({ type: new Float64(), ...rows, data: batch.values }));
      }
  }
  throw new TypeError(`no Arrow vector for ${batch.type}`);
}

function visitVector(vector: Vector<DataType> | null, visit: CellVisitor | undefined): number {
  if (vector === null) {
    throw new TypeError("no column c");
  }
  visit?.([...vector]);
  return vector.length;
}

export function arrowColumn(batch: ScalarBatch): ColumnPeer {
  const table = new Table({ c: arrowVector(batch) });
  const stream = tableToIPC(table, "stream");
  return {
    name: "apache-arrow IPC",
    write: () => tableToIPC(table, "stream").byteLength,
    read: async (visit) => visitVector(tableFromIPC(stream).getChild("c"), visit),
  };
}

/** parquet-wasm does not compress by default. */
export function parquetWasmColumn(batch: ScalarBatch, codec: ParquetCodec): ColumnPeer {
  const table = new Table({ c: arrowVector(batch) });
  const write = (): Uint8Array =>
    parquetWasm.writeParquet(
      parquetWasm.Table.fromIPCStream(tableToIPC(table, "stream")),
      new parquetWasm.WriterPropertiesBuilder().setCompression(parquetWasm.Compression[codec]).build(),
    );
  const file = write();
  return {
    name: "parquet-wasm",
    write: () => write().byteLength,
    read: async (visit) =>
      visitVector(tableFromIPC(parquetWasm.readParquet(file).intoIPCStream()).getChild("c"), visit),
  };
}
