import { createSandboxHttp, type SandboxConnection } from '../sandbox-http.ts'
import { readSafeInteger } from '../json.ts'

function readOffset(body: unknown): { status: 'known'; offset: number } | undefined {
  const offset = readSafeInteger(body, 'offsetMs')
  return offset === undefined ? undefined : { status: 'known', offset }
}

export type SandboxClock = ReturnType<typeof createSandboxClock>

/** A clock that follows the sandbox's, which can be moved. Shows the computer's time until the first `sync`; afterwards asks the sandbox again every `pollIntervalMs`. */
export function createSandboxClock(connection: SandboxConnection, pollIntervalMs = 2000) {
  const http = createSandboxHttp(connection)
  let offsetMs = 0
  let newest = 0

  /** Answers may overtake one another; only the one asked for last counts. */
  async function follow(method: 'GET' | 'PUT', body?: object): Promise<'synced' | 'unknown'> {
    newest += 1
    const asked = newest
    const answer = await http.ask([method, '/api/clock', body], 'the clock', readOffset)
    if (answer.status === 'unknown') return 'unknown'
    if (asked === newest) offsetMs = answer.offset
    return 'synced'
  }

  const poll = setInterval(() => void follow('GET').catch(() => 'unknown'), pollIntervalMs)
  poll.unref()

  return {
    now: (): Date => new Date(Date.now() + offsetMs),
    /** Fetches the sandbox's offset at once. `unknown` keeps the last one known. */
    sync: () => follow('GET'),
    /** Moves the sandbox's clock so that it shows `date` now, and goes on ticking. Throws when the sandbox does not confirm. */
    async set(date: Date): Promise<void> {
      if ((await follow('PUT', { now: date.toISOString() })) === 'unknown') {
        throw new Error('The sandbox did not confirm the new time')
      }
    },
    /** Ends the polling. */
    stop: () => clearInterval(poll),
  }
}
