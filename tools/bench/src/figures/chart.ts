/** Line charts as SVG images for documents. */
import { LineChart } from "echarts/charts";
import { GridComponent, LegendComponent, TitleComponent } from "echarts/components";
import { type EChartsCoreOption, init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";

interface ChartSize {
  readonly width: number;
  readonly height: number;
}

/** @param title describes the image */
export function svgChart(title: string, size: ChartSize, option: EChartsCoreOption): string {
  use([LineChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer]);
  const chart = init(null, null, { renderer: "svg", ssr: true, ...size });
  chart.setOption({ animation: false, backgroundColor: "#ffffff", ...option });
  // An image in a document: it has a description and is not interactive.
  const svg = chart
    .renderToSVGString()
    .replace(/<style\b[\s\S]*?<\/style>/, "")
    // Generated names depend on the number of charts drawn before.
    .replaceAll(/\bzr\d+-/g, "zr-")
    .replace(/^<svg /, '<svg role="img" ')
    .replace(/^(<svg [^>]*>)/, `$1\n<title>${title}</title>`);
  chart.dispose();
  return `${svg}\n`;
}
