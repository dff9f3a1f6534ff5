// Checks the model of the protocol between cells (cells.qnt) with Quint's simulator.

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Modules of the model: the protocol, and the protocol without one of its protections. */
export type Variant = 'protocol' | (typeof brokenVariants)[number]

export const brokenVariants = [
  'without_fences',
  'without_fenced_answers',
  'without_epochs_in_ids',
  'without_exchange',
  'without_idempotence',
] as const

export interface ModelRun {
  readonly variant: Variant
  /** Random histories to try; a violation ends the run. */
  readonly traces: number
  /** Steps of one history. */
  readonly steps: number
  /** Makes the run repeatable; hexadecimal, such as `0x1`. */
  readonly seed: string
}

export interface ModelReport {
  /** Invariants that some history violates; empty if none. */
  readonly violations: readonly string[]
  /** Number of histories that reach each state worth reaching, by its name in the model. */
  readonly reached: Readonly<Record<string, number>>
  readonly output: string
}

const quint = fileURLToPath(new URL('../../../node_modules/@informalsystems/quint/dist/src/cli.js', import.meta.url))
const model = fileURLToPath(new URL('cells.qnt', import.meta.url))
const invariants = ['cells_balance', 'no_wallet_is_overdrawn', 'peers_agree', 'nothing_is_lost_or_doubled']
const states = ['settles', 'returns', 'recovers', 'covers_a_loss']

/** Simulates random histories of a variant. Throws if the simulator itself fails. */
export async function simulateModel({ variant, traces, steps, seed }: ModelRun): Promise<ModelReport> {
  const counts = ['--max-samples', String(traces), '--max-steps', String(steps), '--seed', seed]
  const output = await runQuint([
    'run',
    ...['--main', variant, ...counts, '--verbosity', '1'],
    ...['--invariants', ...invariants, '--witnesses', ...states],
  ])
  if (!/^\[(ok|violation)\]/m.test(output)) throw new Error(`Quint did not finish:\n${output}`)
  const violations = invariants.filter((name) => output.includes(`❌ ${name}`))
  const reached = Object.fromEntries(
    states.map((name) => [name, Number(new RegExp(`^${name} was witnessed in (\\d+) trace`, 'm').exec(output)?.[1])]),
  )
  return { violations, reached, output }
}

/** Runs the model's worked example; returns its output and whether it passed. */
export async function runExample(): Promise<{ hasPassed: boolean; output: string }> {
  const output = await runQuint(['test', '--main', 'example', '--max-samples', '1', '--seed', '0x1'])
  return { hasPassed: /\b1 passing\b/.test(output), output }
}

/** Returns what a Quint command prints. The TypeScript backend is the one that needs no download. */
async function runQuint([command = '', ...options]: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [quint, command, model, '--backend', 'typescript', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const chunks: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  await new Promise<void>((resolve, reject) => child.once('error', reject).once('close', () => resolve()))
  return Buffer.concat(chunks).toString('utf8')
}
