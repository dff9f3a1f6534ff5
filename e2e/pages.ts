import { pages, listPathsByAccess } from '@tern/contract/pages'
import { type BrowserContext, expect, type Page } from '@playwright/test'

/** Tested widths in pixels: phone, tablet, desktop. */
export const widths = [390, 768, 1440] as const
export const themes = ['light', 'dark'] as const
/** Pages with content for visitors; excludes /register and the return from a provider, which redirect at once. */
export const visitorPages = Object.values(pages)
  .map(({ path }): string => path)
  .filter((path) => !listPathsByAccess('member').includes(path))
  .filter((path) => path !== pages.register.path && path !== pages.authCallback.path)
export const memberPages = listPathsByAccess('member')

export const productUrl = (): string => process.env.E2E_URL ?? ''

/** Submits the login form without checking the result. */
export async function logIn(page: Page, account: { email: string; password: string }): Promise<void> {
  await page.goto('/login')
  await page.getByLabel('Email address *').fill(account.email)
  await page.getByRole('button', { name: 'Continue with Email' }).click()
  await page.getByLabel('Password', { exact: true }).fill(account.password)
  await page.getByRole('button', { name: 'Log In' }).click()
}

/** Logs in through the page and waits for the dashboard. */
export async function signIn(page: Page, account: { email: string; password: string }): Promise<void> {
  await logIn(page, account)
  await expect(page).toHaveURL(/\/dashboard/)
}

/** Signs in by the API's cookie, without opening a page. */
export async function signInThroughApi(page: Page, account: { email: string; password: string }): Promise<void> {
  const { email, password } = account
  const reply = await page.request.post('/api/user/login', {
    headers: { origin: productUrl() },
    data: { email, password },
  })
  expect(reply.status()).toBe(200)
}

/** Clears the browser's session on a page without script, so that no request is in flight. */
export async function clearSession(page: Page, cookies?: { name: string }): Promise<void> {
  await page.goto(new URL('/terms', page.url()).href)
  await page.context().clearCookies(cookies)
  await page.evaluate('localStorage.clear()')
}

/** Delays the page's script until the returned function is called. */
export async function delayScript(page: Page): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/assets/entry.client-*.js', async (route) => {
    await released
    await route.continue()
  })
  return release
}

// Waits for an idle main thread, for at most a second, and resolves with true if the page is hydrated and no animation
// runs. A page whose texts changed before hydration is hydrated only once React has rendered it again.
const stillScript = `new Promise((resolve) => requestIdleCallback(() => {
  const isHydrated = !('releasePress' in window)
  const moves = document.querySelector('[data-starting-style], [data-ending-style]') !== null
    || document.getAnimations().some(({ playState }) => playState === 'running')
  resolve(isHydrated && !moves)
}, { timeout: 1000 }))`

/** Waits until a page is hydrated and nothing moves. */
export async function waitUntilStill(page: Page): Promise<void> {
  const options = { message: 'nothing moves any more', intervals: [20, 50, 100] }
  await expect.poll(() => page.evaluate<boolean>(stillScript), options).toBe(true)
}

/** Waits until a page has loaded and nothing moves. */
export async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('load')
  await waitUntilStill(page)
  // The gallery shows loading states permanently.
  if (!page.url().endsWith('/gallery')) await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  await waitUntilStill(page)
}

/** Adds a virtual authenticator that answers automatically. */
export async function addAuthenticator(context: BrowserContext, page: Page): Promise<void> {
  const cdp = await context.newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}
