// User of the HTTP API who repeats unanswered calls with the same idempotency key.

import { setTimeout as delay } from 'node:timers/promises'
import { type Client, createClient, Refused } from '@tern/contract/protocol/client'
import { login } from '@tern/contract/sign-in'
import type { TestPerson } from '@tern/testkit/people'

export type HomeCurrency = 'USD' | 'EUR' | 'JPY'

export interface Actor {
  readonly person: TestPerson
  readonly currency: HomeCurrency
  readonly call: Client['call']
  /** Account for withdrawals and debits, whose outcome depends on its bank. */
  bankAccountId: string
  bank: string
}

/** Called with the pending response of an attempt, which may arrive late or never. */
export type Watch = (path: string, key: string | undefined, attempt: Promise<unknown>) => void

export interface CallBehavior {
  /** Milliseconds until an unanswered call is repeated; the earlier attempt continues. */
  repeatAfterMs(): number
  readonly timeoutMs: number
  readonly maxPauseMs: number
  readonly watch?: Watch
}

const minPauseMs = 150
const maxAttempts = 1200
/** Behavior for a single address: repeats a call only after a response or a timeout. */
export const simulationBehavior: CallBehavior = { repeatAfterMs: () => 8000, timeoutMs: 8000, maxPauseMs: 150 }

/** Creates an actor for a registered person. It signs in again if needed, and rotates attempts over the addresses. */
export function createActor(
  urls: readonly string[],
  person: TestPerson,
  currency: HomeCurrency,
  { repeatAfterMs, timeoutMs, maxPauseMs, watch }: CallBehavior,
): Actor {
  let token = person.token
  let turn = person.id
  const clients = urls.map((url) => createClient({ baseUrl: `${url}/api`, accessToken: () => token, timeoutMs }))
  const anonymousClients = urls.map((url) =>
    createClient({ baseUrl: `${url}/api`, accessToken: () => undefined, timeoutMs }),
  )
  const pickByTurn = <T>(list: readonly T[]): T => list[turn % list.length] as T

  async function signInAgain(): Promise<void> {
    const { email, password } = person
    const answer = await pickByTurn(anonymousClients).call(login, { body: { email, password } })
    if ('access_token' in answer) token = answer.access_token
  }

  const callUntilAnswered: Client['call'] = async (endpoint, input) => {
    for (let attempt = 1; ; attempt += 1) {
      turn += 1
      const pendingResponse = pickByTurn(clients).call(endpoint, input)
      watch?.(endpoint.path, (input as { idempotencyKey?: string }).idempotencyKey, pendingResponse)
      try {
        const answer = await Promise.race([pendingResponse, delay(repeatAfterMs(), noAnswer, { ref: false })])
        if (answer !== noAnswer) return answer
      } catch (error) {
        if (error instanceof Refused && error.code === 'unauthenticated') await signInAgain().catch(() => undefined)
        else if (error instanceof Refused && isFinal(error)) throw error
        if (attempt === maxAttempts) throw error
        await delay(Math.min(minPauseMs * 2 ** Math.min(attempt - 1, 10), maxPauseMs))
      }
      if (attempt === maxAttempts) throw new Error(`${endpoint.path} was never answered`)
    }
  }
  return { person, currency, call: callUntilAnswered, bankAccountId: '', bank: '' }
}

const noAnswer = Symbol('no answer')

/** Ignores a refusal (4xx); rethrows other errors. */
export function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Refused) || error.status >= 500) throw error
}

/** Returns whether a refusal is not worth a retry. Too many open payments are `rate_limited` without a retry time. */
function isFinal({ status, code, retryAfterSeconds }: Refused): boolean {
  if (code === 'rate_limited') return retryAfterSeconds === undefined
  return status < 500 && code !== 'request_in_progress'
}
