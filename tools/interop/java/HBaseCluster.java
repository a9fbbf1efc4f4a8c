import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.LocalHBaseCluster;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.SnapshotDescription;
import org.apache.hadoop.hbase.client.SnapshotType;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableSnapshotScanner;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.zookeeper.MiniZooKeeperCluster;

/**
 * A whole HBase in one process, controlled by lines of text: one master, one region server, one ZooKeeper. `round SEED FOLDER` changes
 * random tables, then copies the root directory to FOLDER/root, and writes what the client reads to FOLDER/facts.json.
 */
public final class HBaseCluster {
  private static final int ROWS = 60;
  private static final long TIME = 1700000000000L;
  private static BufferedWriter out;
  private static Configuration conf;
  private static Connection connection;
  private static Admin admin;
  private static Random random;
  private static File root;
  private static int clones;

  /** What the program knows of a table in addition to its descriptor. */
  private static final class Known {
    final TableName name;
    final boolean hasEmptyQualifiers;
    final boolean isLarge;

    Known(TableName name, boolean hasEmptyQualifiers, boolean isLarge) {
      this.name = name;
      this.hasEmptyQualifiers = hasEmptyQualifiers;
      this.isLarge = isLarge;
    }
  }

  public static void main(String[] args) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    out = new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8));
    System.setOut(System.err);
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      try {
        String[] command = line.split("\t", -1);
        if (!command[0].equals("round")) {
          throw new IllegalArgumentException(command[0]);
        }
        round(Long.parseLong(command[1]), command[2]);
        line("OK");
      } catch (Throwable e) {
        StringBuilder text = new StringBuilder("ERR ").append(String.valueOf(e).replace('\n', ' '));
        for (StackTraceElement element : e.getStackTrace()) {
          if (element.getClassName().startsWith("HBaseCluster")) {
            text.append(" at ").append(element);
          }
        }
        line(text.toString());
      }
      out.flush();
    }
    System.exit(0);
  }

  private static void start(String folder) throws Exception {
    root = new File(folder, "live");
    conf = HBaseConfiguration.create();
    MiniZooKeeperCluster zooKeeper = new MiniZooKeeperCluster(conf);
    int port = zooKeeper.startup(new File(folder, "zookeeper"));
    conf.set("hbase.zookeeper.quorum", "localhost");
    conf.setInt("hbase.zookeeper.property.clientPort", port);
    conf.set("hbase.rootdir", root.toURI().toString());
    conf.set("hbase.tmp.dir", new File(folder, "tmp").getPath());
    conf.setBoolean("hbase.unsafe.stream.capability.enforce", false);
    conf.setBoolean("hbase.cluster.distributed", false);
    conf.set("hbase.wal.provider", "filesystem");
    for (String name : new String[] {"hbase.master.port", "hbase.regionserver.port"}) {
      conf.setInt(name, 0);
    }
    for (String name : new String[] {"hbase.master.info.port", "hbase.regionserver.info.port"}) {
      conf.setInt(name, -1);
    }
    conf.setBoolean("hbase.localcluster.assign.random.ports", true);
    conf.setInt("hbase.hstore.compaction.min", 4);
    conf.setInt("hbase.regionserver.handler.count", 5);
    conf.setInt("hbase.master.wait.on.regionservers.mintostart", 1);
    conf.setBoolean("hbase.ipc.server.fallback-to-simple-auth-allowed", true);
    conf.setBoolean("hbase.snapshot.enabled", true);
    conf.setInt("io.storefile.bloom.block.size", 2048);
    conf.setBoolean("hbase.table.sanity.checks", false);
    conf.setInt("hbase.client.retries.number", 4);
    for (String name : new String[] {"hbase.rpc.timeout", "hbase.client.scanner.timeout.period"}) {
      conf.setInt(name, 15_000);
    }
    conf.setInt("RowPrefixBloomFilter.prefix_length", 4);
    LocalHBaseCluster cluster = new LocalHBaseCluster(conf, 1, 1);
    cluster.startup();
    connection = ConnectionFactory.createConnection(conf);
    admin = connection.getAdmin();
    for (int i = 0; ; i++) {
      try {
        if (!admin.getRegionServers().isEmpty() && admin.tableExists(TableName.META_TABLE_NAME)) {
          break;
        }
      } catch (java.io.IOException e) {
        if (i > 200) {
          throw e;
        }
      }
      Thread.sleep(200);
    }
    admin.createNamespace(NamespaceDescriptor.create("ns1").build());
  }

  private static void round(long seed, String folder) throws Exception {
    random = new Random(seed);
    if (connection == null) {
      start(folder);
    }
    List<Known> tables = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      tables.add(create("t" + seed + "x" + i, i));
    }
    List<String> snapshots = new ArrayList<>();
    for (Known table : new ArrayList<>(tables)) {
      int steps = 6 + random.nextInt(5);
      for (int step = 0; step < steps; step++) {
        step(table, snapshots, tables);
      }
    }
    // What a table has that a snapshot does not: more writes, and files that move to the archive.
    for (Known table : tables) {
      write(table, 10);
      if (random.nextInt(3) == 0) {
        compact(table.name);
      }
    }
    for (Known table : tables) {
      if (random.nextBoolean()) {
        write(table, 15);
      }
    }
    facts(folder, tables, snapshots);
    copy(root.toPath(), Paths.get(folder, "root"));
  }

  private static <T> T pick(T... values) {
    return values[random.nextInt(values.length)];
  }

  private static Known create(String text, int kind) throws Exception {
    TableName name = TableName.valueOf(random.nextBoolean() ? "ns1" : "default", text);
    boolean hasEmpty = random.nextBoolean();
    TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(name);
    if (random.nextInt(4) == 0) {
      table.setValue("hbase.store.file-tracker.impl", "FILE");
    }
    table.setValue("hbase.hregion.compacting.memstore.type", "NONE");
    String[] names = {"a", "b", "family"};
    for (int i = 0; i < 1 + random.nextInt(3); i++) {
      ColumnFamilyDescriptorBuilder family = ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes(names[i]));
      family.setMaxVersions(pick(1, 2, 3, 5));
      family.setBlocksize(pick(256, 2048, 65536));
      family.setCompressionType(pick(Compression.Algorithm.NONE, Compression.Algorithm.GZ, Compression.Algorithm.SNAPPY,
          Compression.Algorithm.LZ4, Compression.Algorithm.ZSTD));
      boolean hasTags = kind == 1 || kind == 2;
      if (!hasTags) {
        family.setDataBlockEncoding(pick(DataBlockEncoding.NONE, DataBlockEncoding.PREFIX, DataBlockEncoding.DIFF,
            DataBlockEncoding.FAST_DIFF, DataBlockEncoding.ROW_INDEX_V1));
      }
      BloomType bloom = pick(BloomType.NONE, BloomType.ROW, BloomType.ROWCOL, BloomType.ROWPREFIX_FIXED_LENGTH);
      family.setBloomFilterType(bloom);
      if (bloom == BloomType.ROWPREFIX_FIXED_LENGTH) {
        family.setConfiguration("RowPrefixBloomFilter.prefix_length", String.valueOf(pick(2, 4, 5)));
      }
      family.setKeepDeletedCells(pick(KeepDeletedCells.FALSE, KeepDeletedCells.FALSE, KeepDeletedCells.TRUE));
      if (kind == 1) {
        // The cells are a few days old, the TTLs one or two days.
        family.setTimeToLive(pick(86400, 172800, Integer.MAX_VALUE));
        int versions = family.build().getMaxVersions();
        family.setMinVersions(Math.min(versions - 1, pick(0, 0, 1, 2)));
        if (family.build().getMinVersions() > 0 && random.nextBoolean()) {
          family.setKeepDeletedCells(KeepDeletedCells.TTL);
        }
      }
      if (kind == 2 && i == 0) {
        family.setMobEnabled(true).setMobThreshold(40);
      }
      if (kind == 3 && !hasEmpty) {
        family.setNewVersionBehavior(i == 0);
      }
      table.setColumnFamily(family.build());
    }
    byte[][] splits = random.nextBoolean() ? new byte[][] {row(20), row(40)} : null;
    if (splits == null) {
      admin.createTable(table.build());
    } else {
      admin.createTable(table.build(), splits);
    }
    return new Known(name, hasEmpty, kind == 4);
  }

  private static byte[] row(int number) {
    return Bytes.toBytes(String.format("r%04d", number));
  }

  private static long timestamp(Known table) throws Exception {
    TableDescriptor descriptor = admin.getDescriptor(table.name);
    boolean hasTtl = false;
    for (ColumnFamilyDescriptor family : descriptor.getColumnFamilies()) {
      hasTtl |= family.getTimeToLive() != Integer.MAX_VALUE;
    }
    return hasTtl ? System.currentTimeMillis() - 3600_000L * random.nextInt(72) : TIME + random.nextInt(12);
  }

  private static byte[] qualifier(Known table) {
    String[] qualifiers = {"q0", "q1", "q2", "longer-qualifier", ""};
    return Bytes.toBytes(qualifiers[random.nextInt(table.hasEmptyQualifiers ? 5 : 4)]);
  }

  private static void write(Known table, int count) throws Exception {
    TableDescriptor descriptor = admin.getDescriptor(table.name);
    try (Table client = connection.getTable(table.name)) {
      List<Mutation> batch = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        batch.add(mutation(table, descriptor));
        if (random.nextInt(3) > 0) {
          client.batch(batch, new Object[batch.size()]);
          batch.clear();
        }
      }
      client.batch(batch, new Object[batch.size()]);
    }
  }

  private static Mutation mutation(Known table, TableDescriptor descriptor) throws Exception {
    byte[] row = row(random.nextInt(ROWS));
    if (random.nextInt(10) == 0) {
      row = Arrays.copyOf(row, pick(2, 6, 7));
    }
    ColumnFamilyDescriptor[] families = descriptor.getColumnFamilies();
    if (random.nextInt(4) > 0) {
      Put put = new Put(row);
      for (int i = 0; i < 1 + random.nextInt(3); i++) {
        byte[] value = new byte[pick(0, 3, 20, 60)];
        random.nextBytes(value);
        put.addColumn(families[random.nextInt(families.length)].getName(), qualifier(table), timestamp(table), value);
      }
      boolean hasTtl = Arrays.stream(families).anyMatch(family -> family.getTimeToLive() != Integer.MAX_VALUE);
      if (hasTtl && random.nextInt(3) == 0) {
        put.setTTL(3600_000L * (1 + random.nextInt(60)));
      }
      return put;
    }
    Delete delete = new Delete(row);
    byte[] family = families[random.nextInt(families.length)].getName();
    // HBase can skip family markers below cells of the empty qualifier: docs/spec/hbase-table.md#66-where-hbase-itself-goes-wrong.
    switch (random.nextInt(table.hasEmptyQualifiers ? 3 : 5)) {
      case 0: delete.addColumn(family, qualifier(table), timestamp(table)); break;
      case 1: delete.addColumns(family, qualifier(table), timestamp(table)); break;
      case 2: delete.addColumn(family, qualifier(table)); break;
      case 3: delete.addFamily(family, timestamp(table)); break;
      default: delete.addFamilyVersion(family, timestamp(table)); break;
    }
    return delete;
  }

  private static void step(Known table, List<String> snapshots, List<Known> tables) throws Exception {
    write(table, 20 + random.nextInt(table.isLarge ? 400 : 60));
    switch (random.nextInt(10)) {
      case 0: case 1: case 2: case 3: admin.flush(table.name); break;
      case 4: admin.flush(table.name); compact(table.name); break;
      case 5: split(table); break;
      case 6: merge(table); break;
      case 7: snapshot(table, snapshots, tables); break;
      case 8: case 9: bulkLoad(table); break;
    }
  }

  private static void compact(TableName name) throws Exception {
    long before = admin.getLastMajorCompactionTimestamp(name);
    admin.majorCompact(name);
    for (int i = 0; i < 100 && admin.getLastMajorCompactionTimestamp(name) == before; i++) {
      Thread.sleep(50);
    }
    for (int i = 0; i < 100 && admin.getCompactionState(name) != org.apache.hadoop.hbase.client.CompactionState.NONE; i++) {
      Thread.sleep(50);
    }
  }

  private static void split(Known table) throws Exception {
    List<RegionInfo> regions = admin.getRegions(table.name);
    try {
      RegionInfo region = regions.get(random.nextInt(regions.size()));
      byte[] at = row(1 + random.nextInt(ROWS - 2));
      if (region.containsRow(at) && !Arrays.equals(region.getStartKey(), at)) {
        admin.splitRegionAsync(region.getRegionName(), at).get();
      }
    } catch (Exception e) {
      // Regions with references cannot be split again until they are compacted.
    }
  }

  private static void merge(Known table) throws Exception {
    List<RegionInfo> regions = admin.getRegions(table.name);
    if (regions.size() < 2) {
      return;
    }
    int first = random.nextInt(regions.size() - 1);
    try {
      byte[][] names = {regions.get(first).getEncodedNameAsBytes(), regions.get(first + 1).getEncodedNameAsBytes()};
      admin.mergeRegionsAsync(names, true).get();
    } catch (Exception e) {
      // Regions with references cannot be merged until they are compacted.
    }
  }

  private static void snapshot(Known table, List<String> snapshots, List<Known> tables) throws Exception {
    String name = "s-" + table.name.getQualifierAsString() + "-" + snapshots.size();
    admin.snapshot(new SnapshotDescription(name, table.name, pick(SnapshotType.FLUSH, SnapshotType.SKIPFLUSH)));
    snapshots.add(name);
    if (random.nextBoolean()) {
      TableName clone = TableName.valueOf(random.nextBoolean() ? "ns1" : "default", "clone" + clones++);
      admin.cloneSnapshot(name, clone);
      Known known = new Known(clone, table.hasEmptyQualifiers, false);
      tables.add(known);
      write(known, 20);
      if (random.nextBoolean()) {
        admin.flush(clone);
        split(known);
      }
    }
  }

  private static void bulkLoad(Known table) throws Exception {
    TableDescriptor descriptor = admin.getDescriptor(table.name);
    ColumnFamilyDescriptor[] families = descriptor.getColumnFamilies();
    ColumnFamilyDescriptor family = families[random.nextInt(families.length)];
    if (family.isMobEnabled()) {
      return;
    }
    Path folder = Files.createTempDirectory("bulk");
    Path familyFolder = Files.createDirectory(folder.resolve(family.getNameAsString()));
    TreeSet<KeyValue> cells = new TreeSet<>(org.apache.hadoop.hbase.CellComparatorImpl.COMPARATOR);
    for (int i = 0; i < 15; i++) {
      byte[] value = new byte[5];
      random.nextBytes(value);
      KeyValue.Type type = pick(KeyValue.Type.Put, KeyValue.Type.Put, KeyValue.Type.Put, KeyValue.Type.DeleteColumn);
      cells.add(new KeyValue(row(random.nextInt(ROWS)), family.getName(), qualifier(table), timestamp(table), type,
          type == KeyValue.Type.Put ? value : new byte[0]));
    }
    FileSystem fs = new org.apache.hadoop.fs.Path(folder.toUri()).getFileSystem(conf);
    HFile.Writer writer = HFile.getWriterFactory(conf, new CacheConfig(conf))
        .withPath(fs, new org.apache.hadoop.fs.Path(familyFolder.resolve("file").toString()))
        .withFileContext(new HFileContextBuilder().withBlockSize(256).withColumnFamily(family.getName()).build())
        .create();
    for (KeyValue cell : cells) {
      writer.append(cell);
    }
    writer.appendFileInfo(org.apache.hadoop.hbase.regionserver.HStoreFile.BULKLOAD_TIME_KEY,
        Bytes.toBytes(System.currentTimeMillis()));
    writer.close();
    BulkLoadHFiles.create(conf).bulkLoad(table.name, new org.apache.hadoop.fs.Path(folder.toUri()));
  }

  private static void facts(String folder, List<Known> tables, List<String> snapshots) throws Exception {
    try (PrintWriter file = new PrintWriter(new File(folder, "facts.json"), "UTF-8")) {
      file.println("[");
      String separator = "";
      for (Known table : tables) {
        file.print(separator);
        tableFacts(file, table);
        separator = ",\n";
      }
      for (String snapshot : snapshots) {
        file.print(separator);
        snapshotFacts(file, snapshot);
        separator = ",\n";
      }
      file.println("\n]");
    }
  }

  /** The options of a scan in JSON, and the scan. */
  private static Map<String, Scan> scans(ColumnFamilyDescriptor[] families, boolean hasTtl, boolean isSnapshot) throws Exception {
    long from = hasTtl ? System.currentTimeMillis() - 3600_000L * 30 : TIME + 3;
    long to = hasTtl ? System.currentTimeMillis() - 3600_000L * 8 : TIME + 8;
    String range = "\"timeRange\":[" + from + "," + to + "]";
    Map<String, Scan> scans = new LinkedHashMap<>();
    scans.put("{}", new Scan());
    scans.put("{\"versions\":\"all\"}", new Scan().readAllVersions());
    scans.put("{\"versions\":2}", new Scan().readVersions(2));
    scans.put("{\"raw\":true,\"versions\":\"all\"}", new Scan().setRaw(true).readAllVersions());
    scans.put("{\"raw\":true}", new Scan().setRaw(true));
    scans.put("{" + range + "}", new Scan().setTimeRange(from, to));
    scans.put("{\"versions\":\"all\"," + range + "}", new Scan().setTimeRange(from, to).readAllVersions());
    scans.put("{\"versions\":\"all\",\"startRow\":\"" + hex(row(13)) + "\",\"stopRow\":\"" + hex(row(47)) + "\"}",
        new Scan().withStartRow(row(13)).withStopRow(row(47)).readAllVersions());
    if (!isSnapshot) {
      scans.put("{\"limit\":7}", new Scan().setLimit(7));
    }
    for (ColumnFamilyDescriptor family : families) {
      String name = family.getNameAsString();
      scans.put("{\"families\":[\"" + name + "\"]}", new Scan().addFamily(family.getName()));
      byte[] first = Bytes.toBytes("q1");
      byte[] second = Bytes.toBytes("longer-qualifier");
      String columns = "\"columns\":[[\"" + name + "\",\"" + hex(first) + "\"],[\"" + name + "\",\"" + hex(second) + "\"]]";
      scans.put("{" + columns + ",\"versions\":\"all\"}",
          new Scan().addColumn(family.getName(), first).addColumn(family.getName(), second).readAllVersions());
      scans.put("{" + columns + "," + range + "}",
          new Scan().addColumn(family.getName(), first).addColumn(family.getName(), second).setTimeRange(from, to));
    }
    return scans;
  }

  private static boolean hasTtl(ColumnFamilyDescriptor[] families) {
    return Arrays.stream(families).anyMatch(family -> family.getTimeToLive() != Integer.MAX_VALUE);
  }

  private static void tableFacts(PrintWriter file, Known known) throws Exception {
    ColumnFamilyDescriptor[] families = admin.getDescriptor(known.name).getColumnFamilies();
    file.print("{\"kind\":\"table\",\"name\":\"" + known.name.getNameAsString() + "\",\"regions\":[");
    String separator = "";
    for (RegionInfo region : admin.getRegions(known.name)) {
      file.print(separator + "\"" + region.getEncodedName() + "\"");
      separator = ",";
    }
    file.println("],\"scans\":[");
    separator = "";
    try (Table client = connection.getTable(known.name)) {
      for (Map.Entry<String, Scan> scan : scans(families, hasTtl(families), false).entrySet()) {
        long now = System.currentTimeMillis();
        String cells;
        try (ResultScanner scanner = client.getScanner(scan.getValue())) {
          cells = cells(scanner);
        } catch (java.io.IOException | java.io.UncheckedIOException e) {
          // Some raw scans never end: docs/spec/hbase-table.md#64-raw-scan.
          line("unanswered " + known.name + " " + scan.getKey());
          continue;
        }
        file.print(separator + "{\"options\":" + scan.getKey() + ",\"now\":" + now + ",\"cells\":" + cells + "}");
        separator = ",\n";
      }
      file.println("],\"gets\":[");
      separator = "";
      for (int i = 0; i < 40; i++) {
        byte[] row = row(random.nextInt(ROWS + 3));
        Get get = new Get(row);
        String options = "\"row\":\"" + hex(row) + "\"";
        ColumnFamilyDescriptor family = families[random.nextInt(families.length)];
        switch (random.nextInt(4)) {
          case 0: break;
          case 1:
            get.readAllVersions();
            options += ",\"versions\":\"all\"";
            break;
          case 2:
            get.addFamily(family.getName());
            options += ",\"families\":[\"" + family.getNameAsString() + "\"]";
            break;
          default:
            get.addColumn(family.getName(), Bytes.toBytes("q1"));
            options += ",\"columns\":[[\"" + family.getNameAsString() + "\",\"7131\"]]";
        }
        file.print(separator + "{\"options\":{" + options + "},\"now\":" + System.currentTimeMillis() + ",\"cells\":");
        file.print(cells(Collections.singletonList(client.get(get))) + "}");
        separator = ",\n";
      }
    }
    file.println("]}");
  }

  private static void snapshotFacts(PrintWriter file, String name) throws Exception {
    TableName table = null;
    for (SnapshotDescription description : admin.listSnapshots()) {
      table = description.getName().equals(name) ? description.getTableName() : table;
    }
    ColumnFamilyDescriptor[] families = admin.getDescriptor(table).getColumnFamilies();
    file.println("{\"kind\":\"snapshot\",\"name\":\"" + name + "\",\"gets\":[],\"scans\":[");
    String separator = "";
    for (Map.Entry<String, Scan> scan : scans(families, hasTtl(families), true).entrySet()) {
      Path restored = Files.createTempDirectory(root.getParentFile().toPath(), "restored");
      file.print(separator + "{\"options\":" + scan.getKey() + ",\"now\":" + System.currentTimeMillis() + ",\"cells\":");
      Configuration own = new Configuration(conf);
      org.apache.hadoop.fs.Path rootPath = new org.apache.hadoop.fs.Path(root.toURI());
      try (TableSnapshotScanner scanner = new TableSnapshotScanner(own, rootPath,
          new org.apache.hadoop.fs.Path(restored.toUri()), name, scan.getValue())) {
        List<Result> results = new ArrayList<>();
        for (Result result = scanner.next(); result != null; result = scanner.next()) {
          results.add(result);
        }
        file.print(cells(results) + "}");
      }
      separator = ",\n";
    }
    file.println("]}");
  }

  private static String cells(Iterable<Result> results) {
    StringBuilder text = new StringBuilder("[");
    for (Result result : results) {
      for (Cell cell : result.isEmpty() ? new Cell[0] : result.rawCells()) {
        text.append(text.length() > 1 ? "," : "").append("[\"").append(hex(CellUtil.cloneRow(cell))).append("\",\"")
            .append(Bytes.toString(CellUtil.cloneFamily(cell))).append("\",\"").append(hex(CellUtil.cloneQualifier(cell)))
            .append("\",").append(cell.getTimestamp()).append(",").append(cell.getTypeByte() & 255).append(",\"")
            .append(hex(CellUtil.cloneValue(cell))).append("\"]");
      }
    }
    return text.append("]").toString();
  }

  private static void copy(Path from, Path to) throws Exception {
    try (Stream<Path> paths = Files.walk(from)) {
      for (Path path : (Iterable<Path>) paths::iterator) {
        String relative = from.relativize(path).toString();
        if (relative.startsWith("MasterData") || relative.startsWith("oldWALs") || relative.startsWith(".tmp")) {
          continue;
        }
        try {
          if (Files.isDirectory(path)) {
            Files.createDirectories(to.resolve(relative));
          } else {
            Files.copy(path, to.resolve(relative), StandardCopyOption.REPLACE_EXISTING);
          }
        } catch (java.nio.file.NoSuchFileException e) {
          // Temporary files come and go.
        }
      }
    }
  }

  private static void line(String text) throws Exception {
    out.write(text);
    out.write('\n');
  }

  private static String hex(byte[] bytes) {
    return java.util.HexFormat.of().formatHex(bytes);
  }
}
