import { expect, type Page, test } from '@playwright/test'
import * as security from '../../packages/contract/src/security.ts'
import { enroll, type TestPerson } from '@tern/testkit/people'
import { buildLinkPattern, waitForMail, loadMails } from '../mailbox.ts'
import { signInThroughApi, clearSession, delayScript, productUrl, settle, signIn, addAuthenticator } from '../pages.ts'
import { createCodeGenerator, callWithConfirmation, dialog, password as passwordField } from '../step-up.ts'
import { expectAccessible, collectPageErrors } from '../page-checks.ts'

/** Sets up an authenticator app; returns its code generator and the recovery codes. */
async function setUpAuthenticatorApp(person: TestPerson) {
  const { secret } = await callWithConfirmation(person, (confirmation) =>
    person.call(security.startTotp, { confirmation }),
  )
  const code = createCodeGenerator(secret)
  const { recovery_codes: recovery } = await person.call(security.confirmTotp, { body: { code: await code() } })
  return { code, recovery: recovery ?? [] }
}

/** Completes the first two steps of /login. */
async function enterPassword(page: Page, person: { email: string; password: string }): Promise<void> {
  await enterEmail(page, person.email)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Log In' }).click()
}

async function enterEmail(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email address *').fill(email)
  await page.getByRole('button', { name: 'Continue with Email' }).click()
}

/** Requests a login link on /login. */
async function requestLink(page: Page, email: string): Promise<void> {
  await enterEmail(page, email)
  await page.getByRole('button', { name: 'Email me a login link' }).click()
  await expect(page.getByRole('heading', { name: 'Check your email' })).toBeFocused()
  await expect(page.getByText(email)).toBeVisible()
}

/** Creates a passkey in the page and adds it to an account. */
async function addPasskey(page: Page, person: TestPerson): Promise<void> {
  const { ceremony, options } = await callWithConfirmation(person, (confirmation) =>
    person.call(security.passkeyRegistrationOptions, { confirmation }),
  )
  const passkeyResponse = await page.evaluate<string>(
    `navigator.credentials
      .create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(${JSON.stringify(options)}) })
      .then((made) => JSON.stringify(made))`,
  )
  await person.call(security.addPasskey, { body: { ceremony, name: 'Test', response: JSON.parse(passkeyResponse) } })
}

test("input before a page's script has loaded is submitted and leads to the same place", async ({ page }) => {
  const person = await enroll(productUrl(), 'hast', null)
  const pageErrors = collectPageErrors(page)
  const releaseScript = await delayScript(page)
  await page.goto('/login?from=%2Fwallet', { waitUntil: 'commit' })
  await page.getByLabel('Email address *').fill(person.email)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/login?from=%2Fwallet')
  releaseScript()
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Log In' }).click()
  await expect(page).toHaveURL('/wallet')

  await page.unrouteAll({ behavior: 'wait' })
  await clearSession(page, { name: 'rt' })
  const releaseSecondScript = await delayScript(page)
  await page.goto('/signup', { waitUntil: 'commit' })
  await page.getByLabel('Email address *').fill(`new.${person.email}`)
  await page.getByRole('button', { name: 'Sign up with Email' }).click()
  releaseSecondScript()
  await expect(page.getByLabel('Full name')).toBeFocused()
  await expect(page.getByLabel('Email address *')).toHaveValue(`new.${person.email}`)
  expect(pageErrors).toEqual([])
})

test('a login link leads back to the original destination, once', async ({ page }) => {
  const person = await enroll(productUrl(), 'lina', 'United States')
  const pageErrors = collectPageErrors(page, /status of 4(03|10)/)
  await page.goto('/send')
  await expect(page).toHaveURL('/login?from=%2Fsend')
  await requestLink(page, person.email)
  await expect(page.getByRole('button', { name: /^Send again in \d+ s$/ })).toBeDisabled()
  await expectAccessible(page)
  const link = await waitForMail(person.email, buildLinkPattern('login-link'))
  await page.goto(link)
  await expect(page).toHaveURL('/send')
  await expect(page.getByRole('banner')).toContainText(person.username)

  await page.goto('about:blank')
  await page.goto(link)
  await expect(page.getByText('This link has expired or was already used.')).toBeVisible()
  await expect(page).toHaveURL('/login-link')
  await expectAccessible(page)
  await page.getByLabel('Email address *').fill(person.email)
  await page.getByRole('button', { name: 'Email me a login link' }).click()
  await expect(page.getByRole('heading', { name: 'Check your email' })).toBeVisible()
  expect(pageErrors).toEqual([])
})

