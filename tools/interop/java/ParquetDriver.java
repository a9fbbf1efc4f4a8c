import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroupFactory;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.example.GroupReadSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.apache.parquet.schema.Type;

/**
 * parquet-java, controlled by lines of text like `KuduDriver`, with page checksum verification. Cells are
 * those of `KuduDriver`.
 */
public final class ParquetDriver {
  private static BufferedReader in;
  private static BufferedWriter out;

  public static void main(String[] args) throws Exception {
    in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    out = new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8));
    System.setOut(System.err);
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      try {
        run(line.split("\t", -1));
        line("OK");
      } catch (Throwable e) {
        line("ERR " + String.valueOf(e).replace('\n', ' '));
      }
      out.flush();
    }
    System.exit(0);
  }

  private static void run(String[] command) throws Exception {
    switch (command[0]) {
      case "write": write(command); break;
      case "read": read(command[1]); break;
      default: throw new IllegalArgumentException(command[0]);
    }
  }

  /** write PATH COUNT SCHEMA CODEC VERSION DICTIONARY BYTE_STREAM_SPLIT PAGE_SIZE ROW_GROUP_SIZE, then COUNT rows */
  private static void write(String[] command) throws Exception {
    int count = Integer.parseInt(command[2]);
    String[] rows = new String[count];
    for (int i = 0; i < count; i++) {
      rows[i] = in.readLine();
    }
    MessageType schema = MessageTypeParser.parseMessageType(command[3]);
    SimpleGroupFactory groups = new SimpleGroupFactory(schema);
    try (ParquetWriter<Group> writer = ExampleParquetWriter.builder(new Path("file://" + command[1]))
        .withConf(new Configuration())
        .withType(schema)
        .withCompressionCodec(CompressionCodecName.valueOf(command[4]))
        .withWriterVersion(ParquetProperties.WriterVersion.valueOf(command[5]))
        .withDictionaryEncoding(command[6].equals("1"))
        .withByteStreamSplitEncoding(command[7].equals("1"))
        .withPageSize(Integer.parseInt(command[8]))
        .withRowGroupSize(Long.parseLong(command[9]))
        .withPageWriteChecksumEnabled(true)
        .build()) {
      for (String row : rows) {
        String[] cells = row.split("\t", -1);
        Group group = groups.newGroup();
        for (int c = 0; c < cells.length; c++) {
          if (!cells[c].equals("~")) {
            add(group, c, schema.getType(c), cells[c]);
          }
        }
        writer.write(group);
      }
    }
  }

  private static void add(Group group, int c, Type type, String cell) {
    switch (type.asPrimitiveType().getPrimitiveTypeName()) {
      case BOOLEAN: group.add(c, cell.equals("1")); break;
      case INT32: group.add(c, Integer.parseInt(cell)); break;
      case INT64: group.add(c, Long.parseLong(cell)); break;
      case FLOAT: group.add(c, Float.intBitsToFloat(Integer.parseUnsignedInt(cell, 16))); break;
      case DOUBLE: group.add(c, Double.longBitsToDouble(Long.parseUnsignedLong(cell, 16))); break;
      default: group.add(c, Binary.fromConstantByteArray(java.util.HexFormat.of().parseHex(cell.substring(1))));
    }
  }

  private static void read(String path) throws Exception {
    Configuration conf = new Configuration();
    conf.setBoolean("parquet.page.verify-checksum.enabled", true);
    try (ParquetReader<Group> reader = ParquetReader.builder(new GroupReadSupport(), new Path("file://" + path)).withConf(conf).build()) {
      for (Group group = reader.read(); group != null; group = reader.read()) {
        StringBuilder text = new StringBuilder();
        for (int c = 0; c < group.getType().getFieldCount(); c++) {
          cell(group, c, text.append(c == 0 ? "" : "\t"));
        }
        line(text.toString());
      }
    }
  }

  private static void cell(Group group, int c, StringBuilder text) {
    if (group.getFieldRepetitionCount(c) == 0) {
      text.append('~');
      return;
    }
    if (!group.getType().getType(c).isPrimitive()) {
      list(group.getGroup(c, 0), text);
      return;
    }
    switch (group.getType().getType(c).asPrimitiveType().getPrimitiveTypeName()) {
      case BOOLEAN: text.append(group.getBoolean(c, 0) ? 1 : 0); break;
      case INT32: text.append(group.getInteger(c, 0)); break;
      case INT64: text.append(group.getLong(c, 0)); break;
      case FLOAT: text.append(String.format("%08x", Float.floatToRawIntBits(group.getFloat(c, 0)))); break;
      case DOUBLE: text.append(String.format("%016x", Double.doubleToRawLongBits(group.getDouble(c, 0)))); break;
      default: text.append('x').append(java.util.HexFormat.of().formatHex(group.getBinary(c, 0).getBytes()));
    }
  }

  /** A group with a repeated group, whose first field is the element. */
  private static void list(Group list, StringBuilder text) {
    text.append('[');
    for (int i = 0; i < list.getFieldRepetitionCount(0); i++) {
      cell(list.getGroup(0, i), 0, text.append(i == 0 ? "" : ","));
    }
    text.append(']');
  }

  private static void line(String text) throws Exception {
    out.write(text);
    out.write('\n');
  }
}
