import { currentUser } from '@tern/contract/identity'
import { login } from '@tern/contract/sign-in'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

const user = { id: 1234567897, email: 'ines@example.com', username: 'ines', name: null }

/** Token that expires in `seconds`. */
const buildToken = (name: string, seconds: number): string => {
  const payload = btoa(JSON.stringify({ sub: name, exp: Math.floor(Date.now() / 1000) + seconds }))
  return `header.${payload}.${name}`
}

const unauthenticated = () =>
  Response.json({ code: 'unauthenticated', detail: 'Please log in.', status: 401 }, { status: 401 })

type RespondTo = (authorization: string | null) => Response | Promise<Response>

let storedValues: Map<string, string>
/** Values of the tab. */
let tabValues: Map<string, string>
let requests: string[]
let answers: Record<string, RespondTo>

/** A browser tab: its own memory, the shared storage and cookie. */
async function openTab() {
  vi.resetModules()
  return import('./session.ts')
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Browser locks: requests for one name take turns; those with options get null while the name is held. */
function createLocks() {
  const queues = new Map<string, Promise<unknown>[]>()
  return {
    request: async (name: string, ...rest: unknown[]) => {
      const run = rest.at(-1) as (lock: object | null) => Promise<unknown>
      const queue = queues.get(name) ?? []
      queues.set(name, queue)
      if (rest.length > 1 && queue.length > 0) return run(null)
      const previousLocks = Promise.allSettled(queue).then(() => run({}))
      queue.push(previousLocks)
      return previousLocks.finally(() => queue.splice(queue.indexOf(previousLocks), 1))
    },
  }
}

beforeEach(() => {
  storedValues = new Map()
  tabValues = new Map()
  requests = []
  answers = {}
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => storedValues.get(key) ?? null,
    setItem: (key: string, value: string) => storedValues.set(key, value),
    removeItem: (key: string) => storedValues.delete(key),
  })
  vi.stubGlobal('sessionStorage', { clear: () => tabValues.clear() })
  vi.stubGlobal('navigator', { locks: createLocks() })
  vi.stubGlobal('fetch', async (address: string, init: RequestInit) => {
    requests.push(address)
    return answers[address]?.(new Headers(init.headers).get('authorization')) ?? new Response('', { status: 500 })
  })
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('the session of one browser', () => {
  test('a fresh token is used as it is', async () => {
    const tab = await openTab()
    tab.openSession(user as never, buildToken('a', 300))
    answers['/api/user/user'] = (authorization) => Response.json({ ...user, seen: authorization })
    expect(await tab.callApi(currentUser, {})).toMatchObject({ seen: `Bearer ${storedValues.get('auth_token')}` })
    expect(requests).toEqual(['/api/user/user'])
  })

  test('a token about to end is renewed first, once for all calls and tabs', async () => {
    const [firstTab, secondTab] = [await openTab(), await openTab()]
    storedValues.set('auth_token', buildToken('old', 5))
    const renewedToken = buildToken('new', 300)
    answers['/api/auth/token'] = () => Response.json({ access_token: renewedToken })
    answers['/api/user/user'] = (authorization) =>
      authorization === `Bearer ${renewedToken}` ? Response.json(user) : unauthenticated()
    await Promise.all([
      firstTab.callApi(currentUser, {}),
      firstTab.callApi(currentUser, {}),
      secondTab.callApi(currentUser, {}),
    ])
    expect(requests.filter((address) => address === '/api/auth/token')).toHaveLength(1)
    expect(storedValues.get('auth_token')).toBe(renewedToken)
  })

  test.each([
    ['asks while it is being renewed', 0],
    ['asks when it has been renewed', 40],
  ])('a token renewed by another tab is found by one that %s, even if it becomes readable later', async (_, ms) => {
    vi.useFakeTimers()
    const [firstTab, secondTab] = [await openTab(), await openTab()]
    storedValues.set('auth_token', buildToken('old', 5))
    vi.spyOn(localStorage, 'setItem').mockImplementation(
      (key, value) => void pause(700).then(() => storedValues.set(key, value)),
    )
    const renewedToken = buildToken('new', 300)
    answers['/api/auth/token'] = () => pause(30).then(() => Response.json({ access_token: renewedToken }))
    answers['/api/user/user'] = () => Response.json(user)
    const pendingCall = Promise.all([
      firstTab.callApi(currentUser, {}),
      pause(ms).then(() => secondTab.callApi(currentUser, {})),
    ])
    await vi.advanceTimersByTimeAsync(1000)
    await pendingCall
    expect(requests.filter((address) => address === '/api/auth/token')).toHaveLength(1)
  })

  test('a token renewed by another tab that never arrives is renewed again', async () => {
    vi.useFakeTimers()
    const [firstTab, secondTab] = [await openTab(), await openTab()]
    storedValues.set('auth_token', buildToken('old', 5))
    vi.spyOn(localStorage, 'setItem').mockImplementation(() => undefined)
    answers['/api/auth/token'] = () => Response.json({ access_token: buildToken('new', 300) })
    answers['/api/user/user'] = () => Response.json(user)
    const pendingCall = Promise.all([firstTab.callApi(currentUser, {}), secondTab.callApi(currentUser, {})])
    await vi.advanceTimersByTimeAsync(3000)
    await pendingCall
    expect(requests.filter((address) => address === '/api/auth/token')).toHaveLength(2)
  })

  test('a token the server refuses is renewed and the call made again', async () => {
    const tab = await openTab()
    tab.openSession(user as never, buildToken('revoked', 300))
    const renewedToken = buildToken('new', 300)
    answers['/api/auth/token'] = () => Response.json({ access_token: renewedToken })
    answers['/api/user/user'] = (authorization) =>
      authorization === `Bearer ${renewedToken}` ? Response.json(user) : unauthenticated()
    expect(await tab.callApi(currentUser, {})).toEqual(user)
  })

  test('a refresh is retried while another tab is refreshing', async () => {
    vi.useFakeTimers()
    const tab = await openTab()
    storedValues.set('auth_token', buildToken('old', 5))
    const busyRefusal = { code: 'request_in_progress', detail: 'The same request is still running.', status: 409 }
    const replies = [
      Response.json(busyRefusal, { status: 409 }),
      Response.json({ access_token: buildToken('new', 300) }),
    ]
    answers['/api/auth/token'] = () => replies.shift() as Response
    answers['/api/user/user'] = () => Response.json(user)
    const pendingCall = tab.callApi(currentUser, {})
    await vi.advanceTimersByTimeAsync(2000)
    expect(await pendingCall).toEqual(user)
    expect(requests.filter((address) => address === '/api/auth/token')).toHaveLength(2)
  })

  test('an invalid cookie clears the session completely', async () => {
    const tab = await openTab()
    tab.openSession(user as never, buildToken('revoked', 300))
    answers['/api/auth/token'] = unauthenticated
    answers['/api/user/user'] = unauthenticated
    await expect(tab.callApi(currentUser, {})).rejects.toMatchObject({ status: 401 })
    expect([...storedValues.keys()]).toEqual([])
  })

  test('an unanswered refresh does not end the session', async () => {
    const tab = await openTab()
    tab.openSession(user as never, buildToken('old', 5))
    await expect(tab.callApi(currentUser, {})).rejects.toThrow('Network error')
    expect(storedValues.has('auth_token')).toBe(true)
    expect(storedValues.has('current_user')).toBe(true)
  })

  test('logging out clears everything at once, and notifies the server', async () => {
    const tab = await openTab()
    tab.openSession(user as never, buildToken('a', 300))
    answers['/api/user/logout'] = () => new Response(null, { status: 204 })
    storedValues.set('pendingTransaction', '{"amount":"20"}')
    tabValues.set('verificationDraft', '{"firstName":"Ines"}')
    const signOutCall = tab.signOut()
    expect([storedValues.has('auth_token'), storedValues.has('current_user')]).toEqual([false, false])
    expect([storedValues.has('pendingTransaction'), tabValues.size]).toEqual([false, 0])
    await signOutCall
    expect([...storedValues.keys()]).toEqual([])
    expect(requests).toEqual(['/api/user/logout'])
  })

  test('a session that ends without a logout keeps the unanswered order and drafts of its person', async () => {
    const tab = await openTab()
    tab.openSession(user as never, buildToken('a', 300))
    storedValues.set('pendingTransaction', '{"amount":"20"}')
    tabValues.set('verificationDraft', '{"firstName":"Ines"}')
    tab.closeSession()
    expect([storedValues.has('pendingTransaction'), tabValues.size]).toEqual([true, 1])
  })

  test('a logout that did not reach the server keeps the device signed out, and is retried until it does', async () => {
    vi.useFakeTimers()
    const tab = await openTab()
    tab.openSession(user as never, buildToken('a', 300))
    await tab.signOut()
    expect([storedValues.has('auth_token'), storedValues.has('current_user')]).toEqual([false, false])

    // The cookie is still valid, but is not exchanged, in this page or in one opened later.
    answers['/api/auth/token'] = () => Response.json({ access_token: buildToken('back', 300) })
    answers['/api/user/user'] = (authorization) => (authorization ? Response.json(user) : unauthenticated())
    const laterTab = await openTab()
    for (const page of [tab, laterTab]) {
      await page.resumeSession()
      await expect(page.callApi(currentUser, {})).rejects.toMatchObject({ status: 401 })
    }
    expect(requests).not.toContain('/api/auth/token')

    const countLogouts = () => requests.filter((address) => address === '/api/user/logout').length
    await vi.advanceTimersByTimeAsync(5000)
    expect(countLogouts()).toBe(2)
    answers['/api/user/logout'] = () => new Response(null, { status: 204 })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(countLogouts()).toBe(3)
    expect([...storedValues.keys()]).toEqual([])
  })

  test('a sign-in meanwhile stays signed in: the logout ends first, and is not retried', async () => {
    vi.useFakeTimers()
    const tab = await openTab()
    tab.openSession(user as never, buildToken('a', 300))
    const logoutReply = Promise.withResolvers<Response>()
    answers['/api/user/logout'] = () => logoutReply.promise
    answers['/api/user/login'] = () => Response.json({ access_token: buildToken('b', 300), user })
    const signOutCall = tab.signOut()
    const loginCall = tab.callAsVisitor(login, { body: { email: user.email, password: 'x' } })
    await vi.advanceTimersByTimeAsync(1000)
    expect(requests).toEqual(['/api/user/logout'])
    logoutReply.resolve(new Response('', { status: 500 }))
    await loginCall
    tab.openSession(user as never, buildToken('b', 300))
    await signOutCall
    await vi.advanceTimersByTimeAsync(60_000)
    expect(requests).toEqual(['/api/user/logout', '/api/user/login'])
    expect(storedValues.has('auth_token')).toBe(true)
  })

  test('a token that arrives after logging out is discarded', async () => {
    const tab = await openTab()
    tab.openSession(user as never, buildToken('old', 5))
    answers['/api/user/logout'] = () => new Response(null, { status: 204 })
    answers['/api/auth/token'] = () => {
      void tab.signOut()
      return Response.json({ access_token: buildToken('new', 300) })
    }
    answers['/api/user/user'] = unauthenticated
    await expect(tab.callApi(currentUser, {})).rejects.toMatchObject({ status: 401 })
    await expect.poll(() => [...storedValues.keys()]).toEqual([])
  })

  test('changes to the user are merged into the cached user', async () => {
    const tab = await openTab()
    tab.mergeUser({ name: 'Nobody' })
    expect(storedValues.size).toBe(0)
    tab.openSession(user as never, buildToken('a', 300))
    tab.mergeUser({ name: 'Ines Carvalho' })
    expect(JSON.parse(storedValues.get('current_user') ?? '')).toEqual({ ...user, name: 'Ines Carvalho' })
  })

  test('the user is reloaded; a failure is only logged', async () => {
    const log = vi.spyOn(console, 'info').mockReturnValue()
    const tab = await openTab()
    tab.openSession(user as never, buildToken('a', 300))
    answers['/api/user/user'] = () => Response.json({ ...user, name: 'New Name' })
    await tab.refetchUser()
    expect(storedValues.get('current_user')).toContain('New Name')
    answers['/api/user/user'] = () => new Response('', { status: 500 })
    await tab.refetchUser()
    expect(storedValues.get('current_user')).toContain('New Name')
    expect(log).toHaveBeenCalledOnce()
  })

  test('a device without a cached user polls until the server answers', async () => {
    vi.useFakeTimers()
    vi.spyOn(console, 'info').mockReturnValue()
    const tab = await openTab()
    answers['/api/auth/token'] = () => new Response('', { status: 500 })
    await tab.resumeSession()
    await vi.advanceTimersByTimeAsync(5000)
    expect(storedValues.size).toBe(0)
    answers['/api/auth/token'] = () => Response.json({ access_token: buildToken('a', 300) })
    answers['/api/user/user'] = () => Response.json(user)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(storedValues.get('current_user')).toContain('ines')
    expect(requests.filter((address) => address === '/api/user/user')).toHaveLength(1)
  })

  test('an answer from before a change does not undo it: the user is loaded once more', async () => {
    const tab = await openTab()
    tab.openSession(user as never, buildToken('a', 300))
    answers['/api/user/user'] = () => {
      answers['/api/user/user'] = () => Response.json({ ...user, name: 'Ines Carvalho', email_verified: true })
      tab.mergeUser({ name: 'Ines Carvalho' })
      return Response.json(user)
    }
    await tab.refetchUser()
    expect(JSON.parse(storedValues.get('current_user') ?? '')).toMatchObject({
      name: 'Ines Carvalho',
      email_verified: true,
    })
    expect(requests).toHaveLength(2)
  })

  test('an answer that arrives after logging out restores no user', async () => {
    const tab = await openTab()
    tab.openSession(user as never, buildToken('a', 300))
    answers['/api/user/user'] = () => {
      tab.closeSession()
      return Response.json(user)
    }
    await tab.refetchUser()
    expect([...storedValues.keys()]).toEqual([])
  })

  test('a request during another one still loads the user', async () => {
    const tab = await openTab()
    tab.openSession(user as never, buildToken('a', 300))
    answers['/api/user/user'] = () => pause(20).then(() => Response.json({ ...user, name: 'Ines' }))
    await Promise.all([tab.resumeSession(), pause(10).then(() => tab.resumeSession())])
    expect(JSON.parse(storedValues.get('current_user') ?? '{}')).toMatchObject({ name: 'Ines' })
    expect(requests.length).toBeLessThan(5)
  })
})
