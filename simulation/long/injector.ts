// Executes the planned faults, each after some progress, regardless of machine speed.

import { setTimeout as delay } from 'node:timers/promises'
import { incrementCount } from '../harness/proxies.ts'
import type { FaultKind, PlannedFault, Victim } from './faults.ts'
import { victims } from './faults.ts'
import type { Harness } from './harness.ts'

const stallMs = 180_000
const pollMs = 20

type Backend = { pid: number; application_name: string; state: string | null }

function signal(pid: number | undefined, name: NodeJS.Signals): boolean {
  // Pid 1 is init, and pids of 0 and below address process groups.
  if (pid === undefined || pid <= 1) return false
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

const isProductBackend = ({ application_name: name }: Backend) => name.startsWith('tern')
const isPosterBackend = ({ application_name: name }: Backend) => name === 'tern poster'

export type Injector = ReturnType<typeof createInjector>

/** `progress` returns the number of acknowledged orders; faults are at least `minProgress` orders apart. */
export function createInjector(harness: Harness, progress: () => number, minProgress: number) {
  const { processes } = harness
  const counts = new Map<FaultKind, number>()
  const killCounts = new Map<Victim, number>()
  const frozenProcesses = new Map<number, NodeJS.Timeout>()
  let progressBefore = 0

  async function waitUntil(description: string, isSatisfied: () => boolean | Promise<boolean>): Promise<void> {
    for (const end = Date.now() + stallMs; !(await isSatisfied()); await delay(pollMs)) {
      if (Date.now() > end)
        throw new Error(`Nothing went on for ${stallMs / 1000} s: ${description}.\n${await diagnose(harness)}`)
    }
  }

  function kill(victim: Victim): void {
    const pid = processes[victim].pid()
    if (pid !== undefined && signal(pid, 'SIGKILL')) incrementCount(killCounts, victim)
  }

  function freeze(pid: number | undefined, seconds: number): void {
    if (pid === undefined || !signal(pid, 'SIGSTOP')) return
    const end = () => frozenProcesses.delete(pid) && signal(pid, 'SIGCONT')
    frozenProcesses.set(pid, setTimeout(end, seconds * 1000))
  }

  async function chooseBackend(
    choice: number,
    isEligible: (candidate: Backend) => boolean,
  ): Promise<number | undefined> {
    let pid: number | undefined
    await waitUntil('there is no backend to hit', async () => {
      const backends = (await listBackends(harness)).filter(isEligible)
      pid = backends[choice % backends.length]?.pid
      return pid !== undefined
    })
    return pid
  }

  /** Waits for the target of a fault to be up, and returns it. */
  async function chooseTarget({ kind, choice }: PlannedFault): Promise<Victim | undefined> {
    const killTarget = victims.find((victim) => kind === `kill_${victim}`)
    const freezeTarget = kind === 'freeze_app' ? 'app' : kind === 'freeze_worker' ? 'worker' : undefined
    const victim: Victim | undefined = killTarget ?? (freezeTarget && `${freezeTarget}_${choice % 2 === 0 ? 1 : 2}`)
    if (kind.startsWith('freeze')) await waitUntil('the last freeze has not ended', () => frozenProcesses.size === 0)
    if (victim) await waitUntil(`${victim} is not up`, () => harness.isUp(victim))
    return victim
  }

  async function executeFault({ kind, choice, seconds }: PlannedFault, victim: Victim | undefined): Promise<void> {
    if (kind === 'terminate_backend') await terminate(harness, await chooseBackend(choice, isProductBackend))
    else if (kind === 'terminate_poster') await terminate(harness, await chooseBackend(choice, isPosterBackend))
    else if (kind === 'kill_backend') signal(await chooseBackend(choice, isProductBackend), 'SIGKILL')
    else if (kind === 'freeze_backend') freeze(await chooseBackend(choice, isPosterBackend), seconds)
    else if (kind === 'kill_postmaster' || kind === 'kill_everything') {
      if (kind === 'kill_everything') for (const each of victims) kill(each)
      signal(harness.postmasterPid(), 'SIGKILL')
    } else if (victim && kind.startsWith('freeze')) freeze(processes[victim].pid(), seconds)
    else if (victim) kill(victim)
  }

  return {
    counts,
    killCounts,
    /** Waits for a target and for enough progress since the last fault, then executes the fault. */
    async injectFault(fault: PlannedFault): Promise<void> {
      const victim = await chooseTarget(fault)
      await waitUntil('no movement is acknowledged', () => progress() >= progressBefore + minProgress)
      await executeFault(fault, victim)
      progressBefore = progress()
      incrementCount(counts, fault.kind)
    },
    resumeFrozen(): void {
      for (const [pid, timer] of frozenProcesses) {
        clearTimeout(timer)
        signal(pid, 'SIGCONT')
      }
      frozenProcesses.clear()
    },
  }
}

async function listBackends({ pool }: Harness): Promise<Backend[]> {
  const text = `select pid, application_name, state from pg_stat_activity
    where backend_type = 'client backend' and datname = current_database() order by pid`
  return pool.query<Backend>(text).then(
    ({ rows }) => rows,
    () => [],
  )
}

async function terminate({ pool }: Harness, pid: number | undefined): Promise<void> {
  await pool.query('select pg_terminate_backend($1)', [pid]).catch(() => undefined)
}

/** Returns the database's activity with lock waits, and every process's last output. */
async function diagnose({ pool, processes }: Harness): Promise<string> {
  const text = `select pid, application_name, state, wait_event_type, wait_event, now() - xact_start as age,
      pg_blocking_pids(pid)::text as blocked_by, left(query, 160) as query
    from pg_stat_activity where datname = current_database() and state <> 'idle'`
  const activity = await pool.query(text).then(
    ({ rows }) => JSON.stringify(rows, undefined, 1),
    (error: Error) => `the database does not answer: ${error.message}`,
  )
  return [activity, ...victims.map((victim) => `${victim}: ${processes[victim].lastLines()}`)].join('\n')
}
