/** Container files and log segments, old and new, with headers, lengths and footers that Kudu does not write. */
import { ByteBuilder, type CFileError, crc32c, isCFileError } from "@cfile/bytes";
import { memorySource } from "@cfile/io";
import { messageBytes } from "@cfile/protobuf/write";
import { describe, expect, it } from "vitest";
import { CONTAINER_MAGIC, onlyRecord, parseContainerFile } from "../src/blocks/container-file.js";
import { plainFile, serverKeyOf } from "../src/blocks/encryption.js";
import type { LogSegmentHeaderPB } from "../src/generated/decode.js";
import { encodeLogSegmentHeaderPB } from "../src/generated/encode.js";
import { containerRecord } from "../src/load/container-record.js";
import { type LogSegment, parseLogSegment } from "../src/log/log-segment.js";

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

/** Bytes, a u32, or text. */
type Part = Uint8Array | number | string;

function bytesOf(...parts: readonly Part[]): Uint8Array {
  const out = new ByteBuilder();
  for (const part of parts) {
    if (typeof part === "number") {
      out.u32le(part);
    } else {
      out.append(typeof part === "string" ? text(part) : part);
    }
  }
  return out.finish();
}

const placeOf = (error: CFileError | undefined): unknown => error && [error.code, error.field, error.offset];

function refusalOf(action: () => unknown): unknown {
  try {
    action();
    return "no error";
  } catch (error) {
    return isCFileError(error) ? [error.code, error.field] : String(error);
  }
}

describe("a container file", () => {
  /** Version 1: no checksums of headers and lengths; a record's checksum also covers its length. */
  const oldRecord = (message: Uint8Array): Uint8Array => {
    const covered = bytesOf(message.length, message);
    return bytesOf(covered, crc32c(covered));
  };
  const oldFile = (...records: readonly Uint8Array[]): Uint8Array => bytesOf(CONTAINER_MAGIC, 1, ...records);
  const head = bytesOf(CONTAINER_MAGIC, 2);
  const newFile = (...records: readonly Uint8Array[]): Uint8Array =>
    bytesOf(head, crc32c(head), containerRecord(new Uint8Array(0)), ...records);
  const lengthOf = (length: number): Uint8Array => bytesOf(length, crc32c(bytesOf(length)));

  it("of version 1 has its records up to the first that is incomplete or damaged", () => {
    const records = [oldRecord(new Uint8Array(0)), oldRecord(text("one")), oldRecord(text("two"))];
    const whole = oldFile(...records);
    const { version, records: found, offsets, torn, damage } = parseContainerFile(whole, "f");
    expect({ version, found, torn, damage }).toEqual({
      ...{ version: 1, found: [text("one"), text("two")], torn: false, damage: undefined },
    });
    const [, second = 0] = offsets;
    for (const length of [second + 3, second + 8, whole.length - 1]) {
      const cut = parseContainerFile(whole.subarray(0, length), "f");
      expect([cut.records.length, cut.torn, placeOf(cut.damage)]).toEqual([
        ...[1, false, ["E_TRUNCATED", "record length", second]],
      ]);
    }
    const flipped = whole.slice();
    flipped[second + 4] = 0;
    expect(parseContainerFile(flipped, "f").damage).toMatchObject({
      code: "E_CHECKSUM",
      field: "record checksum",
    });
  });

  it("of version 2 may end within a record; a length above 64 MiB is damage", () => {
    const torn = parseContainerFile(newFile(lengthOf(100), new Uint8Array(20)), "f");
    expect([torn.records, torn.torn, torn.damage]).toEqual([[], true, undefined]);
    const space = parseContainerFile(newFile(new Uint8Array(20)), "f");
    expect([space.records, space.torn, space.damage]).toEqual([[], true, undefined]);
    const long = parseContainerFile(newFile(lengthOf(65 << 20), new Uint8Array(20)), "f");
    expect(long.damage).toMatchObject({ code: "E_LIMIT", field: "record length" });
    expect(refusalOf(() => onlyRecord(newFile(lengthOf(65 << 20), new Uint8Array(20)), "f"))).toEqual([
      ...["E_LIMIT", "record length"],
    ]);
    expect(refusalOf(() => onlyRecord(newFile(), "f"))).toEqual(["E_TRUNCATED", undefined]);
    // A description that is not a message is reported; the records can be read.
    const described = bytesOf(
      head,
      crc32c(head),
      containerRecord(Uint8Array.of(0x0f)),
      containerRecord(text("a")),
    );
    const { records, damage } = parseContainerFile(described, "f");
    expect([records, damage?.code]).toEqual([[text("a")], "E_CORRUPT"]);
  });

  it("of another version, or with another magic, is refused", () => {
    expect(refusalOf(() => parseContainerFile(bytesOf(CONTAINER_MAGIC, 3), "f"))).toEqual([
      "E_UNSUPPORTED",
      "version",
    ]);
    expect(refusalOf(() => parseContainerFile(bytesOf("kuduxxxx", 2), "f"))).toEqual(["E_CORRUPT", "magic"]);
    const broken = bytesOf(head, 1);
    expect(refusalOf(() => parseContainerFile(broken, "f"))).toEqual(["E_CHECKSUM", "header checksum"]);
  });
});

