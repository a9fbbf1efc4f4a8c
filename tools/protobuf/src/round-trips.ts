/** Tests the generated code of a package's `.proto` files against protobufjs with the same files. */
import { readFileSync } from "node:fs";
import { isCFileError } from "@cfile/bytes";
import { MessageReader } from "@cfile/protobuf/read";
import { type MessageWriter, messageBytes } from "@cfile/protobuf/write";
import fc from "fast-check";
import protobuf from "protobufjs";
import { describe, expect, it } from "vitest";
import { generateMessages, protoFiles } from "./generate-messages.js";
import { isExactNumber, messagesOf } from "./message-code.js";

type Decode = (reader: MessageReader) => unknown;
type Encode<T> = (writer: MessageWriter, message: T) => void;

/** Errors for damaged bytes that protobufjs accepts. */
const STRICTER = /has wire type|wire type mismatch|has more than 32 bits|is above 2\^53/;

/**
 * @param folder of the package
 * @param samples messages of real files, by type
 */
export function describeMessages(
  folder: string,
  decoders: Readonly<Record<string, unknown>>,
  encoders: Readonly<Record<string, unknown>>,
  samples: Readonly<Record<string, readonly Uint8Array[]>> = {},
): void {
  const root = new protobuf.Root();
  for (const file of protoFiles(folder)) {
    protobuf.parse(readFileSync(file, "utf8"), root);
  }
  root.resolveAll();

  it("the generated code is up to date with the schema", async () => {
    for (const [file, text] of await generateMessages(folder)) {
      expect(readFileSync(file, "utf8")).toBe(text);
    }
  });

  describe.each(messagesOf(root).map((type) => [type.name, type] as const))("%s", (name, type) => {
    const decode = decoders[`decode${name}`] as Decode;
    const encode = encoders[`encode${name}`] as Encode<unknown>;
    const bytesOf = (message: unknown): Uint8Array => messageBytes(encode, message);
    const messages = messageOf(type);

    it("has the same bytes as protobufjs, and both can read it", () => {
      fc.assert(
        fc.property(messages, (message) => {
          const bytes = bytesOf(message);
          expect(bytes).toEqual(Uint8Array.from(type.encode(type.fromObject(message)).finish()));
          expect(decode(new MessageReader(bytes, name))).toEqual(message);
          expect(byProtobufjs(type, bytes)).toEqual(message);
        }),
        { numRuns: 100, seed: 1 },
      );
    });

    const real = samples[name];
    if (real !== undefined) {
      it("from real files decodes as in protobufjs, and is written back unchanged", () => {
        expect(real.length).toBeGreaterThan(0);
        for (const bytes of real) {
          const message = decode(new MessageReader(bytes, name));
          expect(message).toEqual(byProtobufjs(type, bytes));
          expect(bytesOf(message)).toEqual(Uint8Array.from(bytes));
        }
      });
    }

    it("truncated, changed or concatenated decodes as in protobufjs, or is rejected", () => {
      fc.assert(
        fc.property(messages, messages, damages, (message, other, damage) => {
          const bytes = damage(bytesOf(message), bytesOf(other));
          const expected = attempt(() => byProtobufjs(type, bytes));
          const found = attempt(() => decode(new MessageReader(bytes, name)));
          if (isCFileError(found)) {
            expect(found.field).toBeDefined();
            expect(expected instanceof Error || STRICTER.test(found.reason)).toBe(true);
          } else {
            expect(found).toEqual(expected);
          }
        }),
        { numRuns: 500, seed: 2 },
      );
    });
  });
}

function attempt(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

function byProtobufjs(type: protobuf.Type, bytes: Uint8Array): unknown {
  return inOurTypes(type, type.toObject(type.decode(bytes), { longs: BigInt, arrays: true }));
}

/** Converts to the types of our code: numbers for some 64-bit fields, and `Uint8Array` instead of `Buffer`. */
function inOurTypes(type: protobuf.Type, message: Readonly<Record<string, unknown>>): unknown {
  const found: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(message)) {
    const field = type.fields[key];
    if (field !== undefined) {
      found[key] = Array.isArray(value)
        ? value.map((each) => valueInOurTypes(field, each))
        : valueInOurTypes(field, value);
    }
  }
  return found;
}

function valueInOurTypes(field: protobuf.Field, value: unknown): unknown {
  if (field.resolvedType instanceof protobuf.Type) {
    return inOurTypes(field.resolvedType, value as Readonly<Record<string, unknown>>);
  }
  if (value instanceof Uint8Array) {
    return Uint8Array.from(value);
  }
  return isExactNumber(field) ? Number(value) : value;
}

const int32 = fc.oneof(fc.integer(), fc.constantFrom(0, -1, 2 ** 31 - 1, -(2 ** 31)));
const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  int32,
  uint32: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  bool: fc.boolean(),
  int64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  uint64: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  fixed64: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  bytes: fc.uint8Array({ maxLength: 200 }),
  string: fc.string({ unit: "grapheme", maxLength: 40 }),
};

/** Messages with arbitrary values, with any subset of the optional fields. */
function messageOf(type: protobuf.Type): fc.Arbitrary<Record<string, unknown>> {
  const fields = type.fieldsArray.map((field): [string, fc.Arbitrary<unknown>] => {
    const value =
      field.resolvedType instanceof protobuf.Type
        ? messageOf(field.resolvedType)
        : isExactNumber(field)
          ? fc.maxSafeNat()
          : (VALUES[field.type] as fc.Arbitrary<unknown>);
    return [field.name, field.repeated ? fc.array(value, { maxLength: 4 }) : value];
  });
  const requiredKeys = type.fieldsArray
    .filter(({ optional, repeated }) => repeated || !optional)
    .map(({ name }) => name);
  return fc.record(Object.fromEntries(fields), { requiredKeys, noNullPrototype: true });
}

/** A group within a group, as an unknown field. */
const GROUP = [0x9b, 0x7e, 0xa3, 0x7e, 0xa4, 0x7e, 0x9c, 0x7e];

const damages: fc.Arbitrary<(bytes: Uint8Array, other: Uint8Array) => Uint8Array> = fc
  .tuple(fc.integer({ min: 0, max: 4 }), fc.nat(), fc.integer({ min: 0, max: 255 }))
  .map(([kind, place, byte]) => (bytes, other) => {
    const at = bytes.length === 0 ? 0 : place % bytes.length;
    const [head, tail] = [bytes.subarray(0, at), bytes.subarray(at)];
    const changes = [
      () => Uint8Array.from([...head, byte, ...tail.subarray(1)]),
      () => head,
      () => Uint8Array.from([...head, byte, ...tail]),
      () => Uint8Array.from([...bytes, ...other]),
      () => Uint8Array.from([...bytes, ...GROUP, ...other]),
    ];
    return (changes[kind] ?? (() => bytes))();
  });
