import { pages, pathsWithAccess } from '@tern/contract/pages'
import { type BrowserContext, expect, type Page } from '@playwright/test'

/** The widths every page is made for: a phone, a tablet, a desktop. */
export const widths = [390, 768, 1440] as const
export const themes = ['light', 'dark'] as const
/** Pages that show something to somebody who is not signed in; /register and the way back from a provider lead on at once. */
export const visitorPages = Object.values(pages)
  .filter(({ access }) => access !== 'member')
  .map(({ path }): string => path)
  .filter((path) => path !== pages.register.path && path !== pages.authCallback.path)
export const memberPages = pathsWithAccess('member')

/** The address of the product under test. */
export const productUrl = (): string => process.env.E2E_URL ?? ''

/** Gives an email and a password on /login; whether they are accepted is not looked at. */
export async function logIn(page: Page, account: { email: string; password: string }): Promise<void> {
  await page.goto('/login')
  await page.getByLabel('Email address *').fill(account.email)
  await page.getByRole('button', { name: 'Continue with Email' }).click()
  await page.getByLabel('Password', { exact: true }).fill(account.password)
  await page.getByRole('button', { name: 'Log In' }).click()
}

/** Logs in by the page itself. */
export async function signIn(page: Page, account: { email: string; password: string }): Promise<void> {
  await logIn(page, account)
  await expect(page).toHaveURL(/\/dashboard/)
}

/** Signs in without the page, by the cookie that the API sets: for journeys that begin behind the login. */
export async function enter(page: Page, account: { email: string; password: string }): Promise<void> {
  const { email, password } = account
  const reply = await page.request.post('/api/user/login', {
    headers: { origin: productUrl() },
    data: { email, password },
  })
  expect(reply.status()).toBe(200)
}

/** The script that makes a built page answer does not come until what this gives is called. */
export async function holdScript(page: Page): Promise<() => void> {
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/assets/entry.client-*.js', async (route) => {
    await isReleased
    await route.continue()
  })
  return release
}

/** Waits until a page shows what it has loaded and nothing moves any more. */
export async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('load')
  // The gallery shows what loading looks like, for good.
  if (!page.url().endsWith('/gallery')) await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  await page.waitForTimeout(400)
}

/** A device of the browser that makes passkeys and answers with them by itself. */
export async function withAuthenticator(context: BrowserContext, page: Page): Promise<void> {
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
