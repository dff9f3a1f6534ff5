import { createSandboxHttp, type SandboxConnection } from '../sandbox-http.ts'
import { readSafeInteger } from '../json.ts'

function readOffset(body: unknown): { status: 'known'; offset: number } | undefined {
  const offset = readSafeInteger(body, 'offsetMs')
  return offset === undefined ? undefined : { status: 'known', offset }
}

/** Sandbox clock, which can be set. Gives the machine's time until the sandbox has replied; polls every `pollIntervalMs`. */
export function createSandboxClock(connection: SandboxConnection, pollIntervalMs = 2000) {
  const http = createSandboxHttp(connection)
  let offsetMs = 0
  let latestRefresh = 0

  /** Replies may arrive out of order; only the reply to the latest request counts. */
  async function follow(method: 'GET' | 'PUT', body?: object): Promise<'synced' | 'unknown'> {
    latestRefresh += 1
    const refresh = latestRefresh
    const answer = await http.ask([method, '/api/clock', body], 'the clock', readOffset)
    if (answer.status === 'unknown') return 'unknown'
    if (refresh === latestRefresh) offsetMs = answer.offset
    return 'synced'
  }

  const poll = setInterval(() => void follow('GET').catch(() => 'unknown'), pollIntervalMs)
  poll.unref()

  return {
    now: (): Date => new Date(Date.now() + offsetMs),
    /** Fetches the sandbox's offset immediately. `unknown` keeps the last known offset. */
    sync: () => follow('GET'),
    /** Sets the sandbox's clock to `date`, from which it keeps running. Throws unless the sandbox confirms. */
    async set(date: Date): Promise<void> {
      if ((await follow('PUT', { now: date.toISOString() })) === 'unknown') {
        throw new Error('The sandbox did not confirm the new time')
      }
    },
    stop: () => clearInterval(poll),
  }
}
