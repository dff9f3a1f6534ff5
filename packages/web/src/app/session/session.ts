import { createClient, Refused } from '@tern/contract/protocol/client'
import type { CallInput, Endpoint, Reply } from '@tern/contract/protocol/endpoint'
import type { RefusalCode } from '@tern/contract/protocol/refusal'
import { type CurrentUser, currentUser, logout, refreshToken } from '@tern/contract/identity'
import { useSyncExternalStore } from 'react'

export type Session =
  | { readonly status: 'unknown' }
  | { readonly status: 'in'; readonly user: CurrentUser }
  /** `notice`: what whoever has just left is to read on /login. */
  | { readonly status: 'out'; readonly notice?: string | undefined }

const tokenKey = 'auth_token'
const userKey = 'current_user'
/** From where the globe was seen last, which tells roughly where the person lives. */
const lastMapKey = 'home_map'
/** Stands while the server has not heard that somebody logged out. As long as it does nobody is signed in here. */
const leavingKey = 'logout_unheard'
const leaveAgainMs = 5000
const askAgainMs = 5000
const refreshEarlyMs = 30_000
/** How often to ask again while the same cookie is being exchanged elsewhere, and the pause before each time. */
const cookieBusyRepeats = 2
const cookieBusyPauseMs = 2000
const turn = 'tern-session'
/** How long a tab tells that it has replaced a token, since what it keeps can be read in other tabs only some time later. */
const tellMs = 2000
const readAgainMs = 20

const unknown: Session = { status: 'unknown' }
let session: Session = unknown
let token: string | undefined
/** A logout that is on its way to the server. */
let leaving: Promise<void> | undefined
const listeners = new Set<() => void>()

const visitor = createClient({ baseUrl: '/api' })
const member = createClient({ baseUrl: '/api', accessToken: currentAccessToken })

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const isRefused = (error: unknown, code: RefusalCode) => error instanceof Refused && error.code === code

function become(next: Session): void {
  session = next
  for (const listener of listeners) listener()
}

function storedUser(): CurrentUser | undefined {
  try {
    return JSON.parse(String(localStorage.getItem(userKey))) ?? undefined
  } catch {
    return undefined
  }
}

/** Whether there is an access token which can be read and does not end soon. */
function isFresh(candidate: string | null | undefined): candidate is string {
  try {
    const payload = String(candidate).split('.')[1] ?? ''
    const { exp } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')))
    return exp * 1000 - refreshEarlyMs > Date.now()
  } catch {
    return false
  }
}

function keepToken(next: string): string {
  token = next
  localStorage.setItem(tokenKey, next)
  return next
}

function keepUser(user: CurrentUser): void {
  localStorage.setItem(userKey, JSON.stringify(user))
  become({ status: 'in', user })
}

/** Somebody has signed in or signed up on this device. */
export function openSession(user: CurrentUser, accessTokenOfUser: string): void {
  localStorage.removeItem(leavingKey)
  keepToken(accessTokenOfUser)
  keepUser(user)
}

/** Puts what has changed of the signed-in person into what this device remembers of them. */
export function mergeUser(part: Partial<CurrentUser>): void {
  if (session.status === 'in') keepUser({ ...session.user, ...part })
}

/** Forgets who was signed in here; /login shows the notice. Does not tell the server: `signOut` does. */
export function closeSession(notice?: string): void {
  token = undefined
  localStorage.removeItem(tokenKey)
  localStorage.removeItem(userKey)
  localStorage.removeItem(lastMapKey)
  become({ status: 'out', notice })
}

const isLeaving = () => localStorage.getItem(leavingKey)
const isOut = () => session.status === 'out' || isLeaving()

async function exchangeCookie(): Promise<string> {
  for (let repeats = 0; ; repeats += 1) {
    try {
      return (await visitor.call(refreshToken, {})).access_token
    } catch (error) {
      if (!isRefused(error, 'request_in_progress') || repeats === cookieBusyRepeats) throw error
      await pause(cookieBusyPauseMs)
    }
  }
}

/**
 * Exchanges the refresh cookie for a new access token. The cookie is good for one use, so tabs take turns; the one that
 * comes second finds the token of the first. It may have to wait until that can be read, which it knows from a lock: unlike
 * what is stored, locks are seen by all tabs in the order they were taken. Gives undefined after a logout, whether or not
 * the server has heard of it, and when the cookie is no longer good, which closes the session.
 */
async function renewToken(spent: string | undefined): Promise<string | undefined> {
  const replaced = `${turn} ${spent}`
  const isReplaced = () => navigator.locks.request(replaced, { ifAvailable: true }, (lock) => !lock)
  const found = () => {
    const stored = localStorage.getItem(tokenKey)
    return stored !== spent && isFresh(stored) ? stored : undefined
  }
  return navigator.locks.request(turn, async () => {
    while (!found() && (await isReplaced())) await pause(readAgainMs)
    if (isOut()) return undefined
    try {
      let next = found()
      if (!next) {
        next = await exchangeCookie()
        await new Promise<void>((told) => void navigator.locks.request(replaced, () => (told(), pause(tellMs))))
      }
      // Somebody may have logged out while the answer was on its way.
      return isOut() ? undefined : keepToken(next)
    } catch (error) {
      if (!isRefused(error, 'unauthenticated')) throw error
      closeSession()
      return undefined
    }
  })
}

