import { Refused, Unreachable } from '@tern/contract/protocol/client'
import type { CallInput, Reply } from '@tern/contract/protocol/endpoint'
import type { Problem } from '@tern/contract/protocol/refusal'
import { finishExternalSignIn, startExternalSignIn } from '@tern/contract/sign-in'
import { identity } from '#messages/identity/identity.ts'
import { callAsVisitor } from '../../../app/session/session.ts'

export type Finished = Reply<typeof finishExternalSignIn>

/** How signing in at a provider ended. Without either, no readable answer came. */
export interface Outcome {
  readonly reply?: Finished
  readonly problem?: Problem
}

type Start = Omit<CallInput<typeof startExternalSignIn>['body'], 'mode'>
type Message = { readonly state: string | null } & ({ readonly outcome: Outcome } | { readonly taken: true })

const channelName = 'tern-sign-in'
/** How long a tab that waits for the outcome may take to answer: it may be busy, or asleep behind the popup. */
const takenWithinMs = 5000

/** Held by the tab that waits for the outcome of this attempt. */
const waitingFor = (state: string | null) => `${channelName} ${state}`

const stateOf = (query: string): string | null => new URLSearchParams(query).get('state')

const say = (channel: BroadcastChannel, message: Message) =>
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a broadcast stays within our own origin
  channel.postMessage(message)

/** A small window in the middle of ours, or null where popups are blocked. */
function openPopup(): Window | null {
  const [width, height] = [480, 680]
  const left = Math.round(screenX + (outerWidth - width) / 2)
  const top = Math.round(screenY + (outerHeight - height) / 2)
  const popup = window.open('about:blank', '', `popup,width=${width},height=${height},left=${left},top=${top}`)
  if (!popup) return null
  popup.document.title = identity.connecting
  popup.document.documentElement.style.colorScheme = 'dark'
  return popup
}

/**
 * Waits for what the popup tells by broadcast: `window.opener` and `popup.closed` say nothing once the provider's own
 * page has been there. Somebody who closes the popup simply tries again.
 */
function awaitOutcome(state: string | null, signal: AbortSignal): Promise<Outcome | undefined> {
  const channel = new BroadcastChannel(channelName)
  const outcome = new Promise<Outcome | undefined>((resolve) => {
    signal.addEventListener('abort', () => {
      channel.close()
      resolve(undefined)
    })
    channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      if (data.state !== state || !('outcome' in data)) return
      say(channel, { state, taken: true })
      channel.close()
      resolve(data.outcome)
    })
  })
  void navigator.locks.request(waitingFor(state), () => outcome)
  return outcome
}

/** The reply of an outcome; throws what a call would have thrown. */
export function replyOf({ reply, problem }: Outcome): Finished {
  if (reply) return reply
  throw problem ? new Refused(problem) : new Unreachable(undefined)
}

/**
 * Leads to an identity provider, in a popup; where that is blocked the whole page goes there. Call it in the very click,
 * or the browser blocks the popup. Gives, once the provider's page is on its way, how it will end: undefined when nobody
 * waits any more. Throws `Refused` or `Unreachable` when the provider cannot be reached.
 */
export async function openProvider(
  start: Start,
  signal: AbortSignal,
): Promise<{ outcome: Promise<Outcome | undefined> }> {
  const popup = openPopup()
  try {
    const mode = popup ? 'popup' : 'redirect'
    const { url } = await callAsVisitor(startExternalSignIn, { body: { ...start, mode } }, signal)
    if (popup) {
      const outcome = awaitOutcome(stateOf(new URL(url).search), signal)
      popup.location.href = url
      return { outcome }
    }
    location.assign(url)
    // This page goes away. Somebody who comes back to it by the history finds it as it was, and tries again.
    await new Promise((resolve) => addEventListener('pageshow', resolve, { once: true }))
    return { outcome: Promise.resolve(undefined) }
  } catch (error) {
    popup?.close()
    throw error
  }
}

/** Finishes with the query that the provider came back with. */
export async function finishSignIn(query: string): Promise<Outcome> {
  try {
    return { reply: await callAsVisitor(finishExternalSignIn, { body: { query } }) }
  } catch (error) {
    return error instanceof Refused ? { problem: error.problem } : {}
  }
}

/** Tells the tab that opened this popup how it ended. False when no tab is waiting: then this page goes on by itself. */
export async function relay(query: string, outcome: Outcome): Promise<boolean> {
  const state = stateOf(query)
  const isForNobody = await navigator.locks.request(waitingFor(state), { ifAvailable: true }, (lock) => lock !== null)
  if (isForNobody) return false
  const channel = new BroadcastChannel(channelName)
  return new Promise((resolve) => {
    const end = (isTaken: boolean) => {
      channel.close()
      resolve(isTaken)
    }
    channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      if (data.state === state && 'taken' in data) end(true)
    })
    setTimeout(() => end(false), takenWithinMs)
    say(channel, { state, outcome })
  })
}
