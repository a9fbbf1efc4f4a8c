import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;

/**
 * A session of Spark SQL, like `spark-sql`. Each line is a query; the answer is its rows as JSON and "OK", or
 * "ERR reason". The arguments are settings, KEY=VALUE.
 */
public final class SparkSql {
  public static void main(String[] args) throws Exception {
    PrintStream out = System.out;
    System.setOut(System.err);
    SparkConf conf = new SparkConf();
    for (String arg : args) {
      int end = arg.indexOf('=');
      conf.set(arg.substring(0, end), arg.substring(end + 1));
    }
    SparkSession spark = SparkSession.builder().config(conf).getOrCreate();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String query = in.readLine(); query != null; query = in.readLine()) {
      try {
        spark.sql(query).toJSON().toLocalIterator().forEachRemaining(out::println);
        out.println("OK");
      } catch (Exception e) {
        out.println("ERR " + String.valueOf(e).replace('\n', ' '));
      }
      out.flush();
    }
    spark.stop();
    System.exit(0);
  }
}
