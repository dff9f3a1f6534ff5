import { expect, test } from '@playwright/test'
import { createQuote } from '../packages/contract/src/exchange.ts'
import { settle } from './pages.ts'
import {
  amountField,
  balancesOf,
  goToRecipient,
  goToReview,
  next,
  recipientField,
  send,
  senderAndRecipient,
  sentBy,
} from './sending.ts'
import { expectAccessible, watch } from './watch.ts'

const transferCall = '**/api/payment/transfer'

test('what cannot be sent is refused at its field, in words', async ({ page }) => {
  const [sender, recipient] = await senderAndRecipient()
  const complaints = watch(page, /status of 4(04|22)/)
  await goToRecipient(page, sender)

  await next(page)
  await expect(page.getByText('Please select a valid registered Tern user')).toBeVisible()
  await expect(page.getByText('Please enter a valid amount')).toBeVisible()
  await expect(recipientField(page)).toBeFocused()
  await expectAccessible(page)

  await recipientField(page).fill('nobody.of.this.name')
  await amountField(page).fill('5.00')
  await expect(page.getByText('Recipient not found')).toBeVisible()
  await next(page)
  await expect(recipientField(page)).toBeFocused()

  await recipientField(page).fill(sender.username)
  await amountField(page).focus()
  await expect(page.getByText('You cannot send money to yourself')).toBeVisible()
  await next(page)
  await expect(recipientField(page)).toBeFocused()

  await recipientField(page).fill(recipient.username)
  await page.getByRole('option', { name: new RegExp(recipient.username) }).click()
  await amountField(page).fill('99.50')
  await expect(page.getByText('Insufficient balance. Consider using a card or bank account instead.')).toBeVisible()
  await next(page)
  await expect(amountField(page)).toBeFocused()
  await expect(page.getByRole('link', { name: 'Add Funds' })).toBeVisible()
  await expectAccessible(page)

  await amountField(page).fill('0')
  await next(page)
  await expect(page.getByText('Please enter a valid amount')).toBeVisible()
  await amountField(page).fill('10.999')
  await expect(amountField(page)).toHaveValue('10.99')
  await expect(page.getByText('11.10 USD', { exact: true })).toBeVisible()
  expect(await balancesOf(sender, recipient)).toEqual(['100.00', '0.00'])
  expect(complaints).toEqual([])
})

test('the steps are steps of the history, and a receipt leads to no second payment', async ({ page }) => {
  const [sender, recipient] = await senderAndRecipient()
  const complaints = watch(page)
  await goToReview(page, sender, recipient, '10.00')

  await page.goBack()
  await expect(amountField(page)).toHaveValue('10.00')
  await page.goBack()
  await expect(page.getByRole('radio', { name: /USD/ })).toBeChecked()
  await expect(page).toHaveURL('/send')
  await page.goForward()
  await expect(recipientField(page)).toHaveValue(recipient.username)
  await page.goForward()
  await expect(page.getByRole('heading', { name: 'Review and Confirm' })).toBeVisible()
  await page.getByRole('button', { name: 'Back' }).click()
  await amountField(page).fill('20.00')
  await page.goForward()
  await expect(amountField(page), 'a price for another amount is not reviewed').toHaveValue('20.00')
  await next(page)
  await expect(page.getByText('20.20 USD').first()).toBeVisible()
  await send(page)
  await expect(page.getByText('Transfer Successful!')).toBeVisible()

  await page.goBack()
  await expect(page.getByText('Transfer Successful!')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Send Money' })).toHaveCount(0)
  await page.goForward()
  await expect(page.getByText('Transfer Successful!')).toBeVisible()
  await page.getByRole('button', { name: 'Send Another Payment' }).click()
  await next(page)
  await expect(recipientField(page)).toHaveValue('')
  await amountField(page).fill('7.00')
  await page.getByRole('link', { name: 'Send', exact: true }).click()
  await next(page)
  await expect(amountField(page)).toHaveValue('')
  expect(await sentBy(sender)).toBe(1)
  expect(await balancesOf(sender, recipient)).toEqual(['79.80', '18.60'])
  expect(complaints).toEqual([])
})

test('an order that gets no answer is never carried out twice, over retries, a reload and Back', async ({ page }) => {
  const [sender, recipient] = await senderAndRecipient()
  const complaints = watch(page, /ERR_FAILED/)
  await goToReview(page, sender, recipient, '25.00')
  // The order arrives and moves the money, but its answer is lost on the way.
  await page.route(transferCall, async (route) => {
    await route.fetch()
    await route.abort()
  })
  await send(page)
  await expect(page.getByText(/The connection was lost. Sending the same order again/)).toBeVisible()
  await expect(page.getByText(/We do not know yet whether your money has left/)).toBeVisible()
  await expectAccessible(page)
  await page.goBack()
  await expect(page.getByText(/We do not know yet whether your money has left/)).toBeVisible()
  await page.reload()
  await expect(page.getByText(/We do not know yet whether your money has left/)).toBeVisible()
  await page.unroute(transferCall)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('Transfer Successful!')).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  expect(await sentBy(sender)).toBe(1)
  expect(await balancesOf(sender, recipient)).toEqual(['74.75', '23.25'])
  expect(complaints).toEqual([])
})

test('a price that ends is replaced in sight of the person, and only the new one is sent', async ({ page }) => {
  const [sender, recipient] = await senderAndRecipient()
  const complaints = watch(page, /status of 409/)
  await page.clock.install()
  await goToReview(page, sender, recipient, '30.00')
  await page.clock.fastForward('04:40')
  await expect(page.getByText(/This price holds for \d+ s more/)).toBeVisible()
  await page.clock.fastForward('00:30')
  await expect(page.getByText('The price has been renewed. Nothing changed.')).toBeVisible()
  await expectAccessible(page)

  // The server finds the price too old, as on a device whose clock stands, and gives another one.
  const fresh = await sender.call(createQuote, {
    body: {
      source_currency: 'USD',
      target_currency: 'EUR',
      amount: '30.00',
      side: 'source',
      recipient_id: recipient.id,
    },
  })
  const orders: string[] = []
  await page.route(transferCall, async (route) => {
    orders.push(route.request().postDataJSON().quote_id)
    if (orders.length > 1) return route.continue()
    const problem = { type: 'about:blank', title: 'Conflict', status: 409, requestId: 'a', code: 'quote_expired' }
    const quote = { ...fresh, target_amount: '27.80' }
    return route.fulfill({ status: 409, json: { ...problem, detail: 'This quote has expired', quote } })
  })
  await send(page)
  await expect(page.getByText('The old price has expired. rosa now gets 27.80 EUR instead of 27.90 EUR.')).toBeVisible()
  await expectAccessible(page)
  expect(await balancesOf(sender, recipient)).toEqual(['100.00', '0.00'])
  await send(page)
  await expect(page.getByText('Transfer Successful!')).toBeVisible()
  expect(orders[1]).toBe(fresh.quote_id)
  expect(await sentBy(sender)).toBe(1)
  expect(await balancesOf(sender, recipient)).toEqual(['69.70', '27.90'])
  expect(complaints).toEqual([])
})
