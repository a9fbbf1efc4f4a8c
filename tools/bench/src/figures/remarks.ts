/** What holds a figure where it is, by case: what a table cannot say. */
export const remarks: Readonly<Record<string, string | undefined>> = {
  "scan-columns": `Batches are looked at before the next is asked for (an \`arena\`), as in Kudu's own reader; "each batch in new memory"
is the default. A writer and a scan of the column stay open beside, as a program has that works on many: garbage is collected by force before
each run, and with no object left of a class the engine would compile again what uses it, 10 to 25 ms a run. "limit here" is what the checksum of the file's bytes alone takes, by our kernel: WebAssembly has no instruction for
it, and with table look-ups in vectors it runs at 1.46 bytes a cycle (3.8 GB/s at 2.6 GHz), where the processor's own does 2.4.

Where the time goes, by a processor profile (percent of samples, without garbage collection):

| column | parts |
| --- | --- |
| strings, plain | checksum 57, copy of the block for it 17, offsets 6 (0.54 ns each, 0.7 values a cycle), the rest reading indexes and opening blocks; bytes are not copied |
| sorted keys, prefix | entries to values 59 (5 ns each, 13 cycles: where an entry begins is known when the lengths before it are), checksum 19, values copied out 5 |
| int32 plain | checksum 63, copy of the block for it 20; values stand askew in the file and are copied once more |

What holds the figures against hyparquet: a required column without nulls it gives as a typed array over its expanded page, so that twelve
times its rate of int32 would be 3 to 5 GB/s, where unshuffling with LZ4 alone runs at 1.8 (\`kernels\`) and the checksum at 3.8. Of strings hyparquet makes JavaScript strings, all
others hand out bytes with offsets, or codes.`,
  kernels: `What a call takes includes copies into the module's memory and out of it: of LZ4 decoding of text two fifths (alone it runs at 4.0 GB/s,
sequences of ten bytes in 6.5 cycles each), of bit transposition a fifth (alone 4.5 to 7.4 GB/s, by the size of elements).`,
  seeks: `Two million strings, their offsets and the heads by which they are searched are 45 MB, in a cache of 32 that is shared: most of a look-up
by value waits for memory. By row, as bytes, about half of the time is the making of a Uint8Array.`,
  "write-columns": `To memory, in pieces, as a disk would be given them. "limit here" is the file's memory written to for the first time, one copy
into it, and its checksum, each at the rate above: a file of as many bytes cannot be there sooner.

Where the time goes, by a processor profile (percent of samples, without garbage collection):

| column | parts |
| --- | --- |
| int32 plain | checksum 31, batches copied into the file's memory 21, that memory made 18, copied for the checksum 5, the rest 10,000 calls of \`append\` |
| strings, plain | the file's memory 24, checksum 17, offsets checked 16 and brought to the block's 14 (most of it the first look at them), bytes copied 11, group varints 3 (0.84 ns a value) |
| strings, dictionary | words found 51 (6.4 ns each, 17 cycles), offsets checked 12, strings copied to where they are looked up 7, codewords shuffled and LZ4 7 |
| sorted keys, prefix | entries made 31 (5.8 ns each, 15 cycles), their strings copied to the kernel and entries from it 25, offsets checked 10, checksum 8 |
| int64 walk bitshuffle | bits transposed 26, LZ4 23, values copied into the block 14, checksum 6 |
| int32 10 % null, bitshuffle | LZ4 40, runs of the validity bitmap 15, values copied 9, non-null values gathered 2 (0.47 ns a row) |

LZ4 has to come to the very bytes of the reference implementation, which leaves its search as it is.`,
  workers: `"limit here" is what the machine gives: threads with a file each in memory, that hand nothing over. In a pool the thread that
takes the batches has work of its own (10 of 60 ms in the first column: it reads the file and gets messages), so that a pool of one worker
is busy on both cores already; of the rest two workers gain most of what the machine leaves. The second core of this virtual machine is
worth half to three quarters of one: memory is shared, and zlib gains least.`,
  arrow: `Ten million rows of each column. What a table costs once (schema, words as a vector: 0.1 to 0.2 ms) shows in short ones: of 2 million
strings in a dictionary, scanned in 3 ms, record batches come at 0.82 to 0.88 of the plain scan, of nothing else that short below 0.89.`,
  http: `The server runs beside in a thread of its own; on two cores what is downloaded, checked and decoded shares them with it. Beside other
work both sides slow down, and the ratio of a scan falls to 0.7.`,
  "kudu-dir": `A scan that begins with an empty process is a fifth reading (the system copies 84 MB), a fifth kernels, and the rest mostly code that
runs for the first time. "On one core" is the whole process on one core (\`taskset\`), its compiling and collecting threads with it.

Where the time of a check goes, by a processor profile of 2 GB (percent of samples of all threads): keys looked up in Bloom filters 14 (10 ns
a key: 6 for its hash and the call, 0.33 for each of 13 bits), checksums 11, reading 12, LZ4 8, unshuffling and offsets 7, copies into the kernels'
memory 6, the engine's compiler 12, UNDO entries 2 (2.2 ns each), garbage 2; the rest is JavaScript for blocks of 4 KiB, of which a Bloom file has
one for 1,700 keys. What a thread compiles and loads, half a second of a core, is had by each: a second thread is worth its start from about
half a gigabyte on.`,
  splits: `A worker starts in a third of a second and compiles what it runs: that much is had twice by two. The rest is what the machine gives: two
processes that share nothing, each with the whole scan, took between 1.12 and 1.38 times as long as one, by the hour, which is 1.45 to 1.78 times the work of one.`,
  scaling: `![Cost of a scan, a look-up by row and one by value, from 10,000 to 100 million rows, both axes logarithmic](scaling.svg)

Scans cost in proportion to rows. A look-up gains about as much with every tenfold, which is the logarithm, and the misses of the
processor's caches. The plot: \`node tools/bench/dist/plot.js tools/bench/results/scaling.json docs/scaling.svg\`.`,
};