test('a login link fails in another browser and still works in its own', async ({ page, browser }) => {
  const person = await enroll(productUrl(), 'otis', null)
  const pageErrors = collectPageErrors(page)
  await page.goto('/login')
  await requestLink(page, person.email)
  const link = await waitForMail(person.email, buildLinkPattern('login-link'))

  const other = await (await browser.newContext({ baseURL: productUrl() })).newPage()
  const othersPageErrors = collectPageErrors(other, /status of 403/)
  await other.goto(link)
  await expect(other.getByText('Please open this link in the same browser where you requested it.')).toBeVisible()
  await expect(other).toHaveURL('/login-link')
  await expectAccessible(other)
  await other.close()

  // The page that shows "Check your email" continues too when the link is opened in another tab.
  const secondPage = await page.context().newPage()
  await secondPage.goto(link)
  await expect(secondPage).toHaveURL('/dashboard')
  await expect(page).toHaveURL('/dashboard')
  expect([...pageErrors, ...othersPageErrors]).toEqual([])
})

test('a forgotten password is replaced; weak ones are refused at their field', async ({ page }) => {
  const person = await enroll(productUrl(), 'fay', null)
  const pageErrors = collectPageErrors(page, /status of 4(01|22)/)
  await page.goto('/login?from=%2Fwallet')
  await enterEmail(page, person.email)
  await page.getByRole('link', { name: 'Forgot password?' }).click()
  await expect(page.getByRole('heading', { name: 'Reset your password' })).toBeVisible()
  await expect(page.getByLabel('Email address *')).toHaveValue(person.email)
  await settle(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Email me a reset link' }).click()
  await expect(page.getByText(/If there is an account with this address, a link is on its way/)).toBeVisible()

  await page.goto(await waitForMail(person.email, buildLinkPattern('reset-password')))
  const field = page.getByLabel('New password', { exact: true })
  await expect(field).toBeFocused()
  await expect(page).toHaveURL('/reset-password')
  await field.fill('short')
  await page.getByRole('button', { name: 'Save Password' }).click()
  await expect(page.getByText('Use at least 10 characters', { exact: true })).toBeVisible()
  await expect(field).toBeFocused()
  await field.fill('password123')
  await page.getByRole('button', { name: 'Save Password' }).click()
  await expect(field).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByText('Use at least 10 characters', { exact: true })).toHaveCount(0)
  await expectAccessible(page)
  const password = 'four quite unrelated words'
  await field.fill(password)
  await page.getByRole('button', { name: 'Save Password' }).click()
  await expect(page).toHaveURL('/login')
  await expect(page.getByText(/Password changed\. Log in with the new one/)).toBeVisible()
  await expectAccessible(page)
  await page.reload()
  await expect(page.getByText(/Password changed\. Log in with the new one/)).toBeVisible()
  await enterPassword(page, person)
  await expect(page.getByText('That email or password is incorrect.')).toBeVisible()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Log In' }).click()
  await expect(page).toHaveURL('/dashboard')
  expect(pageErrors).toEqual([])
})

