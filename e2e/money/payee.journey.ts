import { expect, type Page, test } from '@playwright/test'
import { enroll, fund, type TestPerson } from '@tern/testkit/people'
import { linkAccount } from '../banks.ts'
import { signInThroughApi, productUrl, settle } from '../pages.ts'
import { dialog, confirmByMail } from '../step-up.ts'
import { matureCardMoney } from '../steering.ts'
import { expectAccessible, expectSoundState, collectPageErrors } from '../page-checks.ts'

// Covers the wait for the provider's event.
const longTimeout = { timeout: 120_000 }

const amountField = (page: Page) => page.getByLabel('Amount')
const withdraw = (page: Page) => page.getByRole('button', { name: 'Withdraw', exact: true })
const choose = (page: Page, bank: string) => page.getByRole('radio', { name: new RegExp(bank) }).check()
const loadBalance = async (person: TestPerson) => (await person.wallet()).fiat_balance

test('what the bank says about the account holder is told, and a mismatch leaves only when confirmed', async ({
  page,
}) => {
  const person = await enroll(productUrl(), 'ida', 'United States')
  await fund(person, 500_00)
  await matureCardMoney(person, 61)
  for (const bank of ['harbour', 'ripple', 'squall', 'haze', 'lull']) await linkAccount(person, bank, 'USD')
  const pageErrors = collectPageErrors(page, /status of 403/)
  await signInThroughApi(page, person)
  await page.goto('/withdraw')
  await amountField(page).fill('20.00')
  await expect(page.getByRole('radio', { name: /Harbour Bank/ })).toBeChecked()
  await settle(page)
  await expect(page.getByRole('checkbox')).toHaveCount(0)

  await choose(page, 'Haze Bank')
  await expect(page.getByText("The name on this account can't be checked.")).toBeVisible()
  await choose(page, 'Lull Bank')
  await expect(page.getByText("The bank hasn't told us whether this account is in your name.")).toBeVisible()
  await expectSoundState(page)

  await choose(page, 'Ripple Bank')
  await expect(page.getByText(/^The bank knows the holder of this account as /)).toBeVisible()
  await withdraw(page).click()
  await expect(page.getByText('Please check the name, then confirm that the account is yours')).toBeVisible()
  expect(await loadBalance(person)).toBe('500.00')
  await expectSoundState(page)
  await page.getByRole('checkbox', { name: 'This is my account' }).check()
  await withdraw(page).click()
  await expect(page.getByRole('heading', { name: 'Your money is on its way' })).toBeVisible(longTimeout)
  expect(await loadBalance(person)).toBe('480.00')

  await page.getByRole('button', { name: 'Make Another Withdrawal' }).click()
  await amountField(page).fill('20.00')
  await choose(page, 'Squall Bank')
  await expect(page.getByRole('alert')).toContainText('The bank says this account is not in your name.')
  await page.getByRole('checkbox', { name: /I checked the account/ }).check()
  await expectSoundState(page)
  await withdraw(page).click()
  await expect(dialog(page)).toContainText('The bank says this account is not in your name')
  await settle(page)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(page.getByText('Not confirmed. Nothing was withdrawn.')).toBeVisible()
  expect(await loadBalance(person)).toBe('480.00')
  await withdraw(page).click()
  await confirmByMail(page, person)
  await expect(page.getByRole('heading', { name: 'Your money is on its way' })).toBeVisible(longTimeout)
  expect(await loadBalance(person)).toBe('460.00')
  expect(pageErrors).toEqual([])
})