describe("a log segment", () => {
  const HEADER: LogSegmentHeaderPB = {
    ...{ tabletId: "t", sequenceNumber: 1, schema: { columns: [] }, incompatibleFeatures: [] },
  };
  const headerOf = (change: Partial<LogSegmentHeaderPB> = {}): Uint8Array => {
    const message = messageBytes(encodeLogSegmentHeaderPB, { ...HEADER, ...change });
    return bytesOf("kudulogf", message.length, message);
  };
  const entryHead = (length: number, expanded: number, crc: number): Uint8Array => {
    const covered = bytesOf(length, expanded, crc);
    return bytesOf(covered, crc32c(covered));
  };
  const entryOf = (data: Uint8Array, expanded = data.length): Uint8Array =>
    bytesOf(entryHead(data.length, expanded, crc32c(data)), data);
  const segmentOf = (...parts: readonly Part[]): LogSegment =>
    parseLogSegment(bytesOf(headerOf(), ...parts), "wal");
  const start = headerOf().length;
  const data = text("an entry");

  it.each<[string, Uint8Array, readonly unknown[]]>([
    [
      "of unknown features",
      headerOf({ incompatibleFeatures: [7] }),
      ["E_UNSUPPORTED", "incompatible_features"],
    ],
    ["of an unknown codec", headerOf({ compressionCodec: 77 }), ["E_UNSUPPORTED", "compression_codec"]],
    ["with a header above 8 MiB", bytesOf("kudulogf", 9 << 20), ["E_LIMIT", "header length"]],
    ["that ends within its header", headerOf().subarray(0, 14), ["E_TRUNCATED", "header"]],
  ])("%s is refused", (_, bytes, expected) => {
    expect(refusalOf(() => parseLogSegment(bytes, "wal"))).toEqual(expected);
  });

  it("of an old server has entries with shorter headers", () => {
    const old = headerOf({ deprecatedMajorVersion: 1 });
    const covered = bytesOf(data.length, crc32c(data));
    const entry = bytesOf(covered, crc32c(covered), data);
    const { entries, damage, torn } = parseLogSegment(bytesOf(old, entry, entry), "wal");
    expect([entries.map((one) => one.data), damage, torn]).toEqual([[data, data], undefined, undefined]);
    const flipped = entry.slice();
    flipped[entry.length - 1] = 0x70;
    expect(parseLogSegment(bytesOf(old, entry, flipped), "wal").damage).toMatchObject({ code: "E_CHECKSUM" });
    const behind = parseLogSegment(bytesOf(old, flipped, entry), "wal");
    expect([behind.damage?.code, behind.behindDamage.map((one) => one.data)]).toEqual(["E_CHECKSUM", [data]]);
  });

  it.each<[string, readonly Part[], unknown]>([
    ["without bytes", [entryHead(0, 0, 0)], ["E_CORRUPT", "entry length", start]],
    ["above 64 MiB", [entryHead(65 << 20, 5, 0)], ["E_LIMIT", "entry length", start]],
    ["that expands to more than 64 MiB", [entryHead(5, 65 << 20, 0)], ["E_LIMIT", "entry length", start]],
  ])("with a last entry %s is damaged, not torn", (_, parts, expected) => {
    const { damage, torn, entries } = segmentOf(...parts);
    expect([placeOf(damage), torn, entries]).toEqual([expected, undefined, []]);
  });

  it("with a compressed entry that cannot have its stated length is damaged", () => {
    const compressed = (codec: number, ...entry: readonly Part[]): LogSegment =>
      parseLogSegment(bytesOf(headerOf({ compressionCodec: codec }), ...entry), "wal");
    const [SNAPPY, LZ4] = [2, 3];
    expect(compressed(LZ4, entryOf(data, 20_000)).damage).toMatchObject({
      ...{ code: "E_CORRUPT", field: "uncompressed length" },
    });
    // Literals without a match.
    const literals = bytesOf(Uint8Array.of(data.length << 4), data);
    expect(compressed(LZ4, entryOf(literals, data.length)).entries).toMatchObject([{ data }]);
    const snappy = bytesOf(Uint8Array.of(data.length, (data.length - 1) << 2), data);
    expect(compressed(SNAPPY, entryOf(snappy, data.length)).entries).toMatchObject([{ data }]);
    expect(compressed(SNAPPY, entryOf(snappy, 5)).damage).toMatchObject({ code: "E_CORRUPT" });
  });

  it("is closed by a footer; with an impossible footer it is damaged", () => {
    const footer = text("footer");
    const closed = segmentOf(entryOf(data), footer, "closedls", footer.length);
    expect([closed.closed, closed.entries.length, closed.damage]).toEqual([true, 1, undefined]);
    for (const length of [9 << 20, 200]) {
      const open = segmentOf(entryOf(data), footer, "closedls", length);
      expect([open.closed, open.entries.length, open.damage?.code]).toEqual([false, 1, "E_CHECKSUM"]);
    }
    const torn = segmentOf(entryOf(data).subarray(0, 20), footer, "closedls", footer.length);
    expect(torn).toMatchObject({
      closed: true,
      entries: [],
      damage: { code: "E_TRUNCATED" },
      torn: undefined,
    });
  });
});

