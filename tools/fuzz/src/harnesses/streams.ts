/** Compressed streams, chunks, varints and keys: the layers below the encodings. */

import { ChunkStream, portableBitshuffle } from "@cfile/bitshuffle";
import { ByteReader, fromHex } from "@cfile/bytes";
import type { Codec } from "@cfile/compression";
import { builtinCodecs, codecsWith } from "@cfile/compression/codecs";
import { checkLz4Block } from "@cfile/compression/lz4";
import type { DataType } from "@cfile/encodings";
import { decodeCompositeKey, decodeKey } from "@cfile/encodings/keys";
import { chooseKernels } from "@cfile/kernels/encode";
import { MessageReader } from "@cfile/protobuf/read";
import { MessageWriter } from "@cfile/protobuf/write";
import {
  readBlockPointer,
  readLengthPrefixed,
  readMemcmpableVarint64,
  readMemcmpableVarint64BigInt,
  readVarint32,
  readVarint64,
  readVarint64BigInt,
} from "@cfile/varint";
import { readGroupVarint, readGroupVarintSequence } from "@cfile/varint/group-varint";
import { defineHarness } from "../define-harness.js";
import { goldenJson, hexSubjects } from "../files/golden-data.js";
import type { Harness, Subject } from "../harness.js";
import { mutateFields } from "../mutate-fields.js";

interface BitshuffleCase {
  readonly elem_size: number;
  readonly count: number;
  readonly padded_count: number;
  readonly transposed?: string;
  readonly compressed: string;
}

const LARGEST = 700;

function bitshuffleCases(): (Subject & { readonly elementSize: number; readonly count: number })[] {
  return goldenJson<readonly BitshuffleCase[]>("blocks/bitshuffle.json")
    .filter(({ compressed }) => compressed.length > 0 && compressed.length <= 2 * LARGEST)
    .map(({ elem_size, padded_count, compressed }, i) => ({
      name: `${padded_count} elements of ${elem_size} bytes, ${i}`,
      bytes: fromHex(compressed),
      elementSize: elem_size,
      count: padded_count,
    }));
}

const chunks = defineHarness({
  name: "bitshuffle chunks",
  share: 700,
  load: bitshuffleCases,
  mutate: (subject, random) => mutateFields(subject.bytes, random),
  act: (bytes, { elementSize, count }, random) => {
    const padded = count + random.pick([0, 0, 0, 8, -8, 1 << 14]);
    const stream = new ChunkStream(bytes, 0, bytes.length, elementSize, padded);
    const output = new Uint8Array(padded * elementSize);
    const kernels = chooseKernels(random.below(2) === 0 ? "portable" : "simd");
    kernels.bitshuffleDecode(portableBitshuffle).decodeAll(stream, output);
  },
});

interface CompressedSubject extends Subject {
  readonly codec: Codec;
  readonly size: number;
}

function compressedSubjects(): CompressedSubject[] {
  const texts = goldenJson<readonly BitshuffleCase[]>("blocks/bitshuffle.json")
    .map(({ transposed = "" }) => fromHex(transposed))
    .filter(({ length }) => length > 0 && length <= 4 * LARGEST);
  return texts.flatMap((content, i) =>
    Object.values(builtinCodecs).map((codec) => ({
      name: `${codec.type} ${i}`,
      bytes: codec.compress(content).slice(),
      codec,
      size: content.length,
    })),
  );
}

