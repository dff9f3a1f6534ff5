import { randomBytes } from 'node:crypto'
import { expect, type Page, test } from '@playwright/test'
import { enroll } from '@tern/testkit/people'
import { productUrl } from '../pages.ts'
import { expectAccessible, watch } from '../watch.ts'

const authenticationRequired = 'Authentication Required: You must be logged in to send money'

/** Server error without a message for users. */
const broken = {
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

async function givePassword(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email address *').fill(email)
  await page.getByRole('button', { name: 'Continue with Email' }).click()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
}

test('a failed login shows the server’s message, or that it failed', async ({ page }) => {
  const person = await enroll(productUrl(), 'milo', null)
  const complaints = watch(page, /status of (401|500)/)
  await page.goto('/login')
  await givePassword(page, person.email, 'not the password')
  await expect(page.getByText('That email or password is incorrect.')).toBeVisible()
  await page.route('**/api/user/login', (route) => route.fulfill(broken))
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  await expect(page.getByText('Login failed.', { exact: true })).toBeVisible()
  await expect(page.getByText('Not for people.')).toHaveCount(0)
  await expectAccessible(page)
  expect(complaints).toEqual([])
})

test('a failed sign-up says so', async ({ page }) => {
  const complaints = watch(page, /status of 500/)
  await page.route('**/api/user/register', (route) => route.fulfill(broken))
  await page.goto('/signup')
  const name = `una.${randomBytes(4).toString('hex')}`
  await page.getByLabel('Email address *').fill(`${name}@mail.example`)
  await page.getByRole('button', { name: 'Sign up with Email' }).click()
  await page.getByLabel('Username').fill(name)
  await page.getByLabel('Password', { exact: true }).fill('a long pass phrase')
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByText('Signup failed.', { exact: true })).toBeVisible()
  expect(complaints).toEqual([])
})

for (const { path, button, said } of [
  { path: '/login', button: 'Sign in with Google', said: 'Google login failed. Please try again.' },
  { path: '/signup', button: 'Continue with Google', said: 'Google signup failed.' },
]) {
  test(`a failure of Google at ${path} says so`, async ({ page }) => {
    const complaints = watch(page, /status of 500/)
    await page.route('**/api/auth/external**', (route) => route.fulfill(broken))
    await page.goto(path)
    await page.getByRole('button', { name: button }).click()
    await expect(page.getByText(said, { exact: true })).toBeVisible()
    expect(complaints).toEqual([])
  })
}

test('a visitor about to send money reads why a login is needed, and is led back', async ({ page }) => {
  const person = await enroll(productUrl(), 'suri', 'United States')
  const complaints = watch(page)
  await page.goto('/send')
  await expect(page).toHaveURL('/login?from=%2Fsend')
  await expect(page.getByText(authenticationRequired)).toBeVisible()
  await expectAccessible(page)
  await page.goto('/login?from=%2Fwallet')
  await expect(page.getByRole('heading', { name: 'Welcome back' })).toBeVisible()
  await expect(page.getByText(authenticationRequired)).toHaveCount(0)
  await page.goto('/login?from=%2Fsend%3Fto%3Dnoor')
  await expect(page.getByText(authenticationRequired)).toBeVisible()
  await givePassword(page, person.email, person.password)
  await expect(page).toHaveURL('/send?to=noor')
  expect(complaints).toEqual([])
})
