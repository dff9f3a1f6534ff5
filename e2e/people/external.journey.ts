import { randomBytes } from 'node:crypto'
import { expect, type Page, test } from '@playwright/test'
import { choosePort } from '../../packages/server/src/platform/database/embedded-postgres.ts'
import { startTestOidcProvider, testClientId, type TestOidcProvider } from '@tern/testkit/providers/oidc-provider'
import { enroll } from '@tern/testkit/people'
import { startTestProduct, type TestProduct } from '@tern/testkit/product'
import { clearSession, productUrl } from '../pages.ts'
import { expectAccessible, collectPageErrors } from '../page-checks.ts'

const newEmail = (name: string) => `${name}.${randomBytes(4).toString('hex')}@mail.example`

async function openPopup(page: Page, button: string): Promise<Page> {
  const popupOpened = page.waitForEvent('popup')
  await page.getByRole('button', { name: button, exact: true }).click()
  return popupOpened
}

/** Continues in the sandbox's chooser with an account entered by email. */
async function chooseOtherAccount(chooser: Page, email: string): Promise<void> {
  await expect(chooser.getByRole('heading', { name: 'Choose an account' })).toBeVisible()
  const field = chooser.getByLabel('Email')
  if (!(await field.isVisible())) await chooser.getByText('Use another account').click()
  await field.fill(email)
  await chooser.getByLabel('Name', { exact: true }).fill('Noor Haddad')
  await chooser.getByRole('button', { name: 'Continue' }).click()
}

const continueWithEmail = async (page: Page, email: string) => {
  await page.getByLabel('Email address *').fill(email)
  await page.getByRole('button', { name: 'Continue with Email' }).click()
}

async function logIn(page: Page, password: string): Promise<void> {
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Log In' }).click()
  await expect(page).toHaveURL(/\/dashboard/)
}

/** Script that delays the popup's message by two seconds, as in a busy tab. */
const delayMessagesScript = `
  const listen = EventTarget.prototype.addEventListener
  BroadcastChannel.prototype.addEventListener = function (type, hear, options) {
    listen.call(this, type, (event) => setTimeout(() => hear(event), 2000), options)
  }`

test('Google signs someone up in a popup, and in afterwards', async ({ page }) => {
  await page.addInitScript(delayMessagesScript)
  const email = newEmail('noor')
  const pageErrors = collectPageErrors(page)
  await page.goto('/signup')
  const popup = await openPopup(page, 'Continue with Google')
  const popupPageErrors = collectPageErrors(popup)
  await expect(popup.getByText('Tern Sandbox stands in for Google here.')).toBeVisible()
  await expectAccessible(popup)
  const popupClosed = popup.waitForEvent('close')
  await chooseOtherAccount(popup, email)
  await popupClosed
  await expect(page).toHaveURL(/\/register/)

  await clearSession(page)
  await page.goto('/login')
  const secondPopup = await openPopup(page, 'Sign in with Google')
  const secondPopupClosed = secondPopup.waitForEvent('close')
  await chooseOtherAccount(secondPopup, email)
  await expect(page).toHaveURL(/\/dashboard/)
  await secondPopupClosed
  expect([...pageErrors, ...popupPageErrors]).toEqual([])
})

test('a popup whose tab was closed continues by itself', async ({ page }) => {
  await page.goto('/signup')
  const popup = await openPopup(page, 'Continue with Google')
  const pageErrors = collectPageErrors(popup)
  await expect(popup.getByRole('heading', { name: 'Choose an account' })).toBeVisible()
  await page.close()
  await chooseOtherAccount(popup, newEmail('alone'))
  await expect(popup).toHaveURL(/\/register/)
  expect(pageErrors).toEqual([])
})

test('with popups blocked the whole page goes to Google and back', async ({ page }) => {
  await page.addInitScript('window.open = () => null')
  const pageErrors = collectPageErrors(page)
  await page.goto('/signup')
  await page.getByRole('button', { name: 'Continue with Google' }).click()
  await chooseOtherAccount(page, newEmail('blocked'))
  await expect(page).toHaveURL(/\/register/)
  expect(pageErrors).toEqual([])
})

test('canceling at Google shows a message and allows a retry', async ({ page }) => {
  const pageErrors = collectPageErrors(page, /status of 403/)
  await page.goto('/login')
  const popup = await openPopup(page, 'Sign in with Google')
  await popup.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByText("The provider didn't log you in.")).toBeVisible()
  const secondPopup = await openPopup(page, 'Sign in with Google')
  await chooseOtherAccount(secondPopup, newEmail('unresolved'))
  await expect(page).toHaveURL(/\/register/)
  expect(pageErrors).toEqual([])
})

