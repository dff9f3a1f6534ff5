// Plans the faults of a slice, and their order, by seed.

import { createRandom } from '../random.ts'

/** Processes to kill: two apps, two workers and the sandbox. */
export const victims = ['app_1', 'app_2', 'worker_1', 'worker_2', 'sandbox'] as const
export type Victim = (typeof victims)[number]

/**
 * `terminate_backend` closes a database connection; `kill_backend` kills its server process, which makes PostgreSQL
 * restart all of them. `kill_everything` includes the postmaster and every process. A freeze is SIGSTOP, then SIGCONT.
 */
export type FaultKind =
  | `kill_${Victim}`
  | 'terminate_backend'
  | 'terminate_poster'
  | 'kill_backend'
  | 'kill_postmaster'
  | 'kill_everything'
  | 'freeze_app'
  | 'freeze_worker'
  | 'freeze_backend'

export interface PlannedFault {
  readonly kind: FaultKind
  /** Selects one of the possible targets, modulo their number. */
  readonly choice: number
  readonly seconds: number
}

export interface FaultPlan {
  readonly seed: string
  /** Total of the run, over all slices. */
  readonly kills: number
  /** Number of this slice, from 1. */
  readonly slice: number
  readonly slices: number
}

const maxFreezes = 20
const maxPostmasterKills = 10
const freezeSeconds = [5, 10, 20, 20] as const
const freezes = ['freeze_app', 'freeze_backend', 'freeze_worker'] as const

const frequentWeights: Readonly<Partial<Record<FaultKind, number>>> = {
  kill_app_1: 27,
  kill_app_2: 27,
  kill_worker_1: 9,
  kill_worker_2: 9,
  kill_sandbox: 9,
  terminate_backend: 9,
  terminate_poster: 7,
  kill_backend: 3,
}

/** Returns the faults of a slice, in order. The slices together contain all faults of the run. */
export function planFaults({ seed, kills, slice, slices }: FaultPlan): PlannedFault[] {
  const random = createRandom(seed, 'faults')
  const share = (perThousand: number) => Math.min(perThousand, Math.max(2, Math.floor((kills * perThousand) / 1000))) // not money: a count
  const rareFaults: FaultKind[] = [
    ...Array.from({ length: share(maxFreezes) }, (_, index) => freezes[index % freezes.length] ?? 'freeze_app'),
    ...Array.from({ length: share(maxPostmasterKills) }, (_, index) =>
      index % 2 === 0 ? ('kill_postmaster' as const) : ('kill_everything' as const),
    ),
  ].slice(0, kills)
  const frequentFaults = Array.from({ length: kills - rareFaults.length }, () => random.pickWeighted(frequentWeights))
  const sliceFaults = [...rareFaults, ...frequentFaults].filter((_, index) => index % slices === slice - 1)
  return shuffle(sliceFaults, createRandom(seed, 'order', slice)).map((kind, index) => {
    const details = createRandom(seed, 'fault', slice, index)
    return { kind, choice: details.pickInteger(0, 999_999), seconds: details.pick(freezeSeconds) }
  })
}

function shuffle<T>(items: readonly T[], random: ReturnType<typeof createRandom>): T[] {
  return items
    .map((item) => ({ item, place: random.next() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item)
}
