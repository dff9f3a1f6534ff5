import type { HttpPoint } from '../http/points.ts'
import type { SendKind } from '../http/crowd.ts'
import type { CurvePoint, SendShape } from '../movements/curve.ts'
import { bestRate } from '../movements/pgbench.ts'
import { databaseRatio, httpPointAt, computeMedian, pointAt, type BenchRound } from './rounds.ts'

const speedText = (value: number): string => Math.round(value).toLocaleString('en-US')
const latencyText = (p50Ms: number, p99Ms: number): string => `${p50Ms.toFixed(1)}/${p99Ms.toFixed(1)}`.padStart(10)
/** Formats milliseconds as microseconds. */
const microText = (ms: number): string => (Number.isNaN(ms) ? '?' : String(Math.round(ms * 1000))).padStart(6)

export function printRounds(rounds: readonly BenchRound[]): void {
  console.log(
    `medians of ${rounds.length} rounds; × is the ratio to the better of pgbench's 16 and 64 clients beside it`,
  )
  printCurve(rounds)
  printHttp(rounds)
  printQuotes(rounds)
}

function printCurve(rounds: readonly BenchRound[]): void {
  const points = rounds[0]?.points ?? []
  if (points.length === 0) return
  console.log('\nmovements without HTTP')
  console.log('callers posters   pgbench      plain     ×  p50/p99 ms      cross     ×  p50/p99 ms   pgbench p99 at 64')
  for (const { callers, posters } of points) {
    const computeMedianBy = (valueOf: (point: CurvePoint) => number): number =>
      computeMedian(rounds, (round) => {
        const point = pointAt(round, callers, posters)
        return point && valueOf(point)
      })
    const shape = (name: SendShape): string => {
      const speed = speedText(computeMedianBy((point) => point[name].perSecond)).padStart(8)
      const times = computeMedianBy((point) => point[name].perSecond / bestRate(point.pgbench)).toFixed(2)
      const p50 = computeMedianBy((point) => point[name].p50Ms)
      const p99 = computeMedianBy((point) => point[name].p99Ms)
      return `${speed}/s  ${times}  ${latencyText(p50, p99)}`
    }
    const slowest = computeMedianBy((point) => point.pgbench.at(-1)?.p99Ms ?? Number.NaN).toFixed(0)
    const reference = speedText(computeMedianBy((point) => bestRate(point.pgbench))).padStart(6)
    const place = `${String(callers).padStart(7)} ${String(posters).padStart(7)}`
    console.log(`${place}  ${reference}/s  ${shape('plain')}  ${shape('cross')}   ${slowest} ms`)
  }
  const oneByOne = computeMedian(rounds, (round) => round.oneByOne?.perSecond)
  console.log(`cross-currency, one transaction each: ${speedText(oneByOne)}/s`)
}

/** Prints HTTP sends by callers and people, with the processor time of one send in microseconds. */
function printHttp(rounds: readonly BenchRound[]): void {
  const points = rounds[0]?.http ?? []
  if (points.length === 0) return
  console.log('\nHTTP sends; processor time of one send in µs, database CPU also of one movement without HTTP')
  console.log(
    'callers people kind    pgbench      sends     ×  p50/p99 ms  app CPU  client CPU  database CPU: send  movement     ×',
  )
  for (const { callers, people } of points) {
    for (const kind of ['plain', 'cross'] as const) {
      const computeMedianBy = (valueOf: (point: HttpPoint) => number): number =>
        computeMedian(rounds, (round) => {
          const point = httpPointAt(round, callers, people)
          return point && valueOf(point)
        })
      console.log(
        `${String(callers).padStart(7)} ${String(people).padStart(6)} ${kind}  ${httpText(kind, computeMedianBy)}`,
      )
    }
  }
}

function httpText(kind: SendKind, computeMedianBy: (valueOf: (point: HttpPoint) => number) => number): string {
  const reference = speedText(computeMedianBy(({ pgbench }) => bestRate(pgbench))).padStart(6)
  const speed = speedText(computeMedianBy(({ sends }) => sends[kind].perSecond)).padStart(8)
  const times = computeMedianBy(({ sends, pgbench }) => sends[kind].perSecond / bestRate(pgbench)).toFixed(2)
  const p50 = computeMedianBy(({ sends }) => sends[kind].p50Ms)
  const p99 = computeMedianBy(({ sends }) => sends[kind].p99Ms)
  const app = microText(computeMedianBy(({ sends }) => sends[kind].appCpuMs))
  const client = microText(computeMedianBy(({ sends }) => sends[kind].clientMs))
  const sendText = microText(computeMedianBy(({ sends }) => sends[kind].databaseMs ?? Number.NaN))
  const movementText = microText(computeMedianBy(({ movements }) => movements[kind].databaseMs ?? Number.NaN))
  const ratio = computeMedianBy((point) => databaseRatio(point, kind)).toFixed(2)
  return (
    `${reference}/s  ${speed}/s  ${times}  ${latencyText(p50, p99)}  ${app}      ${client}` +
    `              ${sendText}    ${movementText}  ${ratio}`
  )
}

function printQuotes(rounds: readonly BenchRound[]): void {
  for (const { callers } of rounds[0]?.quotes ?? []) {
    const computeMedianBy = (valueOf: (quotes: BenchRound['quotes'][number]) => number): number =>
      computeMedian(rounds, (round) => {
        const quotes = round.quotes.find((candidate) => candidate.callers === callers)
        return quotes && valueOf(quotes)
      })
    const speed = speedText(computeMedianBy(({ measured }) => measured.perSecond))
    const latency = latencyText(
      computeMedianBy(({ measured }) => measured.p50Ms),
      computeMedianBy(({ measured }) => measured.p99Ms),
    ).trim()
    const reference = speedText(computeMedianBy(({ pgbench }) => pgbench.perSecond))
    console.log(
      `\nquotes of ${callers} callers, without HTTP: ${speed}/s, p50/p99 ${latency} ms; pgbench beside them ${reference}/s`,
    )
  }
}
