// Copies a package's checked-in generated JavaScript beside the compiled code. Run in the package's folder.
import { cpSync } from "node:fs";

cpSync("src/generated", "dist/generated", { recursive: true });
