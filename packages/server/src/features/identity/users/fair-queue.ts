/** Why work was not taken: its own line was full, or all places were. */
export type Full = 'line_full' | 'queue_full'

interface Waiting {
  readonly start: () => void
  readonly turnAway: (why: Full) => void
}

interface Places {
  /** How much runs at once. */
  readonly atOnce: number
  /** How much of one line waits. */
  readonly perLine: number
  /** How much waits in all. */
  readonly inAll: number
  readonly turnAway: (why: Full) => Error
}

/**
 * Runs work by turns, one of each line after the other, so that whoever sends much waits for themselves only. Rejects
 * with `turnAway` what finds no place; once all places are taken, the longest line gives one to any shorter line.
 */
export function createFairQueue({ atOnce, perLine, inAll, turnAway }: Places) {
  // In order of their next turn; none is empty.
  const lines = new Map<string, Waiting[]>()
  let waiting = 0
  let running = 0

  function next(): void {
    if (running >= atOnce) return
    const [turn] = lines
    if (turn === undefined) return
    const [line, all] = turn
    const first = all.shift()
    lines.delete(line)
    if (all.length > 0) lines.set(line, all)
    waiting -= 1
    running += 1
    first?.start()
  }

  /** Whether the line now has a place. */
  function makeRoom(own: number): boolean {
    let longest: Waiting[] = []
    for (const all of lines.values()) if (all.length > longest.length) longest = all
    if (longest.length <= own + 1) return false
    longest.pop()?.turnAway('queue_full')
    waiting -= 1
    return true
  }

  function waitForTurn(line: string): Promise<void> {
    const all = lines.get(line) ?? []
    if (all.length >= perLine) return Promise.reject(turnAway('line_full'))
    if (waiting >= inAll && !makeRoom(all.length)) return Promise.reject(turnAway('queue_full'))
    return new Promise((start, reject) => {
      all.push({ start, turnAway: (why) => reject(turnAway(why)) })
      lines.set(line, all)
      waiting += 1
      next()
    })
  }

  return async function run<T>(line: string, work: () => Promise<T>): Promise<T> {
    await waitForTurn(line)
    try {
      return await work()
    } finally {
      running -= 1
      next()
    }
  }
}
