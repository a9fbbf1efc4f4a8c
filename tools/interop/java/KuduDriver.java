import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kudu.ColumnSchema;
import org.apache.kudu.ColumnTypeAttributes;
import org.apache.kudu.Schema;
import org.apache.kudu.Type;
import org.apache.kudu.client.AlterTableOptions;
import org.apache.kudu.client.AsyncKuduScanner;
import org.apache.kudu.client.CreateTableOptions;
import org.apache.kudu.client.KuduClient;
import org.apache.kudu.client.KuduScanToken;
import org.apache.kudu.client.KuduScanner;
import org.apache.kudu.client.KuduSession;
import org.apache.kudu.client.KuduTable;
import org.apache.kudu.client.Operation;
import org.apache.kudu.client.OperationResponse;
import org.apache.kudu.client.PartialRow;
import org.apache.kudu.client.RangePartitionBound;
import org.apache.kudu.client.RangePartitionWithCustomHashSchema;
import org.apache.kudu.client.RowResult;
import org.apache.kudu.client.SessionConfiguration;

/**
 * Kudu's client, controlled by lines of text: a command with its arguments, separated by tabs. The answer is
 * lines that end with "OK" or "ERR reason". Cells are decimal (integers, times, dates as days, unscaled
 * decimals), 0 or 1 (BOOL), bits in hexadecimal (FLOAT, DOUBLE) or bytes in hexadecimal after an "x". "~" is
 * null, "?" means no value.
 */
public final class KuduDriver {
  private static final char[] HEX = "0123456789abcdef".toCharArray();
  private final KuduClient client;
  private final BufferedReader in;
  private final BufferedWriter out;

  private KuduDriver(String masters, long timeout, BufferedReader in, BufferedWriter out) {
    this.client = new KuduClient.KuduClientBuilder(masters).defaultOperationTimeoutMs(timeout).build();
    this.in = in;
    this.out = out;
  }

