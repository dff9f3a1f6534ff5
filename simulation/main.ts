// node tools/run.mjs simulation --seed 7 --movements 2000: performs one run and prints its fault counts.

import { parseArgs } from 'node:util'
import { runSimulation } from './run.ts'

const { values } = parseArgs({
  options: { seed: { type: 'string' }, movements: { type: 'string', default: '2000' } },
})
const seed = values.seed ?? String(Date.now())
const movements = Number(values.movements) // not money: a count of movements
if (!Number.isSafeInteger(movements) || movements < 1) {
  console.error('--movements must be a whole number above zero.')
  process.exit(2)
}
console.log(`Seed ${seed}: --seed ${seed} --movements ${movements} plans the same movements and the same faults.`)
const report = await runSimulation({ seed, movements, print: console.log })
const formatCounts = (counts: Iterable<readonly [string, number]>) =>
  [...counts].map(([name, count]) => `  ${String(count).padStart(6)}  ${name}`).join('\n')
console.log(`\nThe product was killed ${report.kills} times. Its calls to the provider:\n${formatCounts(report.calls)}`)
console.log(`Events to the product:\n${formatCounts(report.events)}`)
console.log(
  `What became of it (${report.externalMovements} movements at the provider):\n${formatCounts(Object.entries(report.outcomeCounts))}`,
)
for (const fault of report.faults) console.error(`\nFAULT ${fault}`)
process.exitCode = report.faults.length === 0 ? 0 : 1
