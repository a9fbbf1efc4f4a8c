/** Light or dark: the setting of the system, or of the user. */
import { useEffect, useState } from "preact/hooks";

type Theme = "system" | "light" | "dark";

const ORDER: readonly Theme[] = ["system", "light", "dark"];
const KEY = "cfile-explorer-theme";

/** `next` chooses the next of system, light and dark. */
export function useTheme(): { theme: string; chosen: Theme; next: () => void } {
  const [chosen, setChosen] = useState<Theme>(stored);
  const [isDark, setDark] = useState(() => matchMedia("(prefers-color-scheme: dark)").matches);
  useEffect(() => {
    const query = matchMedia("(prefers-color-scheme: dark)");
    const follow = (): void => setDark(query.matches);
    query.addEventListener("change", follow);
    return () => query.removeEventListener("change", follow);
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

function stored(): Theme {
  try {
    return ORDER.find((theme) => theme === localStorage.getItem(KEY)) ?? "system";
  } catch {
    return "system";
  }
}
