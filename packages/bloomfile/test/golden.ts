/** Golden data of Kudu's hashes, Bloom filters and Bloom files; see fixtures/golden/README.md. */
import { listGolden, readGolden, readGoldenJson } from "@cfile-tools/testkit";

export interface GoldenPrimitives {
  readonly hashes: readonly {
    key: string;
    cityhash64: string;
    bloom_h1: number;
    bloom_h2: number;
    murmur2_64_seed0: string;
    fasthash64_seed0: string;
  }[];
  readonly bloom_filters: readonly {
    n_bytes: number;
    fp_rate: number;
    expected_count: number;
    n_hashes: number;
    keys: readonly string[];
    bitmap: string;
  }[];
  readonly bloom_sizing_by_count: readonly {
    expected_count: number;
    fp_rate: number;
    n_bytes: number;
    n_hashes: number;
  }[];
}

export const goldenPrimitives = readGoldenJson("blocks/primitives.json") as GoldenPrimitives;

export interface GoldenBloomFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly n_bytes: number;
  readonly fp_rate: number;
  readonly expected_count: number;
  readonly n_hashes: number;
  readonly rows: number;
  readonly generator: string;
  readonly layout: {
    readonly validx: { readonly entries: readonly { key: string; offset: number; size: number }[] };
  };
  readonly probes: readonly { key: string; inserted: boolean; maybe_present: boolean }[];
}

export const goldenBloomFiles: readonly GoldenBloomFile[] = listGolden("bloomfile", ".cfile").map((name) => ({
  ...readGoldenJson<GoldenBloomFile>(`bloomfile/${name}.json`),
  name,
  bytes: readGolden(`bloomfile/${name}.cfile`),
}));

/** Bloom files of row sets, with the files of the row sets' keys. */
export const goldenRowsets: readonly { name: string; bloom: Uint8Array; keys: Uint8Array }[] = listGolden(
  "rowset-blooms",
  "_bloom.cfile",
).map((name) => ({
  name,
  bloom: readGolden(`rowset-blooms/${name}_bloom.cfile`),
  keys: readGolden(`rowset-blooms/${name}_keys.cfile`),
}));

/** The keys of a golden file, by the formula in its JSON. */
export function goldenKeys({ generator, rows }: GoldenBloomFile): Uint8Array[] {
  const isNumber = generator.startsWith("key[i] = big-endian 4 bytes of (i*3 xor 0x80000000)");
  const isText = generator === "key[i] = ascii 'bloomkey' + zeropad7(i*2) + (i%5==0 ? '-longer-suffix' : '')";
  if (isNumber === isText) {
    throw new Error(`unknown generator: ${generator}`);
  }
  return Array.from({ length: rows }, (_, i) => (isNumber ? numberKey(i) : textKey(i)));
}

function numberKey(i: number): Uint8Array {
  const key = new Uint8Array(4);
  new DataView(key.buffer).setUint32(0, (i * 3) ^ 0x80000000);
  return key;
}

const textKey = (i: number): Uint8Array =>
  Buffer.from(`bloomkey${String(i * 2).padStart(7, "0")}${i % 5 === 0 ? "-longer-suffix" : ""}`, "latin1");
