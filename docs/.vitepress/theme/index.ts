/** The default theme with system fonts, our colors, live examples and figures. */
import type { Theme } from "vitepress";
import DefaultTheme from "vitepress/theme-without-fonts";
import { defineAsyncComponent } from "vue";
import ByteLayout from "./figures/ByteLayout.vue";
import LiveFile from "./front/LiveFile.vue";
import "./colors.css";
import "./roles.css";
import "./live.css";
import "./front.css";
import "./figures.css";

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component("ByteLayout", ByteLayout);
    app.component("LiveFile", LiveFile);
    // Loaded only by pages that show one.
    app.component(
      "LiveBytes",
      defineAsyncComponent(() => import("./live/LiveBytes.vue")),
    );
  },
} satisfies Theme;
