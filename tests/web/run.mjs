import { readFileSync } from "node:fs";
import { differences } from "./check_oracle.mjs";
const found = differences(JSON.parse(readFileSync(process.argv[2], "utf8")));
console.log(found.length, found.slice(0, 40).join("\n"));
