import java.io.File;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.SnapshotDescription;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableSnapshotScanner;
import org.apache.hadoop.hbase.util.Bytes;

/** What HBase's client and its `TableSnapshotScanner` read, as JSON. */
final class HBaseFacts {
  private final Configuration conf;
  private final Connection connection;
  private final Admin admin;
  private final Random random;
  private final File root;
  /** Scans that HBase did not answer. */
  final List<String> unanswered = new ArrayList<>();

  HBaseFacts(Configuration conf, Random random, File root) throws Exception {
    this.conf = conf;
    // A scan that never ends keeps a thread of the server busy: one attempt is enough.
    Configuration own = new Configuration(conf);
    own.setInt("hbase.client.retries.number", 1);
    this.connection = ConnectionFactory.createConnection(own);
    this.admin = connection.getAdmin();
    this.random = random;
    this.root = root;
  }

  void write(String folder, List<HBaseTables.Known> tables, List<String> snapshots) throws Exception {
    try (PrintWriter file = new PrintWriter(new File(folder, "facts.json"), "UTF-8")) {
      file.println("[");
      String separator = "";
      for (HBaseTables.Known table : tables) {
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
    long from = hasTtl ? System.currentTimeMillis() - 3600_000L * 30 : HBaseTables.TIME + 3;
    long to = hasTtl ? System.currentTimeMillis() - 3600_000L * 8 : HBaseTables.TIME + 8;
    String range = "\"timeRange\":[" + from + "," + to + "]";
    Map<String, Scan> scans = new LinkedHashMap<>();
    scans.put("{}", new Scan());
    scans.put("{\"versions\":\"all\"}", new Scan().readAllVersions());
    scans.put("{\"versions\":2}", new Scan().readVersions(2));
    scans.put("{\"raw\":true,\"versions\":\"all\"}", new Scan().setRaw(true).readAllVersions());
    scans.put("{\"raw\":true}", new Scan().setRaw(true));
    scans.put("{" + range + "}", new Scan().setTimeRange(from, to));
    scans.put("{\"versions\":\"all\"," + range + "}", new Scan().setTimeRange(from, to).readAllVersions());
    scans.put("{\"versions\":\"all\",\"startRow\":\"" + hex(HBaseTables.row(13)) + "\",\"stopRow\":\"" + hex(HBaseTables.row(47)) + "\"}",
        new Scan().withStartRow(HBaseTables.row(13)).withStopRow(HBaseTables.row(47)).readAllVersions());
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

  private void tableFacts(PrintWriter file, HBaseTables.Known known) throws Exception {
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
      for (Map.Entry<String, Scan> scan : scans(families, HBaseTables.hasTtl(families), false).entrySet()) {
        long now = System.currentTimeMillis();
        String cells;
        try (ResultScanner scanner = client.getScanner(scan.getValue())) {
          cells = cells(scanner);
        } catch (java.io.IOException | java.io.UncheckedIOException e) {
          // Some raw scans never end: docs/spec/hbase-table.md#64-raw-scan.
          unanswered.add(known.name + " " + scan.getKey());
          continue;
        }
        file.print(separator + "{\"options\":" + scan.getKey() + ",\"now\":" + now + ",\"cells\":" + cells + "}");
        separator = ",\n";
      }
      file.println("],\"gets\":[");
      separator = "";
      for (int i = 0; i < 40; i++) {
        byte[] row = HBaseTables.row(random.nextInt(HBaseTables.ROWS + 3));
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

  private void snapshotFacts(PrintWriter file, String name) throws Exception {
    TableName table = null;
    for (SnapshotDescription description : admin.listSnapshots()) {
      table = description.getName().equals(name) ? description.getTableName() : table;
    }
    ColumnFamilyDescriptor[] families = admin.getDescriptor(table).getColumnFamilies();
    file.println("{\"kind\":\"snapshot\",\"name\":\"" + name + "\",\"gets\":[],\"scans\":[");
    String separator = "";
    for (Map.Entry<String, Scan> scan : scans(families, HBaseTables.hasTtl(families), true).entrySet()) {
      long now = System.currentTimeMillis();
      String cells = answer(() -> snapshotCells(name, scan.getValue()));
      if (cells == null) {
        unanswered.add("snapshot " + name + " " + scan.getKey());
        continue;
      }
      file.print(separator + "{\"options\":" + scan.getKey() + ",\"now\":" + now + ",\"cells\":" + cells + "}");
      separator = ",\n";
    }
    file.println("]}");
  }

  private String snapshotCells(String name, Scan scan) throws Exception {
    Path restored = Files.createTempDirectory(root.getParentFile().toPath(), "restored");
    Configuration own = new Configuration(conf);
    org.apache.hadoop.fs.Path rootPath = new org.apache.hadoop.fs.Path(root.toURI());
    try (TableSnapshotScanner scanner = new TableSnapshotScanner(own, rootPath,
        new org.apache.hadoop.fs.Path(restored.toUri()), name, scan)) {
      List<Result> results = new ArrayList<>();
      for (Result result = scanner.next(); result != null; result = scanner.next()) {
        results.add(result);
      }
      return cells(results);
    }
  }

  /** The result of a scan; null if it takes too long: some raw scans never end (docs/spec/hbase-table.md#64-raw-scan). */
  @SuppressWarnings("removal")
  private static String answer(Callable<String> scan) throws Exception {
    FutureTask<String> task = new FutureTask<>(scan);
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    thread.start();
    try {
      return task.get(20, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      // It does not notice interrupts.
      thread.stop();
      return null;
    }
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

  private static String hex(byte[] bytes) {
    return java.util.HexFormat.of().formatHex(bytes);
  }
}
