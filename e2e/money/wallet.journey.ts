import { randomUUID } from 'node:crypto'
import { expect, type Page, test } from '@playwright/test'
import { sendMoney } from '../../packages/contract/src/transfers.ts'
import { exchange } from '@tern/testkit/attacks/transfer-methods'
import { enroll, fund } from '@tern/testkit/people'
import { signInThroughApi, productUrl, settle, themes } from '../pages.ts'
import { setUndo } from '../send-form.ts'
import { matureCardMoney } from '../steering.ts'
import { expectAccessible, expectSoundPage, expectSoundState, collectPageErrors } from '../page-checks.ts'

test('money is exchanged into cryptocurrency and back at the displayed price', async ({ page }) => {
  const person = await enroll(productUrl(), 'wanda', 'United States')
  await fund(person, 200_00)
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, person)
  await page.goto('/wallet')
  const amount = page.getByLabel('Amount')
  const convert = page.getByRole('button', { name: 'Convert' })
  const asset = (name: string) => page.getByRole('listitem').filter({ hasText: name })

  await expect(amount).toHaveCount(0)
  await page.locator('summary').filter({ hasText: 'Currency Protection' }).click()
  await expect(page.getByRole('heading', { name: 'Why Use Cryptocurrency?' })).toBeVisible()
  await convert.click()
  await expect(page.getByText('Please enter a valid amount to convert')).toBeVisible()
  await amount.fill('200.00')
  await expect(page.getByText('The amount and its fee exceed your balance of $200.00.')).toBeVisible()
  await settle(page)
  await expectAccessible(page)

  await amount.fill('50.00')
  await expect(page.getByText('$50.50', { exact: true })).toBeVisible()
  await convert.click()
  await expect(page.getByText('Converted $50.00 to 50.00 USDT')).toBeVisible()
  await expect(asset('Tether')).toContainText('50.000000')
  await expect(page.getByText('Available $149.50')).toBeVisible()

  await page.getByRole('button', { name: 'Crypto to USD' }).click()
  await expect(page.getByText(/^Available 50\.0+ USDT$/)).toBeVisible()
  await amount.fill('20')
  await expect(page.getByText('20.20 USDT', { exact: true })).toBeVisible()
  await convert.click()
  await expect(page.getByText('Converted 20.00 USDT to $20.00')).toBeVisible()
  await expect(asset('Tether')).toContainText('29.800000')
  await settle(page)
  await expectAccessible(page)

  const { fiat_balance: fiat, assets } = await person.wallet()
  expect(fiat).toBe('169.50')
  expect(assets.find(({ currency }) => currency === 'USDT')?.available).toBe('29.800000')
  await expect(page.getByText('USD to USDT')).toBeVisible()
  await expect(page.getByText('USDT to USD')).toBeVisible()
  expect(pageErrors).toEqual([])
})

test('the wallet shows its balance over time, and whole shares of all assets', async ({ page }) => {
  const person = await enroll(productUrl(), 'wim', 'Germany')
  await fund(person, 930_00)
  await exchange(person, 'EUR', 'USDT', '465.00')
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, person)
  await page.goto('/wallet')
  await expect(page.getByRole('img', { name: /^Balance over 30 days: .* now €460\.35\.$/ })).toBeVisible()
  const row = (name: string) => page.getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) })
  await expect(row('Tether')).toContainText('500.000000 USDT')
  await expect(row('Tether')).toContainText(/50%\s*€465\.00/)
  await expect(row('Euro')).toContainText(/50%\s*€460\.35/)
  await expect(page.getByText("All together, at today's rates")).toBeVisible()
  await expect(page.getByText('€925.35')).toBeVisible()
  await expect(page.getByRole('link', { name: 'View All' })).toBeVisible()
  await expect(page.getByText('Your euros become USDT')).toBeVisible()
  await page.locator('summary').filter({ hasText: 'Currency Protection' }).click()
  await expect(page.getByRole('button', { name: 'Convert' })).toBeVisible()
  await expectSoundPage(page)
  expect(pageErrors).toEqual([])
})

test('wallet and details show a recipient of card money how much can go to a bank later', async ({ page }) => {
  const [sender, recipient] = await Promise.all([
    enroll(productUrl(), 'cara', 'United States'),
    enroll(productUrl(), 'cody', 'United States'),
  ])
  await fund(recipient, 1_00)
  await matureCardMoney(recipient)
  await fund(sender, 50_00)
  await setUndo(sender, 0, 'nobody')
  await sender.call(sendMoney, {
    body: { recipient_id: recipient.id, amount: '20.00', source_currency: 'USD' },
    idempotencyKey: randomUUID(),
  })
  await exchange(recipient, 'USD', 'USDT', '5.00')
  const pageErrors = collectPageErrors(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await signInThroughApi(page, recipient)
  await page.goto('/wallet')
  const restrictedNote = page.getByText(/^\$15\.95 added by card can be withdrawn from [A-Z][a-z]{2} \d/)
  await expect(restrictedNote).toBeVisible()
  await expect(page.getByText('Some of it was sent to you by someone who added it that way.').first()).toBeVisible()
  await expect(page.getByText(/^4\.\d+ USDT added by card can be withdrawn from /)).toBeVisible()
  await expect(page.getByText('Exchange it to USD first.')).toBeVisible()
  await expectSoundState(page)
  await takePictures(page, 'wallet')

  await page.goto('/transactions')
  await page.getByRole('button', { name: /cara/i }).first().click()
  const details = page.getByRole('dialog')
  await expect(details).toContainText(/\$15\.95 of your USD balance can be withdrawn from [A-Z][a-z]{2} \d/)
  await expectSoundState(page)
  await takePictures(page, 'details')
  await page.keyboard.press('Escape')
  await page
    .getByRole('button', { name: /Deposit/ })
    .first()
    .click()
  await expect(details).toContainText('$1.00')
  await settle(page)
  await expect(details, 'older than all card money').not.toContainText('can go to a bank')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /cara/i }).first().click()
  await details.getByRole('link', { name: 'See your wallet' }).click()
  await expect(restrictedNote).toBeVisible()

  await matureCardMoney(recipient, 8)
  await page.reload()
  await expect(page.locator('.wallet-main .balance')).toContainText('$15.95')
  await expect(page.getByText('Exchange it to USD first.')).toHaveCount(0)
  await expect(restrictedNote).toHaveCount(0)
  expect(pageErrors).toEqual([])
})

/** Takes screenshots of the current page if PICTURES names a folder. */
async function takePictures(page: Page, name: string): Promise<void> {
  for (const colorScheme of process.env.PICTURES ? themes : []) {
    for (const width of [1440, 390]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 844 })
      await settle(page)
      await page.screenshot({ path: `${process.env.PICTURES}/${name}-${width}-${colorScheme}.png`, fullPage: true })
    }
  }
}