const codecs = defineHarness({
  name: "codecs",
  share: 1100,
  load: compressedSubjects,
  mutate: (subject, random) => mutateFields(subject.bytes, random),
  act: (bytes, { codec, size }, random) => {
    const claimed = Math.max(0, size + random.pick([0, 0, 0, 0, 1, -1, 5000]));
    if (codec.type === "LZ4" && random.below(8) === 0) {
      return checkLz4Block(bytes, 0, bytes.length, claimed);
    }
    const used = random.below(2) === 0 ? codec : codecsWith(chooseKernels("simd"))[codec.type];
    // The output is surrounded by bytes that must not change.
    const room = new Uint8Array(claimed + 32).fill(0xa5);
    const fence = (): void => {
      for (let i = 0; i < 16; i++) {
        if (room[i] !== 0xa5 || room[claimed + 16 + i] !== 0xa5) {
          throw new RangeError(`${codec.type} wrote outside its output`);
        }
      }
    };
    try {
      used.decompress(bytes, room.subarray(16, 16 + claimed));
    } finally {
      fence();
    }
    return claimed;
  },
});

type Primitives = Readonly<Record<string, readonly { readonly hex: string }[]>>;

const READERS: readonly ((reader: ByteReader) => unknown)[] = [
  (reader) => readVarint32(reader, "field"),
  (reader) => readVarint64(reader, "field"),
  (reader) => readVarint64BigInt(reader, "field"),
  (reader) => readMemcmpableVarint64(reader, "field"),
  (reader) => readMemcmpableVarint64BigInt(reader, "field"),
  (reader) => readGroupVarint(reader, new Uint32Array(4), 0, "field"),
  (reader) => readGroupVarintSequence(reader, 40, new Uint32Array(64), 7),
  (reader) => readLengthPrefixed(reader, "field"),
  (reader) => readBlockPointer(reader),
];

const varints = defineHarness({
  name: "varints",
  share: 700,
  load: () => {
    const primitives = goldenJson<Primitives>("blocks/primitives.json");
    return [
      "varint32",
      "varint64",
      "memcmpable_varint64",
      "group_varint32",
      "group_varint32_sequence",
    ].flatMap((name) => hexSubjects(name, primitives[name]?.map(({ hex }) => hex) ?? [], 200));
  },
  mutate: (subject, random) => mutateFields(subject.bytes, random),
  act: (bytes, _subject, random) => {
    const reader = new ByteReader(bytes);
    const read = random.pick(READERS);
    while (reader.remaining > 0) {
      const before = reader.position;
      read(reader);
      if (reader.position <= before || reader.position > bytes.length) {
        throw new RangeError(`the reader moved from ${before} to ${reader.position}`);
      }
    }
  },
});

const fields = defineHarness({
  name: "protobuf fields",
  share: 300,
  load: () => {
    const writer = new MessageWriter();
    writer.int64(1, -(2n ** 40n));
    writer.fixed64(2, 7n);
    writer.text(200, "name");
    writer.int32s(4, [1, -1, 300]);
    return [{ name: "a message", bytes: writer.finish() }];
  },
  mutate: (subject, random) => mutateFields(subject.bytes, random),
  act: (bytes) => {
    const reader = new MessageReader(bytes, "message");
    while (reader.next() !== 0) {
      reader.skip();
    }
  },
});

interface KeyCases {
  readonly single: readonly { readonly type: DataType; readonly encoded: string }[];
  readonly composite: readonly { readonly types: readonly DataType[]; readonly encoded: string }[];
}

const keys = defineHarness({
  name: "encoded keys",
  share: 500,
  load: () => {
    const { single, composite } = goldenJson<KeyCases>("blocks/key_encoding.json");
    return [...single.map(({ type, encoded }) => ({ types: [type], encoded })), ...composite]
      .filter(({ encoded }) => encoded.length > 0)
      .map(({ types, encoded }, i) => ({ name: `${types.join(", ")} ${i}`, bytes: fromHex(encoded), types }));
  },
  mutate: (subject, random) => mutateFields(subject.bytes, random),
  act: (bytes, { types }) => {
    const [only] = types;
    return types.length === 1 && only !== undefined
      ? decodeKey(only, bytes)
      : decodeCompositeKey(types, bytes);
  },
});

export const STREAMS: readonly Harness[] = [chunks, codecs, varints, fields, keys];