test('an account with the same email signs in first, and is then connected', async ({ page }) => {
  const person = await enroll(productUrl(), 'petra', 'Germany')
  const pageErrors = collectPageErrors(page, /status of 409/)
  await page.goto('/login')
  await chooseOtherAccount(await openPopup(page, 'Sign in with Google'), person.email)
  await expect(page.getByText('An account with this email already exists.', { exact: false })).toBeVisible()
  await expect(page).toHaveURL(/\/login/)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Continue with Email' }).click()
  await logIn(page, person.password)
  await expect(page).toHaveURL(/\/dashboard/)

  await clearSession(page)
  await page.goto('/login')
  await chooseOtherAccount(await openPopup(page, 'Sign in with Google'), person.email)
  await expect(page).toHaveURL(/\/dashboard/)
  expect(pageErrors).toEqual([])
})

test.describe('a custom provider', () => {
  test.describe.configure({ mode: 'serial' })
  let ownProduct: TestProduct
  let port: number
  let provider: TestOidcProvider | undefined

  test.beforeAll(async () => {
    port = await choosePort()
    // The second test starts the provider.
    ownProduct = await startTestProduct({ OIDC_ISSUER: `http://localhost:${port}`, OIDC_CLIENT_ID: testClientId })
  })

  test.afterAll(async () => {
    await provider?.stop()
    await ownProduct.remove()
  })

  const buildUrl = (path: string) => new URL(path, ownProduct.product.url).href

  test('that does not answer leaves the password working', async ({ page }) => {
    const person = await enroll(ownProduct.product.url, 'rosa', 'Germany', { database: ownProduct.product.databaseUrl })
    const pageErrors = collectPageErrors(page, /status of 503/)
    const sentence = "The login provider isn't responding right now. Please use your password, or try again later."
    await page.goto(buildUrl('/login'))
    await page.getByRole('button', { name: 'Sign in with Google' }).click()
    await expect(page.getByText(sentence)).toBeVisible()
    await continueWithEmail(page, person.email)
    await expect(page.getByText(sentence)).toBeVisible()
    await expectAccessible(page)
    await logIn(page, person.password)
    expect(pageErrors).toEqual([])
  })

  test("is reached by email and by Google, with the page's hints", async ({ page }) => {
    provider = await startTestOidcProvider({ redirectUri: buildUrl('/auth/callback'), port })
    const email = newEmail('noor')
    provider.people.set('noor', { email, email_verified: true, name: 'Noor Haddad' })
    // 401: the login page checks whether the remembered user is still signed in.
    const pageErrors = collectPageErrors(page, /status of 4(01|09)/)

    await page.goto(buildUrl('/signup'))
    await page.getByLabel('Email address *').fill(email)
    const signup = await openPopup(page, 'Sign up with Email')
    await signup.getByRole('button', { name: 'noor' }).click()
    await expect(page).toHaveURL(/\/register/)

    await clearSession(page)
    await page.goto(buildUrl('/login'))
    await page.getByLabel('Email address *').fill(email)
    const loginPopup = await openPopup(page, 'Continue with Email')
    await loginPopup.getByRole('button', { name: 'noor' }).click()
    await expect(page).toHaveURL(/\/dashboard/)

    await clearSession(page)
    await page.goto(buildUrl('/login'))
    const google = await openPopup(page, 'Sign in with Google')
    await google.getByRole('button', { name: 'noor' }).click()
    await expect(page).toHaveURL(/\/dashboard/)

    // A user who has a password has the same email address at the provider.
    await clearSession(page)
    const owner = await enroll(ownProduct.product.url, 'petra', 'Germany', { database: ownProduct.product.databaseUrl })
    provider.people.set('petra', { email: owner.email, email_verified: true })
    await page.goto(buildUrl('/login'))
    await page.getByLabel('Email address *').fill(owner.email)
    const knownPopup = await openPopup(page, 'Continue with Email')
    await knownPopup.getByRole('button', { name: 'petra' }).click()
    await expect(page.getByText('An account with this email already exists.', { exact: false })).toBeVisible()
    await page.getByRole('button', { name: 'Continue with Email' }).click()
    await logIn(page, owner.password)

    await clearSession(page)
    await page.goto(buildUrl('/login'))
    await page.getByLabel('Email address *').fill(owner.email)
    await page.getByRole('button', { name: 'Use a password instead' }).click()
    await logIn(page, owner.password)

    const hints = provider.requests.map(({ screen_hint, login_hint, connection }) => ({
      screen_hint,
      login_hint,
      connection,
    }))
    expect(hints).toEqual([
      { screen_hint: 'signup', login_hint: email },
      { screen_hint: 'login', login_hint: email },
      { screen_hint: 'login', connection: 'google-oauth2' },
      { screen_hint: 'login', login_hint: owner.email },
    ])
    expect(pageErrors).toEqual([])
  })
})