test('an address is verified by its link, and every failure says what to do', async ({ page, browser }) => {
  const person = await enroll(productUrl(), 'vera', null)
  // Without a session the link verifies nothing, and it still works later in a signed-in browser.
  const otherBrowserPage = await (await browser.newContext({ baseURL: productUrl() })).newPage()
  await otherBrowserPage.goto(await waitForMail(person.email, buildLinkPattern('verify-email')))
  await expect(otherBrowserPage.getByText('One step is left. Log in to your account in this browser')).toBeVisible()
  await expect(otherBrowserPage.getByRole('link', { name: 'Return to Login' })).toBeVisible()
  await expectAccessible(otherBrowserPage)
  await otherBrowserPage.context().close()
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, person)
  const postedMethods: string[] = []
  page.on('request', (request) => request.url().includes('/verify-email') && postedMethods.push(request.method()))
  // Delays the dashboard, to which the page redirects after three seconds, until the checks are done.
  const { promise: dashboardReleased, resolve: releaseDashboard } = Promise.withResolvers<void>()
  await page.route('**/assets/Dashboard-*.js', async (route) => {
    await dashboardReleased
    await route.continue()
  })
  const link = await waitForMail(person.email, buildLinkPattern('verify-email'))
  await page.goto(link)
  await expect(page.getByText('Your email has been successfully verified!')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Go to Dashboard' })).toBeVisible()
  await expect(page).toHaveURL('/verify-email')
  expect(postedMethods.filter((method) => method === 'POST')).toHaveLength(1)
  await expectAccessible(page)
  releaseDashboard()
  await expect(page).toHaveURL('/dashboard')

  for (const [address, sentence] of [
    ['/verify-email', 'Verification token is missing.'],
    ['/verify-email?token=unknown', 'Email verification failed. The link may have expired.'],
  ]) {
    await page.goto(address as string)
    await expect(page.getByRole('alert')).toHaveText(sentence as string)
    await expect(page).toHaveURL('/verify-email')
    await expect(page.getByText('Please try again or contact support if the issue persists.')).toBeVisible()
    await expectAccessible(page)
  }
  await page.getByRole('link', { name: 'Return to Login' }).click()
  await expect(page.getByRole('heading', { name: 'Welcome back' })).toBeVisible()
  expect(pageErrors).toEqual([])

  await page.route('**/api/auth/verify-email', (route) => route.abort())
  await page.goto('/verify-email?token=unknown')
  await expect(page.getByRole('alert')).toHaveText('Email verification failed. Please try again or contact support.')
})

test("someone else's sign-in is reverted from the alert mail", async ({ page, browser }) => {
  const person = await enroll(productUrl(), 'nils', null)
  const pageErrors = collectPageErrors(page)
  const thiefPage = await (
    await browser.newContext({ baseURL: productUrl(), userAgent: 'Firefox on another machine' })
  ).newPage()
  await signIn(thiefPage, person)
  const link = await waitForMail(person.email, buildLinkPattern('not-me'))
  await page.goto(link)
  await expect(page).toHaveURL('/not-me')
  await expect(page.getByRole('button', { name: "This wasn't me" })).toBeVisible()
  await expectAccessible(page)
  // The button is pressed before hydration.
  await page.goto('about:blank')
  const releaseScript = await delayScript(page)
  await page.goto(link, { waitUntil: 'commit' })
  await page.getByRole('button', { name: "This wasn't me" }).click()
  releaseScript()
  await expect(page.getByRole('heading', { name: 'Choose a new password' })).toBeVisible()
  await expect(page).toHaveURL('/reset-password')
  await thiefPage.goto('/wallet')
  await expect(thiefPage).toHaveURL(/\/login/)
  await page.getByLabel('New password', { exact: true }).fill('another long pass phrase')
  await page.getByRole('button', { name: 'Save Password' }).click()
  await enterPassword(page, { email: person.email, password: 'another long pass phrase' })
  await expect(page).toHaveURL('/dashboard')
  expect(pageErrors).toEqual([])
})

