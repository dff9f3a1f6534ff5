/** Reason for rejecting work: its own line was full, or all places were taken. */
export type Full = 'line_full' | 'queue_full'

interface Waiting {
  readonly start: () => void
  readonly turnAway: (why: Full) => void
}

interface Line {
  readonly name: string
  readonly waiting: Waiting[]
  running: number
}

interface Places {
  /** Maximum tasks running at once. */
  readonly atOnce: number
  /**
   * Maximum tasks of one line running at once; unbounded by default. A line at its bound has its next turn after all
   * others.
   */
  readonly perLineAtOnce?: number
  /** Maximum waiting tasks of one line. */
  readonly perLine: number
  /** Maximum waiting tasks in total. */
  readonly inAll: number
  readonly turnAway: (why: Full) => Error
}

/**
 * Runs work round-robin between lines, so that a busy line delays only itself. Rejects work without a place with
 * `turnAway`; once all places are taken, the longest line loses one to any shorter line.
 */
export function createFairQueue({
  atOnce,
  perLineAtOnce = Number.POSITIVE_INFINITY,
  perLine,
  inAll,
  turnAway,
}: Places) {
  const lines = new Map<string, Line>()
  /** Lines that may start work, in order of their turn. */
  const ready = new Set<Line>()
  let waiting = 0
  let running = 0

  /** Queues the line behind all others, if it has work waiting and is below its bound. */
  function enlist(line: Line): void {
    if (line.waiting.length > 0 && line.running < perLineAtOnce) ready.add(line)
    else if (line.waiting.length === 0 && line.running === 0) lines.delete(line.name)
  }

  function startNext(): void {
    for (const line of ready) {
      if (running >= atOnce) return
      ready.delete(line)
      const first = line.waiting.shift()
      waiting -= 1
      running += 1
      line.running += 1
      enlist(line)
      first?.start()
    }
  }

  /** Returns whether the line now has a place. */
  function makeRoom(own: number): boolean {
    let longest: Waiting[] = []
    for (const line of lines.values()) if (line.waiting.length > longest.length) longest = line.waiting
    if (longest.length <= own + 1) return false
    longest.pop()?.turnAway('queue_full')
    waiting -= 1
    return true
  }

  function waitForTurn(line: Line): Promise<void> {
    if (line.waiting.length >= perLine) return Promise.reject(turnAway('line_full'))
    if (waiting >= inAll && !makeRoom(line.waiting.length)) return Promise.reject(turnAway('queue_full'))
    return new Promise((start, reject) => {
      line.waiting.push({ start, turnAway: (why) => reject(turnAway(why)) })
      lines.set(line.name, line)
      waiting += 1
      enlist(line)
      startNext()
    })
  }

  return async function run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const line = lines.get(name) ?? { name, waiting: [], running: 0 }
    await waitForTurn(line)
    try {
      return await work()
    } finally {
      running -= 1
      line.running -= 1
      enlist(line)
      startNext()
    }
  }
}
