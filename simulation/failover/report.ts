// Sentences about a run.

import type { Failover } from './fail-over.ts'
import { summarize } from './outages.ts'
import type { FailoverReport } from './run.ts'

export const formatSeconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

export function describeFailover(number: number, failover: Failover, found: readonly string[]): string {
  const { fault, outageMs, jobMs, streamMs, healedMs } = failover
  const format = (ms: number | undefined) => (ms === undefined ? 'never' : formatSeconds(ms))
  const first = `${number}. ${fault}: no movement for ${formatSeconds(outageMs)}, a job after ${format(jobMs)}, `
  const second = `streams after ${format(streamMs)}, three databases after ${formatSeconds(healedMs)}`
  return [first + second, ...found.map((sentence) => `   FAULT ${sentence}`)].join('\n')
}

function describeTimes(values: readonly number[]): string {
  const { min, median, max } = summarize(values)
  return `${formatSeconds(min)} at least, ${formatSeconds(median)} median, ${formatSeconds(max)} at most`
}

export function describeReport(report: FailoverReport): string[] {
  const { failovers, movements, splitBrains, seconds, faults } = report
  return [
    ...faults.map((fault) => `FAULT ${fault}`),
    `Failover: ${failovers.length} in ${seconds} s, ${movements} movements acknowledged, ${faults.length} faults.`,
    `No movement: ${describeTimes(failovers.map(({ outageMs }) => outageMs))}.`,
    ...[...Map.groupBy(failovers, ({ fault }) => fault)].map(
      ([fault, some]) => `  ${fault}, ${some.length} times: ${describeTimes(some.map(({ outageMs }) => outageMs))}.`,
    ),
    `Until a job ran: ${describeTimes(failovers.flatMap(({ jobMs }) => jobMs ?? []))}.`,
    `Until streams went on: ${describeTimes(failovers.flatMap(({ streamMs }) => streamMs ?? []))}.`,
    `Until three databases: ${describeTimes(failovers.map(({ healedMs }) => healedMs))}.`,
    `Announced once: ${report.notifications} notifications, ${report.mails} mails.`,
    `Old primaries written to: ${splitBrains.tried}, acknowledged: ${splitBrains.acknowledged}.`,
  ]
}