test('every sign-in method asks for the authenticator app; a recovery code replaces it there and in step-up', async ({
  page,
}) => {
  const person = await enroll(productUrl(), 'toto', null)
  const { code, recovery } = await setUpAuthenticatorApp(person)
  const pageErrors = collectPageErrors(page, /status of 4(03|22)/)
  await page.goto('/login?from=%2Fwallet')
  await enterPassword(page, person)
  const field = page.getByLabel('Six-digit code')
  await expect(field).toBeFocused()
  await expectAccessible(page)
  await field.pressSequentially('000000')
  await expect(page.getByText("That code isn't right.")).toBeVisible()
  await expect(field).toBeFocused()
  await expect(field).toHaveValue('')
  // Text typed while a response is pending is kept when the response arrives.
  const { promise: responseReleased, resolve: releaseResponse } = Promise.withResolvers<void>()
  await page.route('**/api/auth/second-factor', async (route) => {
    await responseReleased
    await route.continue()
  })
  await field.pressSequentially('000001')
  await expect(page.getByRole('button', { name: 'Processing...' })).toBeVisible()
  await field.fill('12')
  releaseResponse()
  await expect(page.getByRole('button', { name: 'Processing...' })).toHaveCount(0)
  await expect(page.getByText("That code isn't right.")).toBeVisible()
  await expect(field).toHaveValue('12')
  // A code with a space, as some apps copy it, is submitted automatically.
  const currentCode = await code()
  await field.fill(`${currentCode.slice(0, 3)} ${currentCode.slice(3)}`)
  await expect(page).toHaveURL('/wallet')

  await clearSession(page, { name: 'rt' })
  await page.goto('/login')
  await requestLink(page, person.email)
  await page.goto(await waitForMail(person.email, buildLinkPattern('login-link')))
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await expect(page.getByLabel('Recovery code')).toBeFocused()
  await expectAccessible(page)
  await page.getByLabel('Recovery code').fill(recovery[0]?.toLowerCase() ?? '')
  await page.getByRole('button', { name: 'Confirm' }).click()
  await expect(page).toHaveURL('/dashboard')

  // Without the app, another recovery code turns two-step verification off.
  await page.goto('/settings')
  await page.getByRole('switch', { name: 'Two-step verification' }).click({ force: true })
  await passwordField(page).fill(person.password)
  await dialog(page).getByRole('button', { name: 'Use a recovery code' }).click()
  const recoveryCode = page.getByLabel('Recovery code', { exact: true })
  await expect(recoveryCode).toBeFocused()
  await settle(page)
  await expectAccessible(page)
  await recoveryCode.fill('no such code')
  await page.getByRole('button', { name: 'Confirm', exact: true }).click()
  await expect(page.getByText("That code isn't right.")).toBeVisible()
  await expect(recoveryCode).toBeFocused()
  await dialog(page).getByRole('button', { name: 'Use your authenticator app' }).click()
  await expect(page.getByLabel('Code from your authenticator app')).toBeFocused()
  await dialog(page).getByRole('button', { name: 'Use a recovery code' }).click()
  await recoveryCode.fill(recovery[1]?.toLowerCase() ?? '')
  await page.getByRole('button', { name: 'Confirm', exact: true }).click()
  await expect(page.getByText('Authenticator app removed.')).toBeVisible()
  await expect(page.getByRole('switch', { name: 'Two-step verification' })).not.toBeChecked()
  await expect
    .poll(async () => (await loadMails(person.email)).map(({ subject }) => subject), { timeout: 120_000 })
    .toEqual(expect.arrayContaining(['A recovery code was used', 'The authenticator app was removed']))
  expect(pageErrors).toEqual([])
})

test('a passkey logs in alone, and after the password', async ({ page, context }) => {
  const person = await enroll(productUrl(), 'keya', null)
  const pageErrors = collectPageErrors(page)
  await addAuthenticator(context, page)
  await page.goto('/login?from=%2Fsend')
  await addPasskey(page, person)
  await enterEmail(page, person.email)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await expect(page).toHaveURL('/send')

  await clearSession(page, { name: 'rt' })
  await page.goto('/login')
  await enterPassword(page, person)
  await expect(page.getByRole('heading', { name: 'One more step' })).toBeFocused()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await expect(page).toHaveURL('/dashboard')
  expect(pageErrors).toEqual([])
})

/** Script that delays a tab's view of a changed `auth_token` by half a second. */
const delayTokenScript = `
  const read = Storage.prototype.getItem
  let first, changedAtMs
  Storage.prototype.getItem = function (key) {
    const value = read.call(this, key)
    if (key !== 'auth_token') return value
    first ??= value
    if (value !== first) changedAtMs ??= Date.now()
    return Date.now() - changedAtMs < 500 ? first : value
  }`

