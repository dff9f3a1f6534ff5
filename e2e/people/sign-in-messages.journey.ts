import { randomBytes } from 'node:crypto'
import { expect, type Page, test } from '@playwright/test'
import { enroll } from '@tern/testkit/people'
import { productUrl } from '../pages.ts'
import { expectAccessible, collectPageErrors } from '../page-checks.ts'

const authenticationRequired = 'Authentication Required: You must be logged in to send money'

/** Server error whose `detail` is not meant for users. */
const brokenResponse = {
  status: 500,
  json: {
    type: 'about:blank',
    title: 'Problem',
    status: 500,
    requestId: 'a',
    code: 'internal',
    detail: 'Not for people.',
  },
}

async function enterPassword(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email address *').fill(email)
  await page.getByRole('button', { name: 'Continue with Email' }).click()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
}

test('a failed login shows the server’s message, or that it failed', async ({ page }) => {
  const person = await enroll(productUrl(), 'milo', null)
  const pageErrors = collectPageErrors(page, /status of (401|500)/)
  await page.goto('/login')
  await enterPassword(page, person.email, 'not the password')
  await expect(page.getByText('That email or password is incorrect.')).toBeVisible()
  await page.route('**/api/user/login', (route) => route.fulfill(brokenResponse))
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  await expect(page.getByText('Login failed.', { exact: true })).toBeVisible()
  await expect(page.getByText('Not for people.')).toHaveCount(0)
  await expectAccessible(page)
  expect(pageErrors).toEqual([])
})

test('a failed sign-up says so', async ({ page }) => {
  const pageErrors = collectPageErrors(page, /status of 500/)
  await page.route('**/api/user/register', (route) => route.fulfill(brokenResponse))
  await page.goto('/signup')
  const name = `una.${randomBytes(4).toString('hex')}`
  await page.getByLabel('Email address *').fill(`${name}@mail.example`)
  await page.getByRole('button', { name: 'Sign up with Email' }).click()
  await page.getByLabel('Username').fill(name)
  await page.getByLabel('Password', { exact: true }).fill('a long pass phrase')
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByText('Signup failed.', { exact: true })).toBeVisible()
  expect(pageErrors).toEqual([])
})

for (const { path, button, expectedText } of [
  { path: '/login', button: 'Sign in with Google', expectedText: 'Google login failed. Please try again.' },
  { path: '/signup', button: 'Continue with Google', expectedText: 'Google signup failed.' },
]) {
  test(`a failure of Google at ${path} says so`, async ({ page }) => {
    const pageErrors = collectPageErrors(page, /status of 500/)
    await page.route('**/api/auth/external**', (route) => route.fulfill(brokenResponse))
    await page.goto(path)
    await page.getByRole('button', { name: button }).click()
    await expect(page.getByText(expectedText, { exact: true })).toBeVisible()
    expect(pageErrors).toEqual([])
  })
}

test('a visitor about to send money reads why a login is needed, and is led back', async ({ page }) => {
  const person = await enroll(productUrl(), 'suri', 'United States')
  const pageErrors = collectPageErrors(page)
  await page.goto('/send')
  await expect(page).toHaveURL('/login?from=%2Fsend')
  await expect(page.getByText(authenticationRequired)).toBeVisible()
  await expectAccessible(page)
  await page.goto('/login?from=%2Fwallet')
  await expect(page.getByRole('heading', { name: 'Welcome back' })).toBeVisible()
  await expect(page.getByText(authenticationRequired)).toHaveCount(0)
  await page.goto('/login?from=%2Fsend%3Fto%3Dnoor')
  await expect(page.getByText(authenticationRequired)).toBeVisible()
  await enterPassword(page, person.email, person.password)
  await expect(page).toHaveURL('/send?to=noor')
  expect(pageErrors).toEqual([])
})
