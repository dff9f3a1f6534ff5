// npm run bench [-- live | lists | fair] [options]: runs one benchmark; without a name, main.ts.

import process from 'node:process'

const programsByName = new Map([
  ['live', () => import('./live.ts')],
  ['lists', () => import('./lists.ts')],
  ['fair', () => import('./fairness.ts')],
])

const program = programsByName.get(process.argv[2] ?? '')
// Each benchmark parses the arguments after its name.
if (program) process.argv.splice(2, 1)
await (program ? program() : import('./main.ts'))
