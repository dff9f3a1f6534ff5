// node tools/run.mjs FILE [parameters]: runs a TypeScript file of the project, or a folder's main.ts, after installing
// missing packages.

import { runFile } from './bootstrap.mjs'

const [file, ...parameters] = process.argv.slice(2)
if (file === undefined) {
  console.error('Which file? node tools/run.mjs FILE [parameters]')
  process.exit(1)
}
await runFile(file.endsWith('.ts') ? file : `${file}/main.ts`, { parameters })
