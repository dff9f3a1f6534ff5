import { expect, type Page, test } from '@playwright/test'
import { audit } from '../../packages/server/src/commands/audit/audit.ts'
import { connect } from '../../packages/server/src/platform/database/db.ts'
import { generateNationalId } from '@tern/testkit/national-ids'
import { buildLinkPattern, waitForMail } from '../mailbox.ts'
import { clickSendNow } from '../send-form.ts'
import { fillBirth } from '../people/verification-form.ts'
import { expectAccessible, collectPageErrors } from '../page-checks.ts'

test.use({ contextOptions: { reducedMotion: 'no-preference' } })

// Covers the wait for the provider's event.
const longTimeout = { timeout: 120_000 }

const password = 'a long pass phrase'

interface Newcomer {
  readonly firstName: string
  readonly username: string
  readonly email: string
  readonly country: string
  readonly idNumber: string
}

const createNewcomer = (firstName: string, country: string): Newcomer => {
  const username = `${firstName.toLowerCase()}.${Date.now().toString(36)}`
  return { firstName, username, email: `${username}@example.com`, country, idNumber: generateNationalId(country) }
}

/** Signs up and submits the verification through the forms, until the dashboard is open. */
async function registerAndVerify(
  page: Page,
  { firstName, username, email, country, idNumber }: Newcomer,
): Promise<void> {
  await page.goto('/signup')
  await page.getByLabel('Email address *').fill(email)
  await page.getByRole('button', { name: 'Sign up with Email' }).click()
  await page.getByLabel('Full name').fill(`${firstName} Tester`)
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Create Account' }).click()

  await expect(page).toHaveURL(/\/register/)
  await page.getByLabel('First name').fill(firstName)
  await page.getByLabel('Last name').fill('Tester')
  await fillBirth(page, '1990-02-03')
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByLabel('Country of residence').selectOption(country)
  await page.getByLabel('Nationality').selectOption(country)
  await page.getByLabel('Street address').fill('1 Main Street')
  await page.getByLabel('City').fill('Springfield')
  await page.getByLabel('State/Province').fill('Somewhere')
  await page.getByLabel('Postal code').fill('12345')
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByLabel(country === 'United States' ? 'SSN' : 'TIN').fill(idNumber)
  await page.getByLabel('Document number').fill('P1234567')
  await page.getByRole('button', { name: 'Submit Verification' }).click()
  await expect(page.getByText('Verification submitted')).toBeVisible()
  await expect(page).toHaveURL(/\/dashboard/)
  await expect(page.getByRole('heading', { name: `Welcome back, ${firstName}` })).toBeVisible()
}

/** Opens the confirmation link mailed at sign-up, and waits until the identity check has ended. */
async function confirmEmail(page: Page, { email }: Newcomer): Promise<void> {
  const verifyResponse = page.waitForResponse((response) => response.url().endsWith('/verify-email') && response.ok())
  await page.goto(await waitForMail(email, buildLinkPattern('verify-email')))
  await verifyResponse
  await expect(async () => {
    await page.goto('/deposit')
    await expect(page.getByLabel('Amount')).toBeVisible({ timeout: 10_000 })
  }).toPass({ timeout: 120_000 })
  await page.goto('/dashboard')
}

test('a new user deposits by card and sends money across a border, and the recipient sees it arrive', async ({
  browser,
}) => {
  const alice = createNewcomer('Alice', 'United States')
  const bruno = createNewcomer('Bruno', 'Germany')
  const brunosPage = await (await browser.newContext()).newPage()
  const brunosPageErrors = collectPageErrors(brunosPage)
  await registerAndVerify(brunosPage, bruno)
  await confirmEmail(brunosPage, bruno)
  await expect(brunosPage.getByText('No recent transactions')).toBeVisible()

  const page = await (await browser.newContext()).newPage()
  const alicesPageErrors = collectPageErrors(page)
  await registerAndVerify(page, alice)
  await confirmEmail(page, alice)

  await page.getByRole('link', { name: 'Add Funds' }).click()
  await page.getByLabel('Amount').fill('100.00')
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await page.getByLabel('Card number').fill('4242 4242 4242 4242')
  await page.getByLabel(/expir/i).fill('12/39')
  await page.getByLabel(/cvc|security code/i).fill('123')
  await page.getByRole('button', { name: /^Pay/ }).click()
  await expect(page.getByText('Payment successful! Your funds have been added to your wallet.')).toBeVisible(
    longTimeout,
  )
  await expect(page).toHaveURL(/\/deposit$/)

  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Send', exact: true }).click()
  await page.getByRole('combobox', { name: 'Recipient' }).fill(bruno.username)
  await page.getByRole('option', { name: new RegExp(bruno.username) }).click()
  await page.getByLabel('Amount').fill('25.00')
  await expect(page.getByText('€23.25').first()).toBeVisible()
  await page.getByRole('button', { name: 'Next' }).click()
  await expect(page.getByRole('heading', { name: 'Review and Confirm' })).toBeVisible()
  await expect(page.getByText('Total to pay $25.25')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Send Money' }).click()
  // Bruno is a new payee, so Alice's send has an undo window.
  await expect(page.getByRole('heading', { name: 'Sending €23.25' })).toBeVisible()
  await expect(brunosPage.getByText('No recent transactions')).toBeVisible()
  await clickSendNow(page)
  const sentAt = Date.now()
  await expect(brunosPage.getByText('+€23.25').first()).toBeVisible()
  test.info().annotations.push({ type: 'arrived after', description: `${String(Date.now() - sentAt)} ms` })
  await expect(page.getByText('Transfer Successful!')).toBeVisible()
  await expectAccessible(page)

  await page.getByRole('link', { name: 'Transactions', exact: true }).click()
  await expect(page.getByRole('row', { name: new RegExp(`${bruno.firstName}.*−\\$25\\.25`) })).toBeVisible()
  await expect(page.getByRole('row', { name: /Deposit.*\+\$100\.00/ })).toBeVisible()
  await brunosPage.getByRole('link', { name: 'Transactions', exact: true }).click()
  await expect(brunosPage.getByRole('row', { name: new RegExp(`${alice.firstName}.*\\+€23\\.25`) })).toBeVisible()

  const pool = connect(process.env.E2E_DATABASE_URL!)
  try {
    const { checks } = await audit(pool)
    expect(checks.filter((check) => !check.ok)).toEqual([])
    const { rows } = await pool.query<{ name: string; balance: bigint }>(
      `select account.balance from ledger.account
         join wallet on account.name = 'wallet:' || wallet.id || ':' || wallet.base_currency
         join app_user on app_user.id = wallet.user_id
        where app_user.email = any($1) order by account.currency`,
      [[alice.email, bruno.email]],
    )
    expect(rows.map((row) => row.balance)).toEqual([2325n, 7475n])
  } finally {
    await pool.end()
  }
  expect([...brunosPageErrors, ...alicesPageErrors]).toEqual([])
})