/** A token that is good for calls: of the API, and those made without its client, such as reading the event stream. */
export async function currentAccessToken(): Promise<string | undefined> {
  token ??= localStorage.getItem(tokenKey) ?? undefined
  return isFresh(token) ? token : renewToken(token)
}

/**
 * Calls the API as the signed-in person. A token that the server no longer accepts is renewed once; if that fails too the
 * session is over, which leads every page of the app to /login. Throws `Refused` or `Unreachable` of the contract's client.
 */
export async function callApi<E extends Endpoint>(
  endpoint: E,
  input: CallInput<E>,
  signal?: AbortSignal,
): Promise<Reply<E>> {
  try {
    return await member.call(endpoint, input, signal)
  } catch (error) {
    // What stops money stands above every page, with the way out of it.
    if (isRefused(error, 'loss_open') || isRefused(error, 'account_frozen')) void refetchUser()
    if (!isRefused(error, 'unauthenticated') || !(await renewToken(token))) throw error
    return member.call(endpoint, input, signal)
  }
}

/** Calls the API as a visitor: signing in, signing up, prices. A logout under way comes first, or it would end what follows. */
export const callAsVisitor: typeof visitor.call = async (...call) => {
  await leaving
  return visitor.call(...call)
}

/** Reads the signed-in person anew. When that fails nothing changes, unless the session turns out to be over. */
export async function refetchUser(): Promise<void> {
  const before = session
  try {
    const user = await callApi(currentUser, {})
    // Somebody may have logged out, or changed something, while the answer was on its way.
    if (session !== before) return await resumeSession()
    keepUser(user)
  } catch (error) {
    if (isRefused(error, 'unauthenticated')) return closeSession()
    // No answer says nothing about the session: the page goes on with the person this device remembers, and its own
    // requests say what is wrong.
    // oxlint-disable-next-line no-console -- what is known of the person is still shown, so nobody is told
    console.info(error)
    // While nobody is known the page has nothing to show, so it asks again.
    if (session.status === 'unknown') setTimeout(() => void refetchUser(), askAgainMs)
  }
}

/** Finds out who is signed in: at once from what this device remembers, then from the server. */
export async function resumeSession(): Promise<void> {
  if (isOut()) return
  const remembered = storedUser()
  // Whoever is known already stays the same: to a request under way anything else would look like a change, it would ask
  // again, and two of them would keep each other asking for good.
  const isKnown = session.status === 'in' && JSON.stringify(session.user) === JSON.stringify(remembered)
  if (remembered && !isKnown && localStorage.getItem(tokenKey)) become({ status: 'in', user: remembered })
  await refetchUser()
}

/** Whether this device remembers somebody who was signed in, which only the server can confirm. */
export const remembersUser = (): boolean => storedUser() !== undefined

/**
 * Finds out on a page for visitors whether somebody is signed in already. Nobody is until the server has said so, and a
 * device that remembers nobody asks nothing.
 */
export async function recallSession(): Promise<void> {
  if (session.status === 'unknown' && remembersUser()) await refetchUser()
}

/**
 * Ends the session here at once, since somebody may be about to leave a shared device, and on the server. Until that has
 * answered it is told again, by this page and by every one that is opened later.
 */
export const signOut = (): Promise<void> => (leaving ??= leave())

async function leave(): Promise<void> {
  closeSession()
  localStorage.setItem(leavingKey, 'true')
  try {
    await visitor.call(logout, {})
    localStorage.removeItem(leavingKey)
  } catch {
    setTimeout(finishLeaving, leaveAgainMs)
  } finally {
    leaving = undefined
  }
}

/** Tells the server of a logout that it has not heard. */
function finishLeaving(): void {
  if (isLeaving()) void signOut()
}

/** Somebody signed in, changed or out in another tab is so in this one. */
function followOtherTabs({ key }: StorageEvent): void {
  token = localStorage.getItem(tokenKey) ?? undefined
  if (key !== userKey && key !== null) return
  const user = storedUser()
  become(user ? { status: 'in', user } : { status: 'out' })
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  finishLeaving()
  // For as long as the page stands; added many times it is still called once.
  addEventListener('storage', followOtherTabs)
  return () => listeners.delete(listener)
}

/** Who is signed in; 'unknown' while a page is rendered at build time and until the device has been asked. */
export const useSession = (): Session =>
  useSyncExternalStore(
    subscribe,
    () => session,
    () => unknown,
  )

/** The signed-in person, once known. */
export function useUser(): CurrentUser | undefined {
  const current = useSession()
  return current.status === 'in' ? current.user : undefined
}
