// node tools/run.mjs simulation/day [--people 100000000] [--seed day]
//
// Extrapolates measured costs to a day of many people: see docs/scale.md.

import { parseArgs } from 'node:util'
import { auditedEntriesPerSecond } from './assumptions.ts'
import { simulateBatches } from './batches.ts'
import { type DayReport, simulateDay } from './day.ts'

const { values } = parseArgs({
  options: { people: { type: 'string', default: '100000000' }, seed: { type: 'string', default: 'day' } },
})
const people = Number(values.people)
if (!Number.isSafeInteger(people) || people < 1) {
  console.error('--people must be a whole number above zero.')
  process.exit(2)
}

const formatNumber = (value: number, digits = 0): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: digits, minimumFractionDigits: digits })

const formatMinute = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')} UTC`

const rows: readonly (readonly [string, (day: DayReport) => string])[] = [
  [
    'movements of the day',
    (day) => formatNumber(Object.values(day.activities).reduce((a, b) => a + b, 0) - day.activities.list_read),
  ],
  ['busiest minute', (day) => formatMinute(day.busiestMinute)],
  ['sends a second', (day) => formatNumber(day.sendsPerSecond)],
  ['movements a second', (day) => formatNumber(day.movementsPerSecond)],
  ['list reads a second', (day) => formatNumber(day.readsPerSecond)],
  ['app processors at work', (day) => formatNumber(day.appCores)],
  ['database processors at work, writes', (day) => formatNumber(day.databaseCores - day.readCores)],
  ['database processors at work, reads', (day) => formatNumber(day.readCores)],
  ['cells', (day) => formatNumber(day.cells)],
  ['movements a second of one cell', (day) => formatNumber(day.movementsPerSecond / day.cells)],
  ['write-ahead log, MB a second', (day) => formatNumber(day.walBytesPerSecond / 1e6, 1)],
  ['entries of the day', (day) => formatNumber(day.entriesPerDay)],
  ['full audit of the day, hours', (day) => formatNumber(day.entriesPerDay / auditedEntriesPerSecond / 3600, 1)],
  ['stored, GB a day', (day) => formatNumber(day.storedBytesPerDay / 1e9, 1)],
]

const days = [false, true].map((isPayday) => simulateDay({ people, seed: values.seed, isPayday }))
console.log(`An extrapolation to ${formatNumber(people)} people; assumptions in simulation/day/assumptions.ts.\n`)
console.log(`${''.padEnd(38)}${'ordinary day'.padStart(16)}${'payday'.padStart(16)}`)
for (const [label, format] of rows) {
  console.log(label.padEnd(38) + days.map((day) => format(day).padStart(16)).join(''))
}
for (const day of days) {
  const movementsPerSecond = day.movementsPerSecond / day.cells
  const { movementsPerBatch, p50Ms, p99Ms } = simulateBatches({
    movementsPerSecond,
    seconds: 60,
    seed: values.seed,
  })
  console.log(
    `\nbatches of a cell at ${formatNumber(movementsPerSecond)} movements a second: ${formatNumber(movementsPerBatch, 1)} movements each, ` +
      `commit after ${formatNumber(p50Ms, 1)} ms (p99 ${formatNumber(p99Ms, 1)} ms)`,
  )
}
