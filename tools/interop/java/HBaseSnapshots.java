import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.BufferedMutator;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableSnapshotScanner;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BlockCacheFactory;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.snapshot.RestoreSnapshotHelper;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;

/**
 * Snapshots of a large table, as a peer in benchmarks. Commands, with tabs:
 *
 *     make FOLDER ROWS        writes ROWS rows of four columns, flushed several times, and a snapshot per layout:
 *                             "plain" and "encoded" (FAST_DIFF, Snappy)
 *     scan FOLDER NAME        scans with TableSnapshotScanner: cells, sum, milliseconds, milliseconds of the processor
 *     get FOLDER NAME ROWS COUNT   COUNT random gets in read-only regions, the fastest of five passes: as scan
 *
 * The sum adds the lengths of values and their last bytes.
 */
public final class HBaseSnapshots {
  private static final int REGIONS = 4;
  private static final int COLUMNS = 4;
  private static final int GET_PASSES = 5;
  private static final String[] LAYOUTS = {"plain", "encoded"};
  private static final OperatingSystemMXBean SYSTEM = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  public static void main(String[] args) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    BufferedWriter out = new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8));
    System.setOut(System.err);
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      try {
        String[] command = line.split("\t", -1);
        switch (command[0]) {
          case "make": make(command[1], Integer.parseInt(command[2])); break;
          case "scan": out.write(scan(command[1], command[2]) + "\n"); break;
          case "get":
            out.write(get(command[1], command[2], Integer.parseInt(command[3]), Integer.parseInt(command[4])) + "\n");
            break;
          default: throw new IllegalArgumentException(command[0]);
        }
        out.write("OK\n");
      } catch (Throwable e) {
        out.write("ERR " + String.valueOf(e).replace('\n', ' ') + "\n");
      }
      out.flush();
    }
    System.exit(0);
  }

  private static byte[] row(int number) {
    return Bytes.toBytes(String.format("row%09d", number));
  }

  private static void make(String folder, int rows) throws Exception {
    HBaseCluster.start(folder);
    Admin admin = HBaseCluster.admin;
    byte[][] bounds = new byte[REGIONS - 1][];
    for (int i = 1; i < REGIONS; i++) {
      bounds[i - 1] = row((int) ((long) rows * i / REGIONS));
    }
    for (String layout : LAYOUTS) {
      TableName name = TableName.valueOf(layout);
      ColumnFamilyDescriptorBuilder family = ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("f"))
          .setBloomFilterType(BloomType.ROW);
      if (layout.equals("encoded")) {
        family.setCompressionType(Compression.Algorithm.SNAPPY).setDataBlockEncoding(DataBlockEncoding.FAST_DIFF);
      }
      admin.createTable(TableDescriptorBuilder.newBuilder(name).setColumnFamily(family.build()).build(), bounds);
      Random random = new Random(7);
      // The second flush has a new version of every tenth row.
      for (int step : new int[] {1, 10}) {
        try (BufferedMutator mutator = HBaseCluster.connection.getBufferedMutator(name)) {
          for (int i = 0; i < rows; i += step) {
            Put put = new Put(row(i));
            for (int column = 0; column < COLUMNS; column++) {
              put.addColumn(Bytes.toBytes("f"), Bytes.toBytes("column" + column), 1700000000000L + step,
                  Bytes.toBytes("value-" + random.nextInt(1_000_000)));
            }
            mutator.mutate(put);
          }
        }
        admin.flush(name);
      }
      admin.snapshot(layout, name);
    }
  }

  private static Configuration configuration(String folder) throws Exception {
    Configuration conf = HBaseConfiguration.create();
    CommonFSUtils.setRootDir(conf, new Path(new File(folder, "live").toURI()));
    return conf;
  }

  private static Path scratch(String folder) throws Exception {
    return new Path(Files.createTempDirectory(new File(folder).toPath(), "restored").toUri());
  }

  private static String scan(String folder, String name) throws Exception {
    Configuration conf = configuration(folder);
    long cells = 0;
    long sum = 0;
    long processor = SYSTEM.getProcessCpuTime();
    long start = System.nanoTime();
    Scan scan = new Scan().setCacheBlocks(false);
    try (TableSnapshotScanner scanner =
        new TableSnapshotScanner(conf, CommonFSUtils.getRootDir(conf), scratch(folder), name, scan)) {
      for (Result result = scanner.next(); result != null; result = scanner.next()) {
        for (Cell cell : result.rawCells()) {
          cells++;
          sum += cell.getValueLength() + last(cell);
        }
      }
    }
    return answer(cells, sum, start, processor);
  }

  private static String get(String folder, String name, int rows, int count) throws Exception {
    Configuration conf = configuration(folder);
    Path root = CommonFSUtils.getRootDir(conf);
    FileSystem fs = root.getFileSystem(conf);
    Path copy = scratch(folder);
    RestoreSnapshotHelper.RestoreMetaChanges changes = RestoreSnapshotHelper.copySnapshotForScanner(conf, fs, root, copy, name);
    HRegion[] regions = new HRegion[REGIONS];
    BlockCache cache = BlockCacheFactory.createBlockCache(conf);
    for (RegionInfo info : changes.getRegionsToAdd()) {
      byte[] start = info.getStartKey();
      int index = start.length == 0 ? 0 : (int) Math.round(Double.parseDouble(Bytes.toString(start).substring(3)) * REGIONS / rows);
      regions[index] = HRegion.newHRegion(CommonFSUtils.getTableDir(copy, changes.getTableDescriptor().getTableName()), null, fs,
          conf, info, changes.getTableDescriptor(), null);
      regions[index].setRestoredRegion(true);
      regions[index].setBlockCache(cache);
      regions[index].initialize();
    }
    // The first pass fills the block cache.
    String answer = "";
    double fastest = Double.POSITIVE_INFINITY;
    for (int pass = 0; pass < GET_PASSES; pass++) {
      Random random = new Random(11);
      long cells = 0;
      long sum = 0;
      long processor = SYSTEM.getProcessCpuTime();
      long start = System.nanoTime();
      for (int i = 0; i < count; i++) {
        int number = random.nextInt(rows);
        Result result = regions[(int) ((long) number * REGIONS / rows)].get(new Get(row(number)));
        for (Cell cell : result.rawCells()) {
          cells++;
          sum += cell.getValueLength() + last(cell);
        }
      }
      if (System.nanoTime() - start < fastest) {
        fastest = System.nanoTime() - start;
        answer = answer(cells, sum, start, processor);
      }
    }
    return answer;
  }

  private static int last(Cell cell) {
    return cell.getValueLength() == 0 ? 0 : cell.getValueArray()[cell.getValueOffset() + cell.getValueLength() - 1];
  }

  private static String answer(long cells, long sum, long start, long processor) {
    double milliseconds = (System.nanoTime() - start) / 1e6;
    return cells + "\t" + sum + "\t" + milliseconds + "\t" + (SYSTEM.getProcessCpuTime() - processor) / 1e6;
  }
}
