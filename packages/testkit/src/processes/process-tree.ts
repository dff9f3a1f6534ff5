import { spawnSync } from 'node:child_process'

/** Returns the ids of all descendants of a process, as listed by `ps`, children first. */
export function listDescendants(ancestor: number): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  const descendants = [ancestor]
  for (const parent of descendants) {
    for (const [pid, parentPid] of rows) if (parentPid === parent && pid !== undefined) descendants.push(pid)
  }
  return descendants.slice(1)
}

/** Kills processes, ignoring those that have already ended. */
export function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}
