// User over HTTP who repeats unanswered calls with the same key.

import { setTimeout as delay } from 'node:timers/promises'
import { type Client, createClient, Refused } from '@tern/contract/protocol/client'
import { login } from '@tern/contract/sign-in'
import type { TestPerson } from '@tern/testkit/people'

export type HomeCurrency = 'USD' | 'EUR' | 'JPY'

export interface Actor {
  readonly person: TestPerson
  readonly currency: HomeCurrency
  readonly call: Client['call']
  /** Account for withdrawals and debits; its bank determines their outcome. */
  bankAccountId: string
  bank: string
}

/** Called with the pending response of an attempt, which may arrive late or never. */
export type Watch = (path: string, key: string | undefined, attempt: Promise<unknown>) => void

export interface CallHabits {
  /** Milliseconds until an unanswered call is repeated; the earlier attempt continues. */
  patienceMs(): number
  readonly timeoutMs: number
  readonly longestPauseMs: number
  readonly watch?: Watch
}

const shortestPauseMs = 150
const mostAttempts = 1200
/** Habits for a single address; repeats only after a response or a timeout. */
export const inSimulation: CallHabits = { patienceMs: () => 8000, timeoutMs: 8000, longestPauseMs: 150 }

/** Creates an actor for a registered person. It signs in again as needed and rotates attempts through the addresses. */
export function createActor(
  urls: readonly string[],
  person: TestPerson,
  currency: HomeCurrency,
  { patienceMs, timeoutMs, longestPauseMs, watch }: CallHabits,
): Actor {
  let token = person.token
  let turn = person.id
  const clients = urls.map((url) => createClient({ baseUrl: `${url}/api`, accessToken: () => token, timeoutMs }))
  const strangers = urls.map((url) => createClient({ baseUrl: `${url}/api`, accessToken: () => undefined, timeoutMs }))
  const at = <T>(list: readonly T[]): T => list[turn % list.length] as T

  async function signInAgain(): Promise<void> {
    const { email, password } = person
    const answer = await at(strangers).call(login, { body: { email, password } })
    if ('access_token' in answer) token = answer.access_token
  }

  const insist: Client['call'] = async (called, input) => {
    for (let attempt = 1; ; attempt += 1) {
      turn += 1
      const attempted = at(clients).call(called, input)
      watch?.(called.path, (input as { idempotencyKey?: string }).idempotencyKey, attempted)
      try {
        const answer = await Promise.race([attempted, delay(patienceMs(), noAnswer, { ref: false })])
        if (answer !== noAnswer) return answer
      } catch (error) {
        if (error instanceof Refused && error.code === 'unauthenticated') await signInAgain().catch(() => undefined)
        else if (error instanceof Refused && isFinal(error)) throw error
        if (attempt === mostAttempts) throw error
        await delay(Math.min(shortestPauseMs * 2 ** Math.min(attempt - 1, 10), longestPauseMs))
      }
      if (attempt === mostAttempts) throw new Error(`${called.path} was never answered`)
    }
  }
  return { person, currency, call: insist, bankAccountId: '', bank: '' }
}

const noAnswer = Symbol('no answer')

/** Ignores a refusal; rethrows other errors. */
export function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Refused) || error.status >= 500) throw error
}

/** Returns whether retrying is pointless for now. Too many open payments are `rate_limited` without a retry time. */
function isFinal({ status, code, retryAfterSeconds }: Refused): boolean {
  if (code === 'rate_limited') return retryAfterSeconds === undefined
  return status < 500 && code !== 'request_in_progress'
}