describe("the key of a server", () => {
  it("is not used if it is not a key of Kudu's provider", () => {
    const wrapped = (key: string) => ({ key, iv: undefined, version: undefined });
    expect(serverKeyOf(undefined, undefined)).toBeUndefined();
    expect(serverKeyOf(wrapped("not hexadecimal"), undefined)).toBeUndefined();
    expect(serverKeyOf(wrapped("2a".repeat(15)), undefined)).toBeUndefined();
    expect(serverKeyOf(wrapped("2A".repeat(16)), undefined)).toEqual(new Uint8Array(16));
    expect(serverKeyOf(wrapped("2a".repeat(16)), "01".repeat(24))).toEqual(new Uint8Array(24).fill(1));
    expect(refusalOf(() => serverKeyOf(undefined, new Uint8Array(5)))).toEqual([
      "E_INVALID_ARGUMENT",
      "serverKey",
    ]);
  });

  it.each<[string, Uint8Array, string]>([
    ["with an incomplete header", bytesOf("kuduenc", Uint8Array.of(0)), "E_TRUNCATED"],
    ["with an unknown algorithm", bytesOf("kuduenc", Uint8Array.of(9), new Uint8Array(56)), "E_UNSUPPORTED"],
    ["without a key", bytesOf("kuduenc", Uint8Array.of(0), new Uint8Array(56)), "E_UNSUPPORTED"],
  ])("a file %s is refused", async (_, bytes, code) => {
    await expect(plainFile(memorySource(bytes, "f"), undefined)).rejects.toMatchObject({ code });
  });
});