  /** Arguments: addresses of the masters, separated by commas; timeout of an operation in milliseconds (default 60000). */
  public static void main(String[] args) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    BufferedWriter out = new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8));
    long timeout = args.length > 1 ? Long.parseLong(args[1]) : 60000;
    KuduDriver driver = new KuduDriver(args[0], timeout, in, out);
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      try {
        driver.run(line.split("\t", -1));
        driver.line("OK");
      } catch (Exception e) {
        driver.line("ERR " + String.valueOf(e).replace('\n', ' '));
      }
      out.flush();
    }
    driver.client.close();
  }

  private void run(String[] command) throws Exception {
    switch (command[0]) {
      case "create": create(command); break;
      case "write": write(command); break;
      case "scan": scan(command[1], Long.parseUnsignedLong(command[2])); break;
      case "diff": diff(command[1], Long.parseUnsignedLong(command[2]), Long.parseUnsignedLong(command[3])); break;
      case "alter": alter(command); break;
      case "schema": schema(command[1]); break;
      case "drop-table": dropTable(command); break;
      case "recall-table": client.recallDeletedTable(command[1]); break;
      default: throw new IllegalArgumentException(command[0]);
    }
  }

  /**
   * create NAME COLUMN;… HASH;… SPLIT;… RANGE;… SECONDS [REPLICAS OWNER COMMENT]. HASH is
   * "buckets:seed:name,name". SPLIT is a cell of the first key column. RANGE is two such cells, "lower:upper", or
   * "lower:upper:HASH" for a range with its own hash partitions. SECONDS is the history retention of the table.
   * SECONDS, OWNER and COMMENT can be empty. REPLICAS is 1 by default.
   */
  private void create(String[] command) throws Exception {
    List<ColumnSchema> columns = new ArrayList<>();
    for (String text : command[2].split(";")) {
      columns.add(column(text));
    }
    Schema schema = new Schema(columns);
    int replicas = command.length > 7 ? Integer.parseInt(command[7]) : 1;
    CreateTableOptions options = new CreateTableOptions().setNumReplicas(replicas);
    for (String hash : list(command[3])) {
      String[] parts = hash.split(":");
      options.addHashPartitions(List.of(parts[2].split(",")), Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
    }
    if (command[4].isEmpty() && command[5].isEmpty()) {
      options.setRangePartitionColumns(new ArrayList<>());
    } else {
      options.setRangePartitionColumns(List.of(schema.getColumnByIndex(0).getName()));
    }
    for (String split : list(command[4])) {
      options.addSplitRow(bound(schema, split));
    }
    for (String range : list(command[5])) {
      String[] bounds = range.split(":", 3);
      if (bounds.length == 2) {
        options.addRangePartition(bound(schema, bounds[0]), bound(schema, bounds[1]));
        continue;
      }
      RangePartitionWithCustomHashSchema custom = new RangePartitionWithCustomHashSchema(
          bound(schema, bounds[0]), bound(schema, bounds[1]), RangePartitionBound.INCLUSIVE_BOUND,
          RangePartitionBound.EXCLUSIVE_BOUND);
      String[] parts = bounds[2].split(":");
      custom.addHashPartitions(List.of(parts[2].split(",")), Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
      options.addRangePartition(custom);
    }
    if (command.length > 8 && !command[8].isEmpty()) {
      options.setOwner(command[8]);
    }
    if (command.length > 9 && !command[9].isEmpty()) {
      options.setComment(command[9]);
    }
    if (!command[6].isEmpty()) {
      options.setExtraConfigs(java.util.Map.of("kudu.table.history_max_age_sec", command[6]));
    }
    client.createTable(command[1], schema, options);
  }

  private static String[] list(String text) {
    return text.isEmpty() ? new String[0] : text.split(";");
  }

  /** A range bound. It needs the whole schema, or the master rejects it. */
  private static PartialRow bound(Schema schema, String cell) {
    PartialRow row = schema.newPartialRow();
    set(row, 0, schema.getColumnByIndex(0), cell);
    return row;
  }

  /** name,type,key,nullable,encoding,compression,blockSize,default,precision,scale,length,immutable; key is 0, 1 or 2 (not unique) */
  private static ColumnSchema column(String text) {
    String[] parts = text.split(",", -1);
    Type type = Type.valueOf(parts[1]);
    ColumnSchema.ColumnSchemaBuilder builder = new ColumnSchema.ColumnSchemaBuilder(parts[0], type)
        .nullable(parts[3].equals("1"))
        .encoding(ColumnSchema.Encoding.valueOf(parts[4]))
        .compressionAlgorithm(ColumnSchema.CompressionAlgorithm.valueOf(parts[5]))
        .desiredBlockSize(Integer.parseInt(parts[6]));
    if (parts[2].equals("2")) {
      builder.nonUniqueKey(true);
    } else {
      builder.key(parts[2].equals("1"));
    }
    ColumnTypeAttributes attributes = null;
    if (type == Type.DECIMAL) {
      attributes = new ColumnTypeAttributes.ColumnTypeAttributesBuilder()
          .precision(Integer.parseInt(parts[8])).scale(Integer.parseInt(parts[9])).build();
    } else if (type == Type.VARCHAR) {
      attributes = new ColumnTypeAttributes.ColumnTypeAttributesBuilder().length(Integer.parseInt(parts[10])).build();
    }
    if (attributes != null) {
      builder.typeAttributes(attributes);
    }
    if (!parts[7].equals("?")) {
      builder.defaultValue(value(type, attributes, parts[7]));
    }
    if (parts[11].equals("1")) {
      builder.immutable(true);
    }
    return builder.build();
  }

  private static Object value(Type type, ColumnTypeAttributes attributes, String cell) {
    switch (type) {
      case BOOL: return cell.equals("1");
      case INT8: return Byte.parseByte(cell);
      case INT16: return Short.parseShort(cell);
      case INT32: return Integer.parseInt(cell);
      case INT64: case UNIXTIME_MICROS: return Long.parseLong(cell);
      case DATE: return java.sql.Date.valueOf(java.time.LocalDate.ofEpochDay(Long.parseLong(cell)));
      case FLOAT: return Float.intBitsToFloat(Integer.parseUnsignedInt(cell, 16));
      case DOUBLE: return Double.longBitsToDouble(Long.parseUnsignedLong(cell, 16));
      case STRING: case VARCHAR: return new String(fromHex(cell), StandardCharsets.UTF_8);
      case BINARY: return fromHex(cell);
      case DECIMAL: return new BigDecimal(new BigInteger(cell), attributes.getScale());
      default: throw new IllegalArgumentException(type.toString());
    }
  }

  private static void set(PartialRow row, int index, ColumnSchema column, String cell) {
    if (cell.equals("?")) {
      return;
    }
    if (cell.equals("~")) {
      row.setNull(index);
      return;
    }
    Object value = value(column.getType(), column.getTypeAttributes(), cell);
    switch (column.getType()) {
      case UNIXTIME_MICROS: row.addLong(index, (Long) value); break;
      case VARCHAR: row.addVarchar(index, (String) value); break;
      default: row.addObject(index, value);
    }
  }

  /**
   * write TABLE COUNT [MILLISECONDS], then COUNT lines of an operation and cells in schema order. Answers the
   * timestamp, and errors by line. MILLISECONDS is how long it may take.
   */
  private void write(String[] command) throws Exception {
    int count = Integer.parseInt(command[2]);
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      lines.add(in.readLine());
    }
    KuduTable table = client.openTable(command[1]);
    KuduSession session = client.newSession();
    if (command.length > 3) {
      session.setTimeoutMillis(Long.parseLong(command[3]));
    }
    session.setFlushMode(SessionConfiguration.FlushMode.MANUAL_FLUSH);
    session.setMutationBufferSpace(count + 1);
    for (String text : lines) {
      String[] parts = text.split("\t", -1);
      Operation operation;
      switch (parts[0]) {
        case "insert": operation = table.newInsert(); break;
        case "upsert": operation = table.newUpsert(); break;
        case "update": operation = table.newUpdate(); break;
        case "delete": operation = table.newDelete(); break;
        case "insert-ignore": operation = table.newInsertIgnore(); break;
        case "upsert-ignore": operation = table.newUpsertIgnore(); break;
        case "update-ignore": operation = table.newUpdateIgnore(); break;
        case "delete-ignore": operation = table.newDeleteIgnore(); break;
        default: throw new IllegalArgumentException(parts[0]);
      }
      for (int c = 1; c < parts.length; c++) {
        set(operation.getRow(), c - 1, table.getSchema().getColumnByIndex(c - 1), parts[c]);
      }
      session.apply(operation);
    }
    StringBuilder errors = new StringBuilder();
    int i = 0;
    for (OperationResponse response : session.flush()) {
      if (response.hasRowError()) {
        errors.append('\t').append(i).append('\t').append(response.getRowError().getErrorStatus().toString().replaceAll("[\\t\\n]", " "));
      }
      i++;
    }
    session.close();
    line(Long.toUnsignedString(client.getLastPropagatedTimestamp()) + errors);
  }

  /** drop-table NAME [SECONDS]: with SECONDS, recall-table ID can recall the table for that long. Answers the ID. */
  private void dropTable(String[] command) throws Exception {
    line(client.openTable(command[1]).getTableId());
    if (command.length > 2) {
      client.deleteTable(command[1], Integer.parseInt(command[2]));
    } else {
      client.deleteTable(command[1]);
    }
  }

  private void scan(String name, long timestamp) throws Exception {
    KuduTable table = client.openTable(name);
    rows(client.newScanTokenBuilder(table).setFaultTolerant(true)
        .readMode(AsyncKuduScanner.ReadMode.READ_AT_SNAPSHOT).snapshotTimestampRaw(timestamp).build(), false);
  }

  private void diff(String name, long from, long to) throws Exception {
    rows(client.newScanTokenBuilder(client.openTable(name)).diffScan(from, to).build(), true);
  }

  /**
   * "T tablet" precedes the rows of a tablet. "R" and cells are a row; in diffs, the last cell is 1 (deleted)
   * or 0.
   */
  private void rows(List<KuduScanToken> tokens, boolean isDiff) throws Exception {
    for (KuduScanToken token : tokens) {
      line("T " + new String(token.getTablet().getTabletId(), StandardCharsets.UTF_8));
      KuduScanner scanner = token.intoScanner(client);
      for (RowResult row : scanner) {
        StringBuilder text = new StringBuilder("R");
        int columns = row.getColumnProjection().getColumnCount() - (isDiff ? 1 : 0);
        for (int c = 0; c < columns; c++) {
          cell(row, c, text.append('\t'));
        }
        if (isDiff) {
          text.append('\t').append(row.isDeleted() ? 1 : 0);
        }
        line(text.toString());
      }
      scanner.close();
    }
  }

  private static void cell(RowResult row, int c, StringBuilder text) {
    if (row.isNull(c)) {
      text.append('~');
      return;
    }
    switch (row.getColumnType(c)) {
      case BOOL: text.append(row.getBoolean(c) ? 1 : 0); break;
      case INT8: text.append(row.getByte(c)); break;
      case INT16: text.append(row.getShort(c)); break;
      case INT32: text.append(row.getInt(c)); break;
      case INT64: case UNIXTIME_MICROS: text.append(row.getLong(c)); break;
      case DATE: text.append(row.getDate(c).toLocalDate().toEpochDay()); break;
      case FLOAT: text.append(String.format("%08x", Float.floatToRawIntBits(row.getFloat(c)))); break;
      case DOUBLE: text.append(String.format("%016x", Double.doubleToRawLongBits(row.getDouble(c)))); break;
      case STRING: hex(row.getString(c).getBytes(StandardCharsets.UTF_8), text); break;
      case VARCHAR: hex(row.getVarchar(c).getBytes(StandardCharsets.UTF_8), text); break;
      case BINARY: hex(row.getBinaryCopy(c), text); break;
      case DECIMAL: text.append(row.getDecimal(c).unscaledValue()); break;
      default: throw new IllegalArgumentException(row.getColumnType(c).toString());
    }
  }

  /** alter TABLE ACTION …: rename-table NEW | add COLUMN | drop NAME | rename OLD NEW | encoding NAME E | compression NAME C | block NAME N | default NAME CELL | add-range LOWER UPPER | drop-range LOWER UPPER */
  private void alter(String[] command) throws Exception {
    AlterTableOptions options = new AlterTableOptions();
    Schema schema = client.openTable(command[1]).getSchema();
    switch (command[2]) {
      case "add": options.addColumn(column(command[3])); break;
      case "rename-table": options.renameTable(command[3]); break;
      case "drop": options.dropColumn(command[3]); break;
      case "rename": options.renameColumn(command[3], command[4]); break;
      case "encoding": options.changeEncoding(command[3], ColumnSchema.Encoding.valueOf(command[4])); break;
      case "compression":
        options.changeCompressionAlgorithm(command[3], ColumnSchema.CompressionAlgorithm.valueOf(command[4]));
        break;
      case "block": options.changeDesiredBlockSize(command[3], Integer.parseInt(command[4])); break;
      case "default": {
        ColumnSchema column = schema.getColumn(command[3]);
        options.changeDefault(command[3], value(column.getType(), column.getTypeAttributes(), command[4]));
        break;
      }
      case "add-range": options.addRangePartition(bound(schema, command[3]), bound(schema, command[4])); break;
      case "drop-range": options.dropRangePartition(bound(schema, command[3]), bound(schema, command[4])); break;
      default: throw new IllegalArgumentException(command[2]);
    }
    client.alterTable(command[1], options);
  }

  /** The names of the columns in order. */
  private void schema(String name) throws Exception {
    for (ColumnSchema column : client.openTable(name).getSchema().getColumns()) {
      line(column.getName());
    }
  }

  private void line(String text) throws IOException {
    out.write(text);
    out.write('\n');
  }

  private static void hex(byte[] bytes, StringBuilder text) {
    text.append('x');
    for (byte b : bytes) {
      text.append(HEX[(b >> 4) & 15]).append(HEX[b & 15]);
    }
  }

  private static byte[] fromHex(String text) {
    byte[] bytes = new byte[(text.length() - 1) / 2];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) Integer.parseInt(text.substring(2 * i + 1, 2 * i + 3), 16);
    }
    return bytes;
  }
}
