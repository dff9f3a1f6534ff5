import { type Browser, expect, type Page, test } from '@playwright/test'
import { type Transaction } from '../../packages/contract/src/transactions.ts'
import type { TestPerson } from '@tern/testkit/people'
import { payByCard, testCards } from '../checkout.ts'
import { waitForMail } from '../mailbox.ts'
import { signInThroughApi, settle } from '../pages.ts'
import {
  amountField,
  loadBalances,
  fillTransfer,
  goToRecipient,
  method,
  clickNext,
  chooseExternalPayment,
  recipientField,
  reviewHeading,
  clickSend,
  enrollSenderAndRecipient,
} from '../send-form.ts'
import { expectAccessible, collectPageErrors } from '../page-checks.ts'

const cryptoSwitch = (page: Page) => page.getByRole('switch', { name: 'Send as cryptocurrency' })
const assetSelect = (page: Page) => page.getByLabel('Cryptocurrency', { exact: true })

const loadNewest = async (person: TestPerson): Promise<Transaction> => (await person.transactions())[0]!

/** Checks balance and amount on the recipient's pages and in their mail, ignoring trailing zeros. */
async function expectReceivedTransaction(
  browser: Browser,
  recipient: TestPerson,
  name: string,
  sentTransaction: Transaction,
): Promise<void> {
  const context = await browser.newContext()
  const page = await context.newPage()
  const pageErrors = collectPageErrors(page)
  const digits = sentTransaction.target_amount.replace(/0+$/, '')
  const amount = new RegExp(`${digits.replace('.', '\\.')}0* ${sentTransaction.target_currency}`)
  await signInThroughApi(page, recipient)
  await page.goto('/wallet')
  await expect(page.getByRole('listitem').filter({ hasText: name })).toContainText(digits)
  await page.goto(`/transactions?details=${(await loadNewest(recipient)).id}`)
  await expect(page.getByRole('dialog').getByText(amount).first()).toBeVisible()
  expect(pageErrors).toEqual([])
  await context.close()
  await waitForMail(recipient.email, amount)
}

test('the wallet leads to a send as Bitcoin, which arrives to the last unit', async ({ browser, page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient()
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, sender)
  await page.goto('/wallet')
  await page.getByRole('link', { name: 'Send as cryptocurrency' }).click()
  await expect(recipientField(page)).toBeVisible()
  await expect(cryptoSwitch(page)).toBeChecked()
  await expect(assetSelect(page)).toHaveValue('BTC')
  await expect(page.getByText('Crypto sends can take a little longer.')).toBeVisible()

  await assetSelect(page).selectOption('Choose a cryptocurrency')
  await fillTransfer(page, recipient, '50.00')
  await clickNext(page)
  await expect(page.getByText('Please select a cryptocurrency')).toBeVisible()
  await expect(assetSelect(page)).toBeFocused()
  await expectAccessible(page)
  await assetSelect(page).selectOption('BTC')
  await expect(page.getByText('Please select a cryptocurrency')).toHaveCount(0)

  await clickNext(page)
  await expect(reviewHeading(page)).toBeVisible()
  await expect(page.getByText('in minutes')).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  await clickSend(page)
  await expect(page.getByText('Transfer Successful!')).toBeVisible()
  const sentTransaction = await loadNewest(sender)
  expect(sentTransaction).toMatchObject({ source_amount: '50.00', amount: '50.50', target_currency: 'BTC' })
  await expect(page.getByText(`${sentTransaction.target_amount} BTC`).first()).toBeVisible()

  const bitcoin = (await recipient.wallet()).assets.find(({ currency }) => currency === 'BTC')
  expect(bitcoin?.available).toBe(sentTransaction.target_amount)
  expect(await loadBalances(sender, recipient)).toEqual(['49.50', '0.00'])
  await expectReceivedTransaction(browser, recipient, 'Bitcoin', sentTransaction)
  expect(pageErrors).toEqual([])
})

test('the switch sends USD Coin; an exact amount in one currency does not become the same figure of another', async ({
  browser,
  page,
}) => {
  const [sender, recipient] = await enrollSenderAndRecipient()
  const pageErrors = collectPageErrors(page)
  await goToRecipient(page, sender)
  await expect(cryptoSwitch(page)).not.toBeChecked()
  await fillTransfer(page, recipient, '20.00')
  await expect(page.getByText('Total to pay $20.20')).toBeVisible()
  await page.getByRole('button', { name: /^Enter what .* gets instead$/ }).click()
  const exactField = page.getByLabel(/gets exactly/)
  await expect(exactField).not.toHaveValue('20.00')
  const euros = await exactField.inputValue()
  await expect(page.getByText(/Total to pay \$20\.2\d/).first()).toBeVisible()

  await cryptoSwitch(page).click()
  await expect(assetSelect(page)).toHaveValue('USDT')
  await expect(amountField(page)).toHaveValue(/^20\.0\d$/)
  expect(await amountField(page).inputValue()).not.toBe(euros)
  await amountField(page).fill('20.00')
  await assetSelect(page).selectOption('USDC')
  await expect(page.getByText('USDC').first()).toBeVisible()
  await clickNext(page)
  await expect(reviewHeading(page)).toBeVisible()
  await clickSend(page)
  await expect(page.getByText('Transfer Successful!')).toBeVisible()
  const sentTransaction = await loadNewest(sender)
  expect(sentTransaction).toMatchObject({ amount: '20.20', target_currency: 'USDC' })
  expect(await loadBalances(sender, recipient)).toEqual(['79.80', '0.00'])
  const usdc = (await recipient.wallet()).assets.find(({ currency }) => currency === 'USDC')
  expect(usdc?.available).toBe(sentTransaction.target_amount)
  await expectReceivedTransaction(browser, recipient, 'USD Coin', sentTransaction)
  expect(pageErrors).toEqual([])
})

test('a card pays for Ethereum for another user', async ({ browser, page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient(0)
  const pageErrors = collectPageErrors(page)
  await goToRecipient(page, sender)
  await fillTransfer(page, recipient, '30.00')
  await cryptoSwitch(page).click()
  await assetSelect(page).selectOption('ETH')
  await chooseExternalPayment(page)
  await expect(method(page, 'card')).toBeChecked()
  await clickSend(page)
  await payByCard(page, testCards.good)
  await expect(page.getByText('Transfer Successful!')).toBeVisible({ timeout: 120_000 })
  const sentTransaction = await loadNewest(sender)
  expect(sentTransaction).toMatchObject({ payment_source: 'card', amount: '30.30', target_currency: 'ETH' })
  const ether = (await recipient.wallet()).assets.find(({ currency }) => currency === 'ETH')
  expect(ether?.available).toBe(sentTransaction.target_amount)
  await expectReceivedTransaction(browser, recipient, 'Ethereum', sentTransaction)
  expect(pageErrors).toEqual([])
})