test('two tabs with an expired access token renew it once, together', async ({ page, context }) => {
  const person = await enroll(productUrl(), 'twin', 'United States')
  const pageErrors = collectPageErrors(page)
  await signIn(page, person)
  const other = await context.newPage()
  // Pages without script: others may send a request at any time, which would also renew the token.
  await Promise.all([page.goto('/terms'), other.goto('/terms')])
  const renewalRequests: string[] = []
  context.on('request', (request) => request.url().endsWith('/api/auth/token') && renewalRequests.push(request.url()))
  await other.addInitScript(delayTokenScript)
  // Replaces the token of both tabs by one that expired an hour ago.
  await page.evaluate(
    `localStorage.setItem('auth_token', 'e30.' + btoa(JSON.stringify({ exp: Math.floor(Date.now() / 1000) - 3600 })) + '.e30')`,
  )
  await Promise.all([page.goto('/dashboard'), other.goto('/wallet')])
  await expect(page.getByRole('heading', { name: /Welcome back/ })).toBeVisible()
  await expect(other.getByRole('heading', { name: 'My Wallet' })).toBeVisible()
  await Promise.all([settle(page), settle(other)])
  expect(renewalRequests).toHaveLength(1)
  expect(pageErrors).toEqual([])
})

test('no sign-in method follows a return address to another site', async ({ page }) => {
  const person = await enroll(productUrl(), 'foil', null)
  const pageErrors = collectPageErrors(page)
  for (const origin of ['https://evil.example/', '//evil.example', '/\\evil.example']) {
    await page.goto(`/login?from=${encodeURIComponent(origin)}`)
    await enterPassword(page, person)
    await expect(page).toHaveURL('/dashboard')
    // Pending dashboard requests would be refused after logout.
    await settle(page)
    await page.getByRole('banner').getByRole('button', { name: 'Logout' }).click()
    await expect(page).toHaveURL('/login')
  }
  expect(pageErrors).toEqual([])
})

test('Google leads back to the original destination, even after its window was first closed', async ({ page }) => {
  const email = `gwen.${Date.now()}@mail.example`
  // 401: the login page checks whether the remembered user is still signed in.
  const pageErrors = collectPageErrors(page, /status of 401/)
  const signIn = async (button: string) => {
    const popupOpened = page.waitForEvent('popup')
    await page.getByRole('button', { name: button }).click()
    return popupOpened
  }
  const chooseAccount = async (chooser: Page) => {
    await expect(chooser.getByRole('heading', { name: 'Choose an account' })).toBeVisible()
    if (!(await chooser.getByLabel('Email').isVisible())) await chooser.getByText('Use another account').click()
    await chooser.getByLabel('Email').fill(email)
    await chooser.getByLabel('Name', { exact: true }).fill('Gwen')
    await chooser.getByRole('button', { name: 'Continue' }).click()
  }
  await page.goto('/signup')
  await chooseAccount(await signIn('Continue with Google'))
  await expect(page).toHaveURL('/register')

  await clearSession(page, { name: 'rt' })
  await page.goto('/login?from=%2Fwallet')
  await (await signIn('Sign in with Google')).close()
  await expect(page.getByText(/If you closed it, try again/)).toBeVisible()
  await expectAccessible(page)
  await chooseAccount(await signIn('Sign in with Google'))
  await expect(page).toHaveURL('/wallet')
  expect(pageErrors).toEqual([])
})

test('without Google a passkey takes its place without layout shift', async ({ page }) => {
  const pageErrors = collectPageErrors(page)
  let releaseResponse = () => {}
  const responseReleased = new Promise<void>((resolve) => (releaseResponse = resolve))
  await page.route('**/api/auth/methods', async (route) => {
    await responseReleased
    await route.fulfill({ json: { google: false, external: false } })
  })
  for (const [path, place] of [
    ['/login', 'Continue with Email'],
    ['/signup', 'Sign up with Email'],
  ] as const) {
    await page.goto(path)
    await settle(page)
    const button = page.getByRole('button', { name: place })
    const boxBefore = await button.boundingBox()
    releaseResponse()
    await expect(page.getByRole('button', { name: /Google/ })).toHaveCount(0)
    expect(await button.boundingBox()).toEqual(boxBefore)
    await expectAccessible(page)
  }
  await page.goto('/login')
  await expect(page.getByRole('button', { name: 'Use a passkey' })).toBeVisible()
  expect(pageErrors).toEqual([])
})
