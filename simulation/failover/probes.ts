// Small sends without a pause, whose answers show when the product can move money, and streams of their recipients.

import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { UserEvent } from '@tern/contract/events'
import { createClient } from '@tern/contract/protocol/client'
import { login } from '@tern/contract/sign-in'
import { sendMoney } from '@tern/contract/transfers'
import type { TestPerson } from '@tern/testkit/people'
import { type Actor, createActor, type Watch } from '../harness/actor.ts'

/** Minor units of each send; such amounts are never held. */
export const probeMinor = 5
const pauseMs = 100
const callBehavior = { repeatAfterMs: () => 4000, timeoutMs: 4000, maxPauseMs: 250 }
const streamPauseMs = 250

/** Acknowledged send. */
export interface Acknowledgement {
  readonly key: string
  readonly id: string
  readonly startedAt: number
  readonly at: number
}

export interface Probe {
  readonly sender: TestPerson
  readonly acknowledged: readonly Acknowledgement[]
  /** Sends again under the key of an acknowledged send; returns the answered id. */
  repeat(acknowledgement: Acknowledgement): Promise<string>
  end(): Promise<void>
}

export function startProbe(
  urls: readonly string[],
  sender: TestPerson,
  recipient: TestPerson,
  watch: Watch = () => {},
): Probe {
  const actor: Actor = createActor(urls, sender, 'USD', { ...callBehavior, watch })
  const acknowledged: Acknowledgement[] = []
  let isStopped = false
  const body = { recipient_id: recipient.id, amount: '0.05', source_currency: 'USD' } as const
  const send = async (key: string) => (await actor.call(sendMoney, { body, idempotencyKey: key })).transaction_id

  async function run(): Promise<void> {
    while (!isStopped) {
      const [key, startedAt] = [randomUUID(), Date.now()]
      const id = await send(key)
      acknowledged.push({ key, id, startedAt, at: Date.now() })
      await delay(pauseMs)
    }
  }
  const running = run()
  // `end` reports it.
  running.catch(() => {})
  return {
    sender,
    acknowledged,
    repeat: ({ key }) => send(key),
    end() {
      isStopped = true
      return running
    },
  }
}

export interface Stream {
  readonly url: string
  /** Times at which transactions arrived, by id. */
  readonly arrivals: ReadonlyMap<string, number>
  /** Times of the events after which a page loads everything again. */
  readonly refetchedAt: readonly number[]
  close(): void
}

/** Follows the events of a person at one app, and resumes at the last position when the stream ends. */
export function followEvents(url: string, person: TestPerson): Stream {
  const closing = new AbortController()
  const arrivals = new Map<string, number>()
  const refetchedAt: number[] = []
  let token = person.token
  let position: string | undefined

  async function signIn(): Promise<void> {
    const { call } = createClient({ baseUrl: `${url}/api`, accessToken: () => undefined, timeoutMs: 4000 })
    const answer = await call(login, { body: { email: person.email, password: person.password } })
    if ('access_token' in answer) token = answer.access_token
  }

  function take(block: string): void {
    position = /^id: (.*)$/m.exec(block)?.[1] ?? position
    const data = /^data: (.*)$/m.exec(block)?.[1]
    if (data === undefined) return
    const event = JSON.parse(data) as UserEvent
    if (event.type === 'transaction' && !arrivals.has(event.transaction.id)) {
      arrivals.set(event.transaction.id, Date.now())
    } else if (event.type === 'refetch') refetchedAt.push(Date.now())
  }

  async function readOnce(): Promise<void> {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(position === undefined ? {} : { 'last-event-id': position }),
    }
    const answer = await fetch(`${url}/api/events`, { headers, signal: closing.signal })
    if (answer.status === 401) await signIn()
    if (!answer.ok || !answer.body) return
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of answer.body) {
      const blocks = (text + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) take(block)
    }
  }

  async function follow(): Promise<void> {
    while (!closing.signal.aborted) {
      // A stream that ends with an error is resumed like one that is closed.
      await readOnce().catch(() => undefined)
      await delay(streamPauseMs)
    }
  }
  void follow()
  return { url, arrivals, refetchedAt, close: () => closing.abort() }
}
