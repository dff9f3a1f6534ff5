import { Refused, Unreachable } from '@tern/contract/protocol/client'
import type { CallInput, Reply } from '@tern/contract/protocol/endpoint'
import type { Problem } from '@tern/contract/protocol/refusal'
import { finishExternalSignIn, startExternalSignIn } from '@tern/contract/sign-in'
import { identity } from '#messages/identity/identity.ts'
import { isWebAddress, NoWebAddress } from '../../../app/provider-page.ts'
import { callAsVisitor } from '../../../app/session/session.ts'

export type ExternalSignInReply = Reply<typeof finishExternalSignIn>

/** Result of a sign-in at a provider. Both fields are missing if no readable answer was received. */
export interface Outcome {
  readonly reply?: ExternalSignInReply
  readonly problem?: Problem
}

type StartInput = Omit<CallInput<typeof startExternalSignIn>['body'], 'mode'>
type Message = { readonly state: string | null } & ({ readonly outcome: Outcome } | { readonly taken: true })

const channelName = 'tern-sign-in'
/** Time for the waiting tab to acknowledge the outcome: it may be busy, or throttled behind the popup. */
const acknowledgeMs = 5000

/** Name of the lock held by the tab that waits for this attempt. */
const getLockName = (state: string | null) => `${channelName} ${state}`

const readState = (query: string): string | null => new URLSearchParams(query).get('state')

const broadcast = (channel: BroadcastChannel, message: Message) =>
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a broadcast stays within our own origin
  channel.postMessage(message)

/** Popup centered over this window, or null if popups are blocked. */
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
 * Waits for the popup's broadcast: `window.opener` and `popup.closed` are unusable once the provider's page was loaded.
 * A user who closes the popup can simply try again.
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
      broadcast(channel, { state, taken: true })
      channel.close()
      resolve(data.outcome)
    })
  })
  void navigator.locks.request(getLockName(state), () => outcome)
  return outcome
}

/** Reply of an outcome; throws `Refused` or `Unreachable` otherwise. */
export function requireReply({ reply, problem }: Outcome): ExternalSignInReply {
  if (reply) return reply
  throw problem ? new Refused(problem) : new Unreachable(undefined)
}

/**
 * Opens an identity provider in a popup, or in the whole page if popups are blocked. Must be called directly in the
 * click handler, or the browser blocks the popup. Resolves once the provider's page is loading, with a promise of the
 * outcome; undefined after an abort. Throws `Refused` or `Unreachable` if the provider cannot be reached, and
 * `NoWebAddress` unless its address is http(s).
 */
export async function openProvider(
  start: StartInput,
  signal: AbortSignal,
): Promise<{ outcome: Promise<Outcome | undefined> }> {
  const popup = openPopup()
  try {
    const mode = popup ? 'popup' : 'redirect'
    const { url } = await callAsVisitor(startExternalSignIn, { body: { ...start, mode } }, signal)
    if (!isWebAddress(url)) throw new NoWebAddress()
    if (popup) {
      const outcome = awaitOutcome(readState(new URL(url).search), signal)
      popup.location.href = url
      return { outcome }
    }
    location.assign(url)
    // This page is being left. A user who returns through the history finds it unchanged and can try again.
    await new Promise((resolve) => addEventListener('pageshow', resolve, { once: true }))
    return { outcome: Promise.resolve(undefined) }
  } catch (error) {
    popup?.close()
    throw error
  }
}

/** Completes the sign-in with the query of the provider's redirect. */
export async function finishSignIn(query: string): Promise<Outcome> {
  try {
    return { reply: await callAsVisitor(finishExternalSignIn, { body: { query } }) }
  } catch (error) {
    return error instanceof Refused ? { problem: error.problem } : {}
  }
}

/**
 * Sends the outcome to the tab that opened this popup. Returns false if no tab waits for it or acknowledges it; the
 * caller then continues here.
 */
export async function sendOutcome(query: string, outcome: Outcome): Promise<boolean> {
  const state = readState(query)
  const hasNoWaitingTab = await navigator.locks.request(
    getLockName(state),
    { ifAvailable: true },
    (lock) => lock !== null,
  )
  if (hasNoWaitingTab) return false
  const channel = new BroadcastChannel(channelName)
  return new Promise((resolve) => {
    const end = (isAcknowledged: boolean) => {
      channel.close()
      resolve(isAcknowledged)
    }
    channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      if (data.state === state && 'taken' in data) end(true)
    })
    setTimeout(() => end(false), acknowledgeMs)
    broadcast(channel, { state, outcome })
  })
}
