/** Reason for rejecting a task: its own line was full, or the queue was. */
export type RejectReason = 'line_full' | 'queue_full'

interface QueuedWork {
  readonly start: () => void
  readonly turnAway: (reason: RejectReason) => void
}

interface Line {
  readonly name: string
  readonly waiting: QueuedWork[]
  running: number
}

interface Places {
  /** Maximum tasks running at once. */
  readonly atOnce: number
  /**
   * Maximum tasks of one line running at once; unbounded by default. A line at its maximum waits until one of its tasks
   * ends, then goes last.
   */
  readonly perLineAtOnce?: number
  /** Maximum waiting tasks of one line. */
  readonly perLine: number
  /** Maximum waiting tasks in total. */
  readonly inTotal: number
  readonly turnAway: (reason: RejectReason) => Error
}

/**
 * Runs tasks round-robin between lines, so that a busy line delays only itself. A task that cannot wait is rejected
 * with the error from `turnAway`. When the queue is full, the newest task of the longest line is rejected in favor of a
 * shorter line.
 */
export function createFairQueue({
  atOnce,
  perLineAtOnce = Number.POSITIVE_INFINITY,
  perLine,
  inTotal,
  turnAway,
}: Places) {
  const lines = new Map<string, Line>()
  /** Lines that may start a task, in order of their turns. */
  const readyLines = new Set<Line>()
  let queuedCount = 0
  let running = 0

  /** Puts the line last, if it has waiting tasks and is below its maximum. */
  function enqueueLine(line: Line): void {
    if (line.waiting.length > 0 && line.running < perLineAtOnce) readyLines.add(line)
    else if (line.waiting.length === 0 && line.running === 0) lines.delete(line.name)
  }

  function startNext(): void {
    for (const line of readyLines) {
      if (running >= atOnce) return
      readyLines.delete(line)
      const first = line.waiting.shift()
      queuedCount -= 1
      running += 1
      line.running += 1
      enqueueLine(line)
      first?.start()
    }
  }

  /**
   * Rejects the newest task of the longest line, if that line has at least two more tasks than `ownCount`. Returns
   * whether it did.
   */
  function rejectFromLongestLine(ownCount: number): boolean {
    let longest: QueuedWork[] = []
    for (const line of lines.values()) if (line.waiting.length > longest.length) longest = line.waiting
    if (longest.length <= ownCount + 1) return false
    longest.pop()?.turnAway('queue_full')
    queuedCount -= 1
    return true
  }

  function waitForPlace(line: Line): Promise<void> {
    if (line.waiting.length >= perLine) return Promise.reject(turnAway('line_full'))
    if (queuedCount >= inTotal && !rejectFromLongestLine(line.waiting.length))
      return Promise.reject(turnAway('queue_full'))
    return new Promise((start, reject) => {
      line.waiting.push({ start, turnAway: (reason) => reject(turnAway(reason)) })
      lines.set(line.name, line)
      queuedCount += 1
      enqueueLine(line)
      startNext()
    })
  }

  return async function run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const line = lines.get(name) ?? { name, waiting: [], running: 0 }
    await waitForPlace(line)
    try {
      return await work()
    } finally {
      running -= 1
      line.running -= 1
      enqueueLine(line)
      startNext()
    }
  }
}
