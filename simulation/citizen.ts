// Somebody who uses the product over HTTP and repeats what got no answer, with the same key, until it is answered.

import { setTimeout as delay } from 'node:timers/promises'
import { type Client, createClient, Refused } from '@tern/contract/client'
import { login } from '@tern/contract/sign-in'
import type { TestPerson } from '../tools/test-people.ts'

export interface Citizen {
  readonly person: TestPerson
  readonly currency: 'USD' | 'EUR'
  readonly call: Client['call']
  /** The bank account that withdrawals go to and debits come from, and what its bank is known for. */
  bankAccountId: string
  bank: string
}

const callTimeoutMs = 8000
const pauseMs = 150
const mostAttempts = 1200

/** A citizen for a person who signed up before; signs in again when the access token has ended. */
export function createCitizen(url: string, person: TestPerson, currency: 'USD' | 'EUR'): Citizen {
  let token = person.token
  const { call } = createClient({ baseUrl: `${url}/api`, accessToken: () => token, timeoutMs: callTimeoutMs })
  const stranger = createClient({ baseUrl: `${url}/api`, accessToken: () => undefined, timeoutMs: callTimeoutMs })

  async function signInAgain(): Promise<void> {
    const { email, password } = person
    const answer = await stranger.call(login, { body: { email, password } })
    if ('access_token' in answer) token = answer.access_token
  }

  const insist: Client['call'] = async (called, input) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await call(called, input)
      } catch (error) {
        const isAnswer = error instanceof Refused && error.status < 500 && error.code !== 'request_in_progress'
        if (error instanceof Refused && error.code === 'unauthenticated') await signInAgain().catch(() => undefined)
        else if (isAnswer && error.code !== 'rate_limited') throw error
        if (attempt === mostAttempts) throw error
        await delay(pauseMs)
      }
    }
  }
  return { person, currency, call: insist, bankAccountId: '', bank: '' }
}
