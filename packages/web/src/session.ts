import { createClient, Refused } from '@tern/contract/client'
import type { CallInput, Endpoint, Reply } from '@tern/contract/endpoint'
import { type CurrentUser, currentUser, logout, refreshToken } from '@tern/contract/identity'
import { useSyncExternalStore } from 'react'

export type Session =
  | { readonly status: 'unknown' }
  | { readonly status: 'in'; readonly user: CurrentUser }
  | { readonly status: 'out' }

const tokenKey = 'auth_token'
const userKey = 'current_user'
const refreshEarlyMs = 30_000
/** Pauses before asking again while the same cookie is being exchanged elsewhere. */
const cookieBusyPausesMs = [2000, 2000]

const unknown: Session = { status: 'unknown' }
let session: Session = unknown
let token: string | undefined
const listeners = new Set<() => void>()

const visitor = createClient({ baseUrl: '/api' })
const member = createClient({ baseUrl: '/api', accessToken })

function become(next: Session): void {
  session = next
  for (const listener of listeners) listener()
}

function storedUser(): CurrentUser | undefined {
  try {
    return JSON.parse(localStorage.getItem(userKey) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

/** When an access token ends, in milliseconds since 1970; 0 when it cannot be read. */
function endOf(accessToken: string): number {
  try {
    const payload = accessToken.split('.')[1] ?? ''
    return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))).exp * 1000
  } catch {
    return 0
  }
}

const isFresh = (candidate: string | null | undefined): candidate is string =>
  Boolean(candidate) && endOf(candidate as string) - refreshEarlyMs > Date.now()

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
  keepToken(accessTokenOfUser)
  keepUser(user)
}

/** Puts what has changed of the signed-in person into what this device remembers of them. */
export function mergeUser(part: Partial<CurrentUser>): void {
  if (session.status === 'in') keepUser({ ...session.user, ...part })
}

/** Forgets who was signed in here. Does not tell the server: `signOut` does. */
export function closeSession(): void {
  token = undefined
  localStorage.removeItem(tokenKey)
  localStorage.removeItem(userKey)
  become({ status: 'out' })
}

async function exchangeCookie(): Promise<string> {
  for (const pauseMs of cookieBusyPausesMs) {
    try {
      return (await visitor.call(refreshToken, {})).access_token
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== 'request_in_progress') throw error
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
  return (await visitor.call(refreshToken, {})).access_token
}

/**
 * Exchanges the refresh cookie for a new access token. The cookie is good for one use, so tabs take turns; the one that
 * comes second finds the token of the first. Gives undefined, and closes the session, when the cookie is no longer good.
 */
const renewToken = (spent: string | undefined): Promise<string | undefined> =>
  navigator.locks.request('tern-session', async () => {
    const stored = localStorage.getItem(tokenKey)
    if (stored !== spent && isFresh(stored)) return keepToken(stored)
    try {
      return keepToken(await exchangeCookie())
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 401) throw error
      closeSession()
      return undefined
    }
  })

async function accessToken(): Promise<string | undefined> {
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
    if (!(error instanceof Refused) || error.status !== 401 || error.code !== 'unauthenticated') throw error
    if (session.status === 'out' || !(await renewToken(token))) throw error
    return member.call(endpoint, input, signal)
  }
}

/** Calls the API as a visitor: signing in, signing up, prices. */
export const callAsVisitor = visitor.call

/** A token for calls that are made without the client, such as reading the event stream. */
export const currentAccessToken = accessToken

/** Reads the signed-in person anew. When that fails nothing changes, unless the session turns out to be over. */
export async function refetchUser(): Promise<void> {
  const before = session
  try {
    const user = await callApi(currentUser, {})
    // Somebody may have logged out, or changed something, while the answer was on its way.
    if (session !== before) return await resumeSession()
    keepUser(user)
  } catch (error) {
    if (error instanceof Refused && error.status === 401) return closeSession()
    // No answer says nothing about the session: the page goes on with the person this device remembers, and its own
    // requests say what is wrong.
    // oxlint-disable-next-line no-console -- what is known of the person is still shown, so nobody is told
    console.info(error)
  }
}

/** Finds out who is signed in: at once from what this device remembers, then from the server. */
export async function resumeSession(): Promise<void> {
  if (session.status === 'out') return
  const remembered = storedUser()
  if (remembered && localStorage.getItem(tokenKey)) become({ status: 'in', user: remembered })
  await refetchUser()
}

/** Ends the session on the server, then here; here in any case, since somebody may be about to leave a shared device. */
export async function signOut(): Promise<void> {
  try {
    await callAsVisitor(logout, {})
  } catch {
    // The server could not be asked; its session ends by itself when its time is over.
  } finally {
    closeSession()
  }
}

/** Somebody signed in, changed or out in another tab is so in this one. */
function followOtherTabs({ key, newValue }: StorageEvent): void {
  if (key === tokenKey || key === null) token = newValue ?? undefined
  if (key !== userKey && key !== null) return
  const user = storedUser()
  become(user ? { status: 'in', user } : { status: 'out' })
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  // Added many times it is still called once.
  addEventListener('storage', followOtherTabs)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) removeEventListener('storage', followOtherTabs)
  }
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
