import { createClient, Refused } from '@tern/contract/protocol/client'
import type { CallInput, Endpoint, ExactInput, Reply } from '@tern/contract/protocol/endpoint'
import type { RefusalCode } from '@tern/contract/protocol/refusal'
import { type CurrentUser, currentUser, logout, refreshToken } from '@tern/contract/identity'
import { useSyncExternalStore } from 'react'

export type Session =
  | { readonly status: 'unknown' }
  | { readonly status: 'in'; readonly user: CurrentUser }
  /** `notice`: message shown on /login after the session has ended. */
  | { readonly status: 'out'; readonly notice?: string | undefined }

const tokenKey = 'auth_token'
const userKey = 'current_user'
/** Storage key of the last shown side of the globe, which roughly reveals where the person lives. */
const lastMapKey = 'home_map'
/** Storage key of the unanswered send. */
const pendingTransferKey = 'pendingTransaction'
/** Set while the server has not confirmed a logout. Until it is cleared, this device has no session. */
const logoutKey = 'logout_unheard'
const logoutRetryMs = 5000
const retryMs = 5000
const refreshEarlyMs = 30_000
/** Retries while the same cookie is being exchanged elsewhere, and the pause before each. */
const cookieBusyRetries = 2
const cookieBusyPauseMs = 2000
const lockName = 'tern-session'
/** Time for which a tab announces a replaced token, since other tabs read stored values with a delay. */
const announceMs = 2000
const rereadMs = 20

const unknown: Session = { status: 'unknown' }
let session: Session = unknown
let token: string | undefined
/** Logout request in progress. */
let logoutCall: Promise<void> | undefined
const listeners = new Set<() => void>()

const visitorClient = createClient({ baseUrl: '/api' })
const memberClient = createClient({ baseUrl: '/api', accessToken: currentAccessToken })

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const isRefused = (error: unknown, code: RefusalCode) => error instanceof Refused && error.code === code

