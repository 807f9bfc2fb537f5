import { join } from "node:path";
import { bundleInto } from "./bundle.mts";

await bundleInto(join(import.meta.dirname, "../dist"));
