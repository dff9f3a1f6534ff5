import { sumCounts } from '../costs/count.ts'
import type { OperationCost } from './operations.ts'

const microText = (ms: number | undefined): string => (ms === undefined ? '?' : String(Math.round(ms * 1000)))

export function printOperations(costs: readonly OperationCost[]): void {
  console.log(
    '\nwhat one operation costs, one caller; processor time in µs, the sandbox included where a provider is called',
  )
  console.log(`${'operation'.padEnd(26)}statements  rows read  database CPU  app CPU   p50 ms`)
  for (const { name, counts, measurement } of costs) {
    const statements = sumCounts(counts.statements).toFixed(1).padStart(10)
    const rows = sumCounts(counts.rows).toFixed(0).padStart(9)
    const database = microText(measurement.databaseMs).padStart(12)
    const app = microText(measurement.appCpuMs).padStart(7)
    console.log(
      `${name.padEnd(26)}${statements}  ${rows}  ${database}  ${app}  ${measurement.p50Ms.toFixed(1).padStart(7)}`,
    )
  }
}
