import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Spark's own read of a running Kudu: writes a table as Parquet several times in one session, with all cores.
 * Prints the rows and the milliseconds of each.
 */
public final class KuduSparkExport {
  /** MASTER TABLE TARGET TIMES SPLIT_BYTES SCRATCH: tasks read about SPLIT_BYTES of a tablet each */
  public static void main(String[] args) {
    SparkSession spark = SparkSession.builder().master("local[*]")
        .config("spark.ui.enabled", false)
        .config("spark.local.dir", args[5])
        .config("spark.sql.warehouse.dir", args[5])
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate();
    for (int i = 0; i < Integer.parseInt(args[3]); i++) {
      long start = System.nanoTime();
      Dataset<Row> table = spark.read().format("kudu")
          .option("kudu.master", args[0])
          .option("kudu.table", args[1])
          .option("kudu.splitSizeBytes", args[4])
          .load();
      table.write().mode("overwrite").option("compression", "snappy").parquet(args[2]);
      long milliseconds = (System.nanoTime() - start) / 1_000_000;
      System.out.println(spark.read().parquet(args[2]).count() + " rows in " + milliseconds + " ms");
    }
    spark.stop();
    System.exit(0);
  }
}