function setSession(next: Session): void {
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

/** True if the token can be parsed and does not expire soon. */
function isFresh(candidate: string | null | undefined): candidate is string {
  try {
    const payload = String(candidate).split('.')[1] ?? ''
    const { exp } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')))
    return exp * 1000 - refreshEarlyMs > Date.now()
  } catch {
    return false
  }
}

function storeToken(next: string): string {
  token = next
  localStorage.setItem(tokenKey, next)
  return next
}

function storeUser(user: CurrentUser): void {
  localStorage.setItem(userKey, JSON.stringify(user))
  setSession({ status: 'in', user })
}

/** Opens the session after a login or signup on this device. */
export function openSession(user: CurrentUser, accessToken: string): void {
  localStorage.removeItem(logoutKey)
  storeToken(accessToken)
  storeUser(user)
}

/** Merges changed fields into the signed-in person stored on this device. */
export function mergeUser(part: Partial<CurrentUser>): void {
  if (session.status === 'in') storeUser({ ...session.user, ...part })
}

/** Forgets the session on this device; /login shows the notice. Does not notify the server: `signOut` does. */
export function closeSession(notice?: string): void {
  token = undefined
  localStorage.removeItem(tokenKey)
  localStorage.removeItem(userKey)
  localStorage.removeItem(lastMapKey)
  setSession({ status: 'out', notice })
}

/** Removes unfinished forms and unanswered orders, since the device may be shared. */
function forgetDrafts(): void {
  localStorage.removeItem(pendingTransferKey)
  sessionStorage.clear()
}

const isLoggingOut = () => localStorage.getItem(logoutKey)
const isSignedOut = () => session.status === 'out' || isLoggingOut()

async function exchangeCookie(): Promise<string> {
  for (let repeats = 0; ; repeats += 1) {
    try {
      return (await visitorClient.call(refreshToken, {})).access_token
    } catch (error) {
      if (!isRefused(error, 'request_in_progress') || repeats === cookieBusyRetries) throw error
      await pause(cookieBusyPauseMs)
    }
  }
}

/**
 * Exchanges the refresh cookie for a new access token. The cookie is valid for one use, so tabs take turns; the second
 * one uses the token of the first. While the token of the first cannot be read yet, a lock announces it: unlike
 * storage, locks are seen by all tabs in the order they were taken. Returns undefined after a logout, confirmed by the
 * server or not, and when the cookie is no longer valid; then the session is closed.
 */
async function renewToken(usedToken: string | undefined): Promise<string | undefined> {
  const replacedLock = `${lockName} ${usedToken}`
  const isReplaced = () => navigator.locks.request(replacedLock, { ifAvailable: true }, (lock) => !lock)
  const readNewToken = () => {
    const storedToken = localStorage.getItem(tokenKey)
    return storedToken !== usedToken && isFresh(storedToken) ? storedToken : undefined
  }
  return navigator.locks.request(lockName, async () => {
    while (!readNewToken() && (await isReplaced())) await pause(rereadMs)
    if (isSignedOut()) return undefined
    try {
      let next = readNewToken()
      if (!next) {
        next = await exchangeCookie()
        await new Promise<void>(
          (resolve) => void navigator.locks.request(replacedLock, () => (resolve(), pause(announceMs))),
        )
      }
      // The person may have logged out before the reply arrived.
      return isSignedOut() ? undefined : storeToken(next)
    } catch (error) {
      if (!isRefused(error, 'unauthenticated')) throw error
      closeSession()
      return undefined
    }
  })
}

/** Access token, renewed if it is about to expire; undefined without a session. Throws if the renewal fails. */
export async function currentAccessToken(): Promise<string | undefined> {
  token ??= localStorage.getItem(tokenKey) ?? undefined
  return isFresh(token) ? token : renewToken(token)
}

/**
 * Calls the API as the signed-in person. Renews a rejected token once; if the refresh cookie is rejected too, the
 * session ends, and every page of the app redirects to /login. Throws `Refused` or `Unreachable` of the contract's
 * client.
 */
export async function callApi<E extends Endpoint, I extends CallInput<E>>(
  endpoint: E,
  input: I & ExactInput<E, I>,
  signal?: AbortSignal,
): Promise<Reply<E>> {
  try {
    return await memberClient.call(endpoint, input, signal)
  } catch (error) {
    // Reloads the user, whose blocks on money are shown above every page.
    if (isRefused(error, 'loss_open') || isRefused(error, 'account_frozen')) void refetchUser()
    if (!isRefused(error, 'unauthenticated') || !(await renewToken(token))) throw error
    return memberClient.call(endpoint, input, signal)
  }
}

/**
 * Calls the API as a visitor: login, signup, prices. Waits for a logout in progress, which would end the new session.
 */
export async function callAsVisitor<E extends Endpoint, I extends CallInput<E>>(
  endpoint: E,
  input: I & ExactInput<E, I>,
  signal?: AbortSignal,
): Promise<Reply<E>> {
  await logoutCall
  return visitorClient.call(endpoint, input, signal)
}

/** Reloads the signed-in person. A failure changes nothing unless it shows that the session has ended. */
export async function refetchUser(): Promise<void> {
  const initialSession = session
  try {
    const user = await callApi(currentUser, {})
    // The session may have ended or changed before the reply arrived.
    if (session !== initialSession) return await resumeSession()
    storeUser(user)
  } catch (error) {
    if (isRefused(error, 'unauthenticated')) return closeSession()
    // A missing reply says nothing about the session: the page keeps the cached user, and its own requests report
    // errors.
    // oxlint-disable-next-line no-console -- the cached user is still shown, so the failure is only logged
    console.info(error)
    // Without a cached user the page has nothing to show, so it retries.
    if (session.status === 'unknown') setTimeout(() => void refetchUser(), retryMs)
  }
}

/** Determines the session: at once from the data on this device, then from the server. */
export async function resumeSession(): Promise<void> {
  if (isSignedOut()) return
  const cachedUser = storedUser()
  // An unchanged session must stay the same object: a request in progress would treat another object as a change and
  // reload, and two such requests would trigger each other forever.
  const isKnown = session.status === 'in' && JSON.stringify(session.user) === JSON.stringify(cachedUser)
  if (cachedUser && !isKnown && localStorage.getItem(tokenKey)) setSession({ status: 'in', user: cachedUser })
  await refetchUser()
}

/** True if this device has cached a signed-in person, whom only the server can confirm. */
export const hasCachedUser = (): boolean => storedUser() !== undefined

/**
 * Checks for a session on a page for visitors. Without a cached person no request is sent; otherwise the session counts
 * only once the server has confirmed it.
 */
export async function recallSession(): Promise<void> {
  if (session.status === 'unknown' && hasCachedUser()) await refetchUser()
}

/**
 * Ends the session here at once, since the device may be shared, and on the server. Until the server answers, this page
 * and every page opened later repeat the request.
 */
export const signOut = (): Promise<void> => (logoutCall ??= endSession())

async function endSession(): Promise<void> {
  closeSession()
  forgetDrafts()
  localStorage.setItem(logoutKey, 'true')
  try {
    await visitorClient.call(logout, {})
    localStorage.removeItem(logoutKey)
  } catch {
    setTimeout(retryLogout, logoutRetryMs)
  } finally {
    logoutCall = undefined
  }
}

/** Repeats a logout that the server has not confirmed. */
function retryLogout(): void {
  if (isLoggingOut()) void signOut()
}

/** Applies a login, change or logout of another tab. */
function followOtherTabs({ key }: StorageEvent): void {
  token = localStorage.getItem(tokenKey) ?? undefined
  if (key === logoutKey && isLoggingOut()) forgetDrafts()
  if (key !== userKey && key !== null) return
  const user = storedUser()
  setSession(user ? { status: 'in', user } : { status: 'out' })
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  retryLogout()
  // Never removed; adding the same listener again has no effect.
  addEventListener('storage', followOtherTabs)
  return () => listeners.delete(listener)
}

/** The session; 'unknown' while a page is rendered at build time and until the device has been checked. */
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
