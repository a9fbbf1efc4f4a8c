/** What limits a figure, by case: notes that a table cannot hold. */
export const remarks: Readonly<Record<string, string | undefined>> = {
  "read-int32": `A processor profile shows what limits the portable decoder of bitshuffle. In percent of the samples, transposing bits takes 34,
LZ4 23, checksums 12, garbage collection 9, and new memory for the batches 6. JavaScript has words of 32 bits for this, the kernels have
vectors of 128 bits. hyparquet only decompresses Snappy. It verifies no checksum, and returns a view of the page.`,
  "write-strings": `Writers stay open, as in a program that works with many columns. Five runs of the same build had 4.80 to 5.79 for the
portable encoder, and 4.37 without open writers: forced garbage collections then discard compiled code. By a processor profile of the portable encoder, finding the
code of each string takes 55 percent of the samples, 13 ns per string. Shuffling codes takes 7, checking 5, and translating codes 8. The
lookup is one access to a property of an object, which takes half the time of a \`Map\`.`,
  "scan-columns": `Each batch is read before the next one is requested, with memory reused (an \`arena\`), as in Kudu's own reader. "Each batch in
new memory" is the default. A writer and a scan of the column stay open, as in a program that works with many columns. Garbage collection is
forced before each run. Without an open object of a class, the engine would compile its code again, which takes 10 to 25 ms per run.
"Limit here" is the time of the checksum of the file's bytes alone, with the cfile kernel. WebAssembly has no instruction for CRC-32C.
The kernel folds vectors of 16 bytes with exclusive or, at 14 GB/s (\`checksums\`), about twice the rate of the processor's
instruction, which \`@node-rs/crc32\` uses.

Where the time goes, by a processor profile (percent of samples, without garbage collection):

| column | parts |
| --- | --- |
| strings, plain | checksum 39, copy of the block for it 26, offsets 16 (0.4 ns each), the rest reading indexes and opening blocks; bytes are not copied |
| sorted keys, prefix | entries to values 68 (3 ns each: the start of an entry depends on the lengths before it), checksum 7, copying values 7 |
| int32 bitshuffle | LZ4 47, transposing bits 36, copying values 2, checksum 4 |
| float64 bitshuffle | LZ4 47, transposing bits 29, copying values 3, checksum 6 |
| sorted int32 bitshuffle | LZ4 29, transposing bits 52, copying values 4, checksum 1 |
| int64 runs RLE | copying values from the kernel 33, headers of runs 20, filling runs 17, memory for batches 5, checksum 2 |
| int32 plain | checksum 51, copy of the block for it 29; values are unaligned in the file and are copied once more |

Int32 with nulls had 12.6 and 11.7 times the rate of hyparquet in earlier records. Since then, the kernel for RLE also decodes the bitmap of
nulls. In a program that does nothing else, that reduced the time of the scan from 41.7 to 36 ms.

What limits the ratio to hyparquet: it returns a required column without nulls as a typed array over the decompressed page. Twelve
times its rate for int32 would be 3 to 5 GB/s. Unshuffling with LZ4 alone runs at 1.8 GB/s (\`kernels\`), and the checksum at 14 GB/s.
hyparquet returns strings as JavaScript strings; all others return bytes with offsets, or codes.`,
  checksums: `The peer of a scan is a scan that verifies no checksums, followed by checksums of all bytes with the package. Until
2026-11-30, the kernel looked up tables in vectors, and the scans took 11.5 ms (strings) and 13.9 ms (int32) with it. They now take 5.3 and
5.2 ms: 2.2 and 2.7 times the rate.`,
  kernels: `A call includes copies into and out of the module's memory. They are two fifths of the time for LZ4 decoding of text, which alone
runs at 4.0 GB/s (sequences of ten bytes in 6.5 cycles each). They are a fifth for bit transposition, which alone runs at 4.5 to 7.4 GB/s,
depending on the size of elements. LZ4 decoding of text had 0.975 to 1.15 in the last seven records, with the same kernel.`,
  seeks: `Two million strings, with their offsets and the key heads for searching, are 45 MB; the shared cache has 32 MB. Most of a lookup by
value waits for memory. In a lookup by row, as bytes, about half of the time goes into creating a Uint8Array.`,
  "write-columns": `To memory, in pieces, as a disk would get them. "Limit here" is the first write to the file's memory, one copy into it, and
its checksum, each at the rate above. No writer can produce a file of this size faster.

Where the time goes, by a processor profile (percent of samples, without garbage collection):

| column | parts |
| --- | --- |
| int32 plain | allocating the file's memory 30, copying batches into it 25, checksum 15, copying for the checksum 4, the rest 10,000 calls of \`append\` |
| strings, plain | the file's memory 32, rebasing offsets to the block and copying bytes 23, checking offsets 17, checksum 12, group varints 6 (0.4 ns per value) |
| strings, dictionary | looking up words 51 (6.4 ns each, 17 cycles), checking offsets 12, copying strings for the lookup 7, shuffling codewords and LZ4 7 |
| sorted keys, prefix | building entries 43 (3.4 ns each), copying strings to the kernel and entries from it 20, checking offsets 17 |
| int32 bitshuffle | LZ4 74, copying values into the block 4, transposing bits 8, checksum 1 |
| int64 walk bitshuffle | LZ4 42, transposing bits 23, copying values into the block 14, checksum 3 |
| int32 10 % null, bitshuffle | LZ4 51, runs of the validity bitmap 12, copying values to the kernel 5, gathering non-null values 3 |

LZ4 must produce exactly the bytes of the reference implementation, so its search cannot change. Int32 with nulls had 9.2 to
10.1 times the rate of hyparquet in earlier records. Runs of bitmaps are encoded a third faster since 2026-12-01, which
saves 4 percent of the time. Two records since then have 9.97 and 9.77.`,
  workers: `"Limit here" is what the machine can do: two threads, each with its own file in memory, that exchange nothing. In a pool, the
thread that takes the batches has work of its own (10 of 60 ms in the first column: it reads the file and receives messages). A pool of one
worker therefore uses both cores already, and two workers gain most of what the machine has left. The second core of this virtual machine
is worth half to nine tenths of one, because memory is shared.

By a processor profile of 60 million int32 with two workers, a worker waits for 13 to 20 percent of the time. Of the rest, decoding takes 40
percent, copying values from the kernel 15, sending 9, checksums 9, and reading 7. The thread that takes the batches is
busy for 9 percent.`,
  arrow: `Ten million rows per column. Arrow's objects take about 0.8 microseconds per batch. That shows in the column with a dictionary, whose
batches are scanned in 10 microseconds each.

The memory that a process gets differs by chance: for int64, one process had a ratio of 0.86, and six others had 0.98 to 0.99. Each
ratio is therefore the median of three processes. Garbage is not collected before each run, because that returns the memory of batches to
the system. The first access to each new page then takes more time than the scan: 49 ms per run, not 20, for int64. Ratios of
earlier records, with forced collections, varied by a fifth. Sorted keys had 0.897 in the record before, and
0.92 to 1.03 in six other runs.`,
  http: `The server runs in its own thread and shares the two cores with downloading, checking and decoding. What limits a scan of all
rows: the thread that receives the file also decodes it, which takes 21 ms when the file is in memory. By a processor profile of announced
scans at 50 ms latency, collecting the memory of received parts takes another 10 ms, copies in Node's HTTP parser 4, and joining the parts of
a block 2.4. The plain download decodes nothing. Without latency, it takes 19 to 56 ms, depending on the memory that earlier tasks left.
Scans and downloads therefore run in turn in a process of their own. In the process of the other tasks, which has kept memory of many sizes,
downloads took 26 to 41 ms, and scans of an open file had 0.54 to 0.77 of their speed.`,
  "kudu-dir": `A fifth of a scan in a new process is reading (the system copies 84 MB), a fifth is kernels, and the rest is mostly code
that runs for the first time. "On one core" runs the whole process on one core (\`taskset\`), including the threads that compile and collect
garbage.

Where the time of a check goes, by a processor profile of 2 GB (percent of samples of all threads). The profile is from before checksums
took half the time and lookups a sixth less:

| part | percent |
| --- | --- |
| Bloom filter lookups: 10 ns per key, 6 for its hash and the call, 0.33 for each of 13 bits | 14 |
| reading | 12 |
| the engine's compiler | 12 |
| checksums | 11 |
| LZ4 | 8 |
| unshuffling and offsets | 7 |
| copies into the memory of the kernels | 6 |
| UNDO entries, 2.2 ns each | 2 |
| garbage collection | 2 |

The rest is JavaScript for blocks of 4 KiB; a
Bloom file has one such block per 1,700 keys. Each thread spends half a second of processor time on loading and compiling, so a second
thread pays off from about half a gigabyte.

A scan with changed rows takes 42 ms of processor time more than a scan without changes, most of it in the engine's compiler. It was 90 ms
as long as the loops over changes were parts of large functions, which the engine compiles as a whole.`,
  "read-strings": `The cells of an array are pointers to shared strings. Writing them takes 2.3 of 5 ns per cell. A loop that does nothing else,
for a million cells of 1,000 words, takes 2.0 ns with four cells per iteration and 2.8 with one. For arrays of more than 16,376 cells it
takes twice as long: V8 allocates them separately, in new memory of the system. Batches of strings have at most 16,000 rows by default,
for this reason.`,
  "beside-kudu": `Processor time of both commands on a tablet of 48 million rows, by \`perf\` (percent of samples of all threads; Snappy):

| part | export | check |
| --- | ---: | ---: |
| kernels | 26 | 19 |
| JavaScript, with the functions of V8 that it calls | 28 | 27 |
| the operating system: reads, writes, new memory | 15 | 22 |
| copies of memory | 7 | 3 |
| compiling | 9 | 10 |
| checksums | 1 | 6 |
| garbage collection | 5 | 5 |
| the rest of Node and V8 | 9 | 8 |

What limits an export: at the start, one core is idle for a third of a second on a slower machine. The main thread loads its code, then
reads the directory and divides it into parts, while the second thread only loads its code. At the end, a core waits for the last part of the other
one for up to 0.2 s. A sync of the file to the disk ends the command.

The ratios vary from run to run: three runs of the same build on 2026-11-30 had 3.89, 3.46 and 4.31 for the export, 1.01, 1.05 and 1.10 for
the check. Both use two cores, Kudu's commands mostly one. The faster checksum saves 4 percent of an export and 3.5 of a check (8 turns of
the old and the new command). Faster lookups in Bloom filters save another 2.3 percent of a check (12 turns). That is less than the
difference from the record before, so some of it is chance. A check looks up all keys in Bloom files, which takes a tenth, and reads the
logs; Kudu's commands do neither. The rest is spread: no function in JavaScript has more than 1.5 percent of the samples.

The table is synced to the disk before exports. In two records without that, exports had 3.78 and 3.96.

Small exports and checks (below 12 million cells or 256 MiB per thread) use one thread.

The slowest column without a cache is plain strings. During scans 3 to 10, V8 optimizes some 50 functions in another thread. Its ratio
was 0.55 to 0.58 on that machine.

The ratios depend on the machine. On an Intel Xeon, at a926d10e, the export had 3.59, the check 0.82, and the first scan 0.99.
There, Kudu's scan to text took 21 s, here 13 s.

\`kudu table scan\` writes no file. \`ksck --checksum_scan\` reads each row once, from the server's cache; \`cfile kudu check\` also checks every
index, looks up every key in the Bloom files and checks every UNDO entry.

The time of a first scan varies from process to process. In 62 turns outside of this record, the median of Kudu's time divided by ours was 1.01.

A first scan runs some 400 functions for the first time. V8's code cache of an earlier run saves compiling them, a fifth of the scan. From
Node 22.1 on, the variable \`NODE_COMPILE_CACHE\` names a directory for such caches; on Node 20, the benchmark loads one with
\`vm.Script\`. A fifth of the time waits for reads; blocking reads gain no more than 2 percent. Without a cache of blocks, later scans read and
check 80 MB again, which Kudu does not.`,
  "beside-hbase": `HBase visits the values of cells where they lie in a block. cfile copies all values of a batch to one array and visits
them there. cfile verifies the checksums of HFile blocks.

By a processor profile of scans that are neither encoded nor compressed, merging and the rules of versions take 25 percent of the samples.
Reading files takes 16, parsing cells and checking their order 15, copying values 13, and walking over cells 10 percent. Checksums take 8,
garbage collection 6, and waiting for reads 4.`,
  "kudu-cluster": `What limits the export from four servers: it opens the directories of four servers and the logs of three replicas of each
tablet, one server's export a quarter of the directories and a third of the logs. The ratio had 0.90 to 1.05 in earlier records.

The catalog had 0.067 times the rate of reading the files in the record before. Since then, its calls for files block the thread, as those
of the peer do. Handing each call to another thread took a third of the time.

By a processor profile, opening, reading, listing and closing files takes 21 percent, garbage collection 18 percent, and LZ4 of log entries
1.4 percent. The rest is parsing metadata and log entries, in functions of at most 2.4 percent each.`,
  compare: `Comparing is work on top of reading: a digest of each row, and its order among the others. The ratio for
Kudu had 1.45 and 1.53 in records whose contenders did not take turns.`,
  iceberg: `The data files of the Iceberg table have a Bloom filter of the key, the Parquet file has none, because its rows are in the order of the
key. The command also writes four small files of metadata and syncs them. By a processor profile of both exports in turn, with one thread,
the Bloom filter takes 4.3 percent of the samples of the Iceberg export, Avro, metadata and the commit 0.7. In both, pages are compressed with
Zstandard for 36 percent of the samples. The filter also has 4 MB to write and to check.`,
  "two-workers": `All processes consume batches where they are decoded: they count their rows. "One process with two workers" is
\`pool.map\` with the same function. Two workers that send their batches are \`pool.scan\`, without a goal: it copies decoded values into
memory that can be transferred. That takes a worker five times as long as a copy that stays in the processor's cache, and two processes do
not need it.

Two processes with half of the task each process as many bytes as two workers, so the goals compare with them. A half is a range of rows of
the file, or a table of half the rows. Two processes with the whole task each have one start for twice the work; rates are
those of both together.

The contenders take turns, one scan or command each: the speed of this virtual machine changes by half from second to second. With some
seconds for each contender, the same code had ratios from 0.68 to 0.88. The rate of a process also depends on chance: in some, the
threads that read took twice as long for the same bytes, from start to end. In eight series of one start each, ratios for DOUBLE were 0.86 to
1.04. So processes are started six times.

Workers read files on their own thread, in chunks of 256 KiB, which are still in the core's cache when they are decoded. The processes
read as \`openCFile\` does by default: another thread reads 1 MiB at a time, so that the program is never blocked. For that reason, two
workers are ahead of two processes. Beside processes with \`file: { blocking: true }\` and chunks of the same size, they had 0.94 to 0.96 of
the rate of the halves, and 0.93 of the rate of the whole tasks (four starts of each).

In such scans of INT32, two workers take 101 ms of processor time, and two processes 94 together (scheduler's statistics). Distributing
the work takes 3 to 4 of them. A worker starts late, 1.6 to 4 ms after the request, because it opens the file only when it gets its first
task.

What limits a check: its second thread starts when the directory has been read, after some 0.2 s. Until then the other core is idle,
except for some compiling. From then on, both cores are busy to the end. In a profile by \`perf\`, the functions of V8 that code uses
until it is optimized had 15 percent of the samples with one thread, and 21 percent with two. Starting the thread with the command
gained nothing (8 turns, 1.00).

An export takes 0.3 s to load its code and to divide the table, during which the second thread only loads its code. At the
end, one core waits for the other one's last part, for up to 0.2 s.`,
  splits: `A worker starts in a third of a second and compiles its code, and two workers pay this cost twice. The rest depends on the machine:
two processes that share nothing, each with the whole scan, took between 1.12 and 1.38 times as long as one, depending on the time of day.
That is 1.45 to 1.78 times the work of one.

By a processor profile of the scan, the main thread of one worker is busy for 6.2 s. Conditions take 33 percent of the samples, LZ4 20,
and transposing bits 9. Functions of at most 5 percent each have the rest. In profiles from before conditions became faster, the main thread
of one worker was busy for 7.5 s, those of two for 10.6 together. Conditions took 3.7 s instead of 3.1, LZ4 1.4 instead of 1.1, and
reading 0.75 instead of 0.12.`,
  scaling: `![Cost of a scan, a lookup by row and a lookup by value, from 10,000 to 100 million rows, both axes logarithmic](scaling.svg)

The cost of a scan is proportional to its rows. The cost of a lookup grows with the logarithm of the rows, and with misses of the processor
caches. The plot: \`node tools/bench/dist/plot.js tools/bench/results/scaling.json docs/scaling.svg\`.`,
  "throttled all": `A second thread gains less than without loops: \`workers\` has 0.97 to 1.49. The loops of the cores do not run in step, so both cores are
free for about a quarter of the time. Two processes lose as much, as \`two-workers\` shows. \`splits\` has the same limit.

\`kudu check\` had 0.94 and 0.997 times the rate of Kudu's two commands in the runs before, and has 1.05 in this one. It uses 1.8 of the
two cores for two threads, the compiler and garbage collection, so that it waits for a core more often. An Iceberg export with two threads
took 1.09 times as long as the Parquet file in the run before, and takes 1.11 in this one.

A loop works for 0.17 ms at a time. A program of one thread takes twice as long.

Reads of a dictionary had 2.4 to 2.7 of 3 in earlier runs. After a forced garbage collection, threads of the engine free memory for some
milliseconds, and a task that is as short competed with them. The benchmark now waits for 10 milliseconds before each run, also without
loops.`,
  "throttled last": `Two threads then have one core and a share of the other one, so a second thread gains little:
that limits checks, exports, \`splits\` and \`workers\`. Kudu's scan to text and its check mostly use one thread, which has the free core
to itself. In \`two-workers\`, two processes lose as much. The cases beside HBase and Hudi have no such run. "On one core" is the core of the
loop. The other differences are those of cases whose ratios also vary without the loop: see the remarks on \`arrow\`, \`http\`
and \`compare\`. The runs of 2026-11-29 are of earlier commits, without the later changes to checksums, RLE, HTTP and Iceberg. Those of
\`beside-kudu\`, \`checksums\`, \`read-strings\`, \`start\` and \`strings\` are new.`,
};
