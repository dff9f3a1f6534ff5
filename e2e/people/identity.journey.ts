import { randomBytes } from 'node:crypto'
import { expect, type Page, test } from '@playwright/test'
import { listSessions } from '../../packages/contract/src/security.ts'
import { nationalIdOf } from '../../tools/testing/test-national-ids.ts'
import { confirmEmail, enroll } from '../../tools/testing/test-people.ts'
import { enter, productUrl, settle, signIn } from '../pages.ts'
import { fillBirth, fillVerification, next, submit, type Verification } from './verifying.ts'
import { expectAccessible, watch } from '../watch.ts'

/** Ida of the United States, of whom some details may be others. */
const ida = (changed: Partial<Verification> = {}): Verification => ({
  firstName: 'Ida',
  lastName: 'Tester',
  dateOfBirth: '1990-02-03',
  country: 'United States',
  idName: 'SSN',
  idNumber: nationalIdOf('United States'),
  documentNumber: 'P1234567',
  ...changed,
})

const summary = (page: Page) => page.getByRole('alert').filter({ hasText: 'to correct' })

test('an incomplete verification is corrected and resubmitted', async ({ page }) => {
  const person = await enroll(productUrl(), 'ida', null)
  await confirmEmail(person.id)
  const complaints = watch(page)
  await enter(page, person)
  await page.goto('/dashboard')
  await page.getByRole('link', { name: 'Verify', exact: true }).click()
  await next(page)
  await expect(summary(page)).toBeFocused()
  await expect(summary(page).getByRole('link')).toHaveText([
    'First name is required',
    'Last name is required',
    'Date of birth is required',
  ])
  await summary(page).getByRole('link', { name: 'Date of birth is required' }).click()
  await expect(page.getByLabel('Month', { exact: true })).toBeFocused()
  await expect(page.getByLabel('Year', { exact: true })).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByLabel('First name')).toHaveAttribute('aria-invalid', 'true')
  await fillBirth(page, '1990-02-31')
  await expect(summary(page).getByRole('link')).toHaveCount(2)
  await next(page)
  await expect(page.getByText('Please enter a valid date of birth').first()).toBeVisible()
  await expectAccessible(page)

  await fillVerification(page, ida({ documentNumber: '0000' }))
  await submit(page)
  await expect(page.getByText(/We need a little more from you/)).toBeVisible()
  const number = page.getByLabel('Document number')
  await expect(number).toHaveAttribute('aria-invalid', 'true')
  await expect(summary(page)).toBeFocused()
  await summary(page).getByRole('link').click()
  await expect(number).toBeFocused()
  await settle(page)
  await expectAccessible(page)
  await page.goto('/send')
  await expect(page.getByText('Verify your identity first')).toBeVisible()
  await page.goto('/profile')
  await expect(page.getByText('Something is needed')).toBeVisible()
  await expect(page.getByRole('list', { name: 'What is needed' })).toContainText('Document number')
  await settle(page)
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Correct and resubmit' }).click()
  await expect(page.getByText(/We need a little more from you/)).toBeVisible()
  await expect(page.getByText(/^Welcome back\. We kept your draft/)).toBeVisible()
  await expect(summary(page).getByRole('link')).toHaveCount(1)
  await page.getByRole('button', { name: 'Start over' }).click()
  await fillVerification(page, ida({ lastName: 'Hosted' }))
  await submit(page)
  await expect(page.getByText('Verification submitted')).toBeVisible()
  await expect(page.getByText(/^One step is left/)).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Continue with identity check' }).click()
  await page.getByRole('button', { name: 'Everything is fine' }).click()
  await expect(page).toHaveURL(/\/profile/)
  await expect(page.getByText('You can send, exchange, add and withdraw money.')).toBeVisible()
  await page.goto('/dashboard')
  await expect(page.getByRole('link', { name: 'Verify', exact: true })).toHaveCount(0)
  await page.goto('/register')
  await expect(page.getByRole('heading', { name: "You're verified" })).toBeVisible()
  await page.goto('/profile')
  await expect(page.getByText('You can send, exchange, add and withdraw money.')).toBeVisible()
  expect(complaints).toEqual([])
})

test('a verification of three steps fits a phone, and its draft survives a reload without any numbers', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const person = await enroll(productUrl(), 'drea', null)
  const complaints = watch(page)
  await enter(page, person)
  await page.goto('/register')
  await page.getByLabel('First name').fill('Drea')
  await page.getByLabel('Last name').fill('Tester')
  await page.getByLabel('Month', { exact: true }).fill('1990-02-03')
  await expect(page.getByLabel('Year', { exact: true })).toHaveValue('1990')
  await next(page)
  await expect(page.getByRole('heading', { name: 'Where you live' })).toBeFocused()
  await page.getByRole('radio', { name: 'Europe' }).check()
  await expect(page.getByLabel('Country of residence').locator('option')).toHaveCount(4)
  await page.getByLabel('Country of residence').selectOption('Germany')
  await page.getByRole('radio', { name: 'All' }).check()
  await expect(page.getByLabel('Country of residence')).toHaveValue('')
  await next(page)
  await expect(summary(page)).toBeFocused()
  await expect(page.getByText('Country of residence is required')).toHaveCount(2)
  await page.getByRole('button', { name: 'Back', exact: true }).click()
  await expect(page.getByLabel('First name')).toHaveValue('Drea')
  await fillVerification(page, ida())
  await expect(page.getByText('Your ID and document numbers are stored encrypted.')).toBeVisible()
  expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(1400)
  await page.reload()
  await expect(page.getByText(/^Welcome back\. We kept your draft/)).toBeVisible()
  await expect(page.getByLabel('SSN')).toHaveValue('')
  await expect(page.getByLabel('Document number')).toHaveValue('')
  const stored = await page.evaluate<string>('JSON.stringify(sessionStorage)')
  expect(stored).toContain('Springfield')
  expect(stored).not.toMatch(/\d{3}-\d{2}-\d{4}|P1234567/)
  await settle(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Start over' }).click()
  await expect(page.getByLabel('First name')).toHaveValue('')
  expect(await page.evaluate<string>('JSON.stringify(sessionStorage)')).not.toContain('Springfield')
  expect(complaints).toEqual([])
})

