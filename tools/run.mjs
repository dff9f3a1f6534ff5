// node tools/run.mjs FILE [parameters]: runs a TypeScript file of the project, or main.ts of a folder, on any Node,
// installing what is missing.

import { runFile } from './bootstrap.mjs'

const [file, ...parameters] = process.argv.slice(2)
if (file === undefined) {
  console.error('Which file? node tools/run.mjs FILE [parameters]')
  process.exit(1)
}
await runFile(file.endsWith('.ts') ? file : `${file}/main.ts`, { parameters })
