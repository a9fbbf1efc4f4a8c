import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Spark in this process, controlled by lines of text like `KuduDriver`, with page checksum verification.
 * Cells are those of `KuduDriver`.
 */
public final class SparkParquetDriver {
  private static BufferedReader in;
  private static BufferedWriter out;
  private static SparkSession spark;

  /** The argument is a folder for Spark's own files. */
  public static void main(String[] args) throws Exception {
    in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    out = new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8));
    System.setOut(System.err);
    spark = SparkSession.builder().master("local[1]")
        .config("spark.ui.enabled", false)
        .config("spark.local.dir", args[0])
        .config("spark.sql.warehouse.dir", args[0])
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
        .config("spark.sql.parquet.datetimeRebaseModeInRead", "CORRECTED")
        .config("spark.sql.parquet.datetimeRebaseModeInWrite", "CORRECTED")
        .config("spark.hadoop.parquet.page.verify-checksum.enabled", true)
        .config("spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs", false)
        .getOrCreate();
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      try {
        run(line.split("\t", -1));
        line("OK");
      } catch (Throwable e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
          cause = cause.getCause();
        }
        line("ERR " + String.valueOf(cause).replace('\n', ' '));
      }
      out.flush();
    }
    System.exit(0);
  }

  private static void run(String[] command) throws Exception {
    switch (command[0]) {
      case "write": write(command); break;
      case "read": read(command[1], command[2].equals("1")); break;
      default: throw new IllegalArgumentException(command[0]);
    }
  }

  /** write PATH COUNT NAME:TYPE;… CODEC VERSION DICTIONARY PAGE_SIZE ROW_GROUP_SIZE, then COUNT rows */
  private static void write(String[] command) throws Exception {
    int count = Integer.parseInt(command[2]);
    String[] lines = new String[count];
    for (int i = 0; i < count; i++) {
      lines[i] = in.readLine();
    }
    List<StructField> fields = new ArrayList<>();
    for (String field : command[3].split(";")) {
      String[] parts = field.split(":");
      fields.add(DataTypes.createStructField(parts[0], type(parts[1]), true));
    }
    StructType schema = DataTypes.createStructType(fields);
    List<Row> rows = new ArrayList<>();
    for (String line : lines) {
      String[] cells = line.split("\t", -1);
      Object[] values = new Object[cells.length];
      for (int c = 0; c < cells.length; c++) {
        values[c] = cells[c].equals("~") ? null : value(fields.get(c).dataType(), cells[c]);
      }
      rows.add(RowFactory.create(values));
    }
    Path target = Paths.get(command[1]);
    Path folder = Paths.get(command[1] + ".spark");
    Dataset<Row> data = spark.createDataFrame(rows, schema);
    data.coalesce(1).write()
        .option("compression", command[4])
        .option("parquet.writer.version", command[5])
        .option("parquet.enable.dictionary", command[6].equals("1"))
        .option("parquet.page.size", command[7])
        .option("parquet.block.size", command[8])
        .option("parquet.page.write-checksum.enabled", true)
        .parquet(folder.toString());
    try (Stream<Path> files = Files.list(folder)) {
      Files.move(files.filter(path -> path.toString().endsWith(".parquet")).findFirst().get(), target);
    }
  }

  private static DataType type(String name) {
    switch (name) {
      case "BOOL": return DataTypes.BooleanType;
      case "INT8": return DataTypes.ByteType;
      case "INT16": return DataTypes.ShortType;
      case "INT32": return DataTypes.IntegerType;
      case "INT64": return DataTypes.LongType;
      case "UNIXTIME_MICROS": return DataTypes.TimestampType;
      case "DATE": return DataTypes.DateType;
      case "FLOAT": return DataTypes.FloatType;
      case "DOUBLE": return DataTypes.DoubleType;
      case "STRING": return DataTypes.StringType;
      case "BINARY": return DataTypes.BinaryType;
      default: throw new IllegalArgumentException(name);
    }
  }

  private static Object value(DataType type, String cell) {
    if (type == DataTypes.BooleanType) {
      return cell.equals("1");
    } else if (type == DataTypes.ByteType) {
      return Byte.parseByte(cell);
    } else if (type == DataTypes.ShortType) {
      return Short.parseShort(cell);
    } else if (type == DataTypes.IntegerType) {
      return Integer.parseInt(cell);
    } else if (type == DataTypes.LongType) {
      return Long.parseLong(cell);
    } else if (type == DataTypes.TimestampType) {
      long micros = Long.parseLong(cell);
      return Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1000);
    } else if (type == DataTypes.DateType) {
      return LocalDate.ofEpochDay(Long.parseLong(cell));
    } else if (type == DataTypes.FloatType) {
      return Float.intBitsToFloat(Integer.parseUnsignedInt(cell, 16));
    } else if (type == DataTypes.DoubleType) {
      return Double.longBitsToDouble(Long.parseUnsignedLong(cell, 16));
    }
    byte[] bytes = HexFormat.of().parseHex(cell.substring(1));
    return type == DataTypes.StringType ? new String(bytes, StandardCharsets.UTF_8) : bytes;
  }

  /** Spark's internal values: Java's types cannot represent all of them. */
  private static void read(String path, boolean isVectorized) throws Exception {
    spark.conf().set("spark.sql.parquet.enableVectorizedReader", isVectorized);
    Dataset<Row> data = spark.read().parquet(path);
    StructField[] fields = data.schema().fields();
    for (InternalRow row : data.queryExecution().executedPlan().executeCollect()) {
      StringBuilder text = new StringBuilder();
      for (int c = 0; c < fields.length; c++) {
        cell(row, c, fields[c].dataType(), text.append(c == 0 ? "" : "\t"));
      }
      line(text.toString());
    }
  }

  private static void cell(SpecializedGetters row, int c, DataType type, StringBuilder text) {
    if (row.isNullAt(c)) {
      text.append('~');
    } else if (type == DataTypes.BooleanType) {
      text.append(row.getBoolean(c) ? 1 : 0);
    } else if (type == DataTypes.ByteType) {
      text.append(row.getByte(c));
    } else if (type == DataTypes.ShortType) {
      text.append(row.getShort(c));
    } else if (type == DataTypes.IntegerType || type == DataTypes.DateType) {
      text.append(row.getInt(c));
    } else if (type == DataTypes.LongType || type == DataTypes.TimestampType) {
      text.append(row.getLong(c));
    } else if (type == DataTypes.FloatType) {
      text.append(String.format("%08x", Float.floatToRawIntBits(row.getFloat(c))));
    } else if (type == DataTypes.DoubleType) {
      text.append(String.format("%016x", Double.doubleToRawLongBits(row.getDouble(c))));
    } else if (type == DataTypes.StringType) {
      text.append('x').append(HexFormat.of().formatHex(row.getUTF8String(c).getBytes()));
    } else if (type == DataTypes.BinaryType) {
      text.append('x').append(HexFormat.of().formatHex(row.getBinary(c)));
    } else if (type instanceof ArrayType array) {
      ArrayData items = row.getArray(c);
      text.append('[');
      for (int i = 0; i < items.numElements(); i++) {
        cell(items, i, array.elementType(), text.append(i == 0 ? "" : ","));
      }
      text.append(']');
    } else {
      throw new IllegalArgumentException(type.toString());
    }
  }

  private static void line(String text) throws Exception {
    out.write(text);
    out.write('\n');
  }
}