test('a rejected verification says so, and no money moves', async ({ page }) => {
  const person = await enroll(productUrl(), 'rex', null)
  await confirmEmail(person.id)
  const complaints = watch(page)
  await enter(page, person)
  await page.goto('/register')
  await fillVerification(page, ida({ lastName: 'Rejected' }))
  await submit(page)
  await expect(page.getByText(/We couldn't verify your identity/)).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  await page.goto('/dashboard')
  await expect(page.getByText("We couldn't verify your identity. See why, and try again.")).toBeVisible()
  await page.goto('/deposit')
  await expect(page.getByText("We couldn't verify your identity")).toBeVisible()
  await expect(page.getByRole('button', { name: 'Continue', exact: true })).toHaveCount(0)
  expect(complaints).toEqual([])
})

test('sign-up and login errors show at their field', async ({ page }) => {
  const person = await enroll(productUrl(), 'lena', 'United States')
  const complaints = watch(page, /status of 4(01|09|22)/)
  const email = page.getByLabel('Email address *')
  await page.goto('/signup')
  await email.fill('not an address')
  await page.getByRole('button', { name: 'Sign up with Email' }).click()
  await expect(page.getByText('Please enter a valid email address')).toBeVisible()
  await expect(email).toBeFocused()
  await email.fill(person.email)
  await page.getByRole('button', { name: 'Sign up with Email' }).click()
  await page.getByRole('button', { name: 'Create Account' }).click()
  await expect(page.getByText('Username is required')).toBeVisible()
  await expect(page.getByText('Use at least 10 characters')).toBeVisible()
  await expectAccessible(page)
  await page.getByLabel('Username').fill(`lena.${randomBytes(4).toString('hex')}`)
  await page.getByLabel('Password', { exact: true }).fill('a long pass phrase')
  await page.getByRole('button', { name: 'Create Account' }).click()
  await expect(page.getByText('An account with this email already exists.')).toBeVisible()
  await email.fill(`new.${person.email}`)
  await page.getByLabel('Username').fill(person.username)
  await page.getByRole('button', { name: 'Create Account' }).click()
  await expect(page.getByText('This username is already taken.')).toBeVisible()
  await expect(page.getByLabel('Username')).toBeFocused()

  await page.getByRole('link', { name: 'Log in' }).click()
  await expect(page.getByRole('heading', { name: 'Welcome back' })).toBeVisible()
  await email.fill(person.email)
  await page.getByRole('button', { name: 'Continue with Email' }).click()
  await page.getByRole('button', { name: 'Log In' }).click()
  await expect(page.getByText('Password is required')).toBeVisible()
  await page.getByLabel('Password', { exact: true }).fill('not the password')
  await page.getByRole('button', { name: 'Log In' }).click()
  await expect(page.getByText('That email or password is incorrect.')).toBeVisible()
  await expectAccessible(page)
  expect(complaints).toEqual([])
})

test('logging out ends the session in every tab and clears the device', async ({ page, context }) => {
  const person = await enroll(productUrl(), 'otto', 'United States')
  // The server ends the other tab's event stream, which may retry once before the tab notices.
  const complaints = watch(page, /status of 401/)
  await signIn(page, person)
  const other = await context.newPage()
  const othersComplaints = watch(other, /status of 401/)
  await other.goto('/wallet')
  await expect(other.getByRole('heading', { name: 'My Wallet' })).toBeVisible()
  await settle(other)
  await page.getByRole('banner').getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL(/\/login$/)
  await expect(other).toHaveURL(/\/login/)
  await expect.poll(() => page.evaluate<string[]>('Object.keys(localStorage)')).toEqual([])
  await page.goto('/dashboard')
  await expect(page).toHaveURL('/login?from=%2Fdashboard')
  expect([...complaints, ...othersComplaints]).toEqual([])
})

test('a logout that fails to reach the server applies locally and reaches it later', async ({ page }) => {
  const person = await enroll(productUrl(), 'uma', 'United States')
  const complaints = watch(page, /net::ERR_FAILED/)
  const sessions = async () => (await person.call(listSessions, {})).length
  const elsewhere = await sessions()
  await signIn(page, person)
  await expect(page.getByText('Welcome back')).toBeVisible()
  await page.route('**/api/user/logout', (route) => route.abort())
  await page.getByRole('banner').getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL(/\/login$/)
  await page.reload()
  for (const path of ['/dashboard', '/send']) {
    await page.goto(path)
    await expect(page).toHaveURL(`/login?from=${encodeURIComponent(path)}`)
  }
  expect(await sessions(), 'the server has not heard of it').toBe(elsewhere + 1)

  await page.unroute('**/api/user/logout')
  await expect.poll(sessions, { timeout: 120_000 }).toBe(elsewhere)
  await expect.poll(() => page.evaluate<string[]>('Object.keys(localStorage)')).toEqual([])
  expect(complaints).toEqual([])
})
