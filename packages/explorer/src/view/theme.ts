/** Light or dark: the setting of the system, or of the user. */
import { useEffect, useState } from "preact/hooks";

type Theme = "system" | "light" | "dark";

const ORDER: readonly Theme[] = ["system", "light", "dark"];
const DARK = "(prefers-color-scheme: dark)";
const KEY = "cfile-explorer-theme";

/** `next` cycles through system, light and dark. */
export function useTheme(): { theme: string; chosen: Theme; next: () => void } {
  const [chosen, setChosen] = useState<Theme>(stored);
  const [isDark, setDark] = useState(isSystemDark);
  useEffect(() => {
    const query = matchMedia(DARK);
    const follow = (): void => setDark(isSystemDark());
    query.addEventListener("change", follow);
    const observer = new MutationObserver(follow);
    observer.observe(document.body, { attributeFilter: ["class"] });
    return () => {
      query.removeEventListener("change", follow);
      observer.disconnect();
    };
  }, []);
  const theme = chosen === "system" ? (isDark ? "dark" : "light") : chosen;
  document.documentElement.dataset["theme"] = theme;
  const next = (): void => {
    const following = ORDER[(ORDER.indexOf(chosen) + 1) % ORDER.length] ?? "system";
    setChosen(following);
    try {
      localStorage.setItem(KEY, following);
    } catch {
      // Without storage, the choice lasts until the page is closed.
    }
  };
  return { theme, chosen, next };
}

/** An editor gives the body a class for its theme. */
function isSystemDark(): boolean {
  const [, editor] = /\bvscode-(light|dark|high-contrast)\b/.exec(document.body.className) ?? [];
  return editor === undefined ? matchMedia(DARK).matches : editor !== "light";
}

function stored(): Theme {
  try {
    return ORDER.find((theme) => theme === localStorage.getItem(KEY)) ?? "system";
  } catch {
    return "system";
  }
}
