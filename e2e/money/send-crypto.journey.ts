import { type Browser, expect, type Page, test } from '@playwright/test'
import { type Transaction } from '../../packages/contract/src/transactions.ts'
import type { TestPerson } from '@tern/testkit/people'
import { payWith, testCards } from '../checkout.ts'
import { mailed } from '../mailbox.ts'
import { enter, settle } from '../pages.ts'
import {
  amountField,
  loadBalances,
  fillTransfer,
  goToRecipient,
  method,
  next,
  payOutside,
  recipientField,
  reviewHeading,
  send,
  senderAndRecipient,
} from '../sending.ts'
import { expectAccessible, watch } from '../watch.ts'

const asCrypto = (page: Page) => page.getByRole('switch', { name: 'Send as cryptocurrency' })
const choice = (page: Page) => page.getByLabel('Cryptocurrency', { exact: true })

const newest = async (person: TestPerson): Promise<Transaction> => (await person.transactions())[0]!

/** Checks the recipient's pages and mail for balance and amount, ignoring trailing zeros. */
async function expectReceived(browser: Browser, recipient: TestPerson, name: string, sent: Transaction): Promise<void> {
  const context = await browser.newContext()
  const page = await context.newPage()
  const complaints = watch(page)
  const digits = sent.target_amount.replace(/0+$/, '')
  const amount = new RegExp(`${digits.replace('.', '\\.')}0* ${sent.target_currency}`)
  await enter(page, recipient)
  await page.goto('/wallet')
  await expect(page.getByRole('listitem').filter({ hasText: name })).toContainText(digits)
  await page.goto(`/transactions?details=${(await newest(recipient)).id}`)
  await expect(page.getByRole('dialog').getByText(amount).first()).toBeVisible()
  expect(complaints).toEqual([])
  await context.close()
  await mailed(recipient.email, amount)
}

test('the wallet leads to a send as Bitcoin, which arrives to the last unit', async ({ browser, page }) => {
  const [sender, recipient] = await senderAndRecipient()
  const complaints = watch(page)
  await enter(page, sender)
  await page.goto('/wallet')
  await page.getByRole('link', { name: 'Send as cryptocurrency' }).click()
  await expect(recipientField(page)).toBeVisible()
  await expect(asCrypto(page)).toBeChecked()
  await expect(choice(page)).toHaveValue('BTC')
  await expect(page.getByText('Crypto sends can take a little longer.')).toBeVisible()

  await choice(page).selectOption('Choose a cryptocurrency')
  await fillTransfer(page, recipient, '50.00')
  await next(page)
  await expect(page.getByText('Please select a cryptocurrency')).toBeVisible()
  await expect(choice(page)).toBeFocused()
  await expectAccessible(page)
  await choice(page).selectOption('BTC')
  await expect(page.getByText('Please select a cryptocurrency')).toHaveCount(0)

  await next(page)
  await expect(reviewHeading(page)).toBeVisible()
  await expect(page.getByText('in minutes')).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  await send(page)
  await expect(page.getByText('Transfer Successful!')).toBeVisible()
  const sent = await newest(sender)
  expect(sent).toMatchObject({ source_amount: '50.00', amount: '50.50', target_currency: 'BTC' })
  await expect(page.getByText(`${sent.target_amount} BTC`).first()).toBeVisible()

  const bitcoin = (await recipient.wallet()).assets.find(({ currency }) => currency === 'BTC')
  expect(bitcoin?.available).toBe(sent.target_amount)
  expect(await loadBalances(sender, recipient)).toEqual(['49.50', '0.00'])
  await expectReceived(browser, recipient, 'Bitcoin', sent)
  expect(complaints).toEqual([])
})

test('the switch sends USD Coin; an exact amount in one currency does not become the same figure of another', async ({
  browser,
  page,
}) => {
  const [sender, recipient] = await senderAndRecipient()
  const complaints = watch(page)
  await goToRecipient(page, sender)
  await expect(asCrypto(page)).not.toBeChecked()
  await fillTransfer(page, recipient, '20.00')
  await expect(page.getByText('Total to pay $20.20')).toBeVisible()
  await page.getByRole('button', { name: /^Enter what .* gets instead$/ }).click()
  const exact = page.getByLabel(/gets exactly/)
  await expect(exact).not.toHaveValue('20.00')
  const euros = await exact.inputValue()
  await expect(page.getByText(/Total to pay \$20\.2\d/).first()).toBeVisible()

  await asCrypto(page).click()
  await expect(choice(page)).toHaveValue('USDT')
  await expect(amountField(page)).toHaveValue(/^20\.0\d$/)
  expect(await amountField(page).inputValue()).not.toBe(euros)
  await amountField(page).fill('20.00')
  await choice(page).selectOption('USDC')
  await expect(page.getByText('USDC').first()).toBeVisible()
  await next(page)
  await expect(reviewHeading(page)).toBeVisible()
  await send(page)
  await expect(page.getByText('Transfer Successful!')).toBeVisible()
  const sent = await newest(sender)
  expect(sent).toMatchObject({ amount: '20.20', target_currency: 'USDC' })
  expect(await loadBalances(sender, recipient)).toEqual(['79.80', '0.00'])
  const coin = (await recipient.wallet()).assets.find(({ currency }) => currency === 'USDC')
  expect(coin?.available).toBe(sent.target_amount)
  await expectReceived(browser, recipient, 'USD Coin', sent)
  expect(complaints).toEqual([])
})

test('a card pays for Ethereum for another user', async ({ browser, page }) => {
  const [sender, recipient] = await senderAndRecipient(0)
  const complaints = watch(page)
  await goToRecipient(page, sender)
  await fillTransfer(page, recipient, '30.00')
  await asCrypto(page).click()
  await choice(page).selectOption('ETH')
  await payOutside(page)
  await expect(method(page, 'card')).toBeChecked()
  await send(page)
  await payWith(page, testCards.good)
  await expect(page.getByText('Transfer Successful!')).toBeVisible({ timeout: 120_000 })
  const sent = await newest(sender)
  expect(sent).toMatchObject({ payment_source: 'card', amount: '30.30', target_currency: 'ETH' })
  const ether = (await recipient.wallet()).assets.find(({ currency }) => currency === 'ETH')
  expect(ether?.available).toBe(sent.target_amount)
  await expectReceived(browser, recipient, 'Ethereum', sent)
  expect(complaints).toEqual([])
})
