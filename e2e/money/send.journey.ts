import { randomUUID } from 'node:crypto'
import { expect, type Page, test } from '@playwright/test'
import { createQuote } from '../../packages/contract/src/exchange.ts'
import { freezeAccount } from '../../packages/contract/src/security.ts'
import { sendMoney } from '../../packages/contract/src/transfers.ts'
import { fund, type TestPerson } from '@tern/testkit/people'
import { signInThroughApi, settle } from '../pages.ts'
import {
  amountField,
  loadBalances,
  firstStep,
  fillTransfer,
  goToRecipient,
  goToReview,
  delayCalls,
  method,
  clickNext,
  chooseExternalPayment,
  recipientField,
  clickSend,
  enrollSenderAndRecipient,
  countSends,
} from '../send-form.ts'
import { expectAccessible, collectPageErrors } from '../page-checks.ts'

const transferCall = '**/api/payment/transfer'

test('an invalid transfer is refused with a message at its field', async ({ page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient()
  const pageErrors = collectPageErrors(page, /status of 4(04|22)/)
  await goToRecipient(page, sender)

  await clickNext(page)
  await expect(page.getByText('Please select a valid registered Tern user')).toBeVisible()
  await expect(page.getByText('Please enter a valid amount')).toBeVisible()
  await expect(recipientField(page)).toBeFocused()
  await expectAccessible(page)

  await recipientField(page).fill('nobody.of.this.name')
  await amountField(page).fill('5.00')
  await expect(page.getByText('Recipient not found')).toBeVisible()
  await clickNext(page)
  await expect(recipientField(page)).toBeFocused()

  await recipientField(page).fill(sender.username)
  await amountField(page).focus()
  await expect(page.getByText('You cannot send money to yourself')).toBeVisible()
  await clickNext(page)
  await expect(recipientField(page)).toBeFocused()

  await recipientField(page).fill(recipient.username)
  await page.getByRole('option', { name: new RegExp(recipient.username) }).click()
  await amountField(page).fill('99.50')
  await expect(page.getByText('Insufficient balance. Consider using a card or bank account instead.')).toBeVisible()
  await clickNext(page)
  await expect(amountField(page)).toBeFocused()
  await expect(page.getByRole('link', { name: 'Add money' })).toBeVisible()
  await expectAccessible(page)

  await amountField(page).fill('0')
  await clickNext(page)
  await expect(page.getByText('Please enter a valid amount')).toBeVisible()
  for (const [pasted, reason] of [
    ['-5', 'Please enter a valid amount. “-5” is not above zero.'],
    ['1e3', 'Please enter a valid amount. “1e3” isn’t one'],
    ['10.999', 'has too many decimals. USD has 2.'],
  ] as const) {
    await amountField(page).fill(pasted)
    await expect(page.getByText(reason)).toBeVisible()
    await expect(amountField(page)).toHaveValue('0')
  }
  await amountField(page).fill('1.234,56')
  await expect(amountField(page)).toHaveValue('1,234.56')
  await amountField(page).fill('10.99')
  await expect(page.getByText('Total to pay $11.10')).toBeVisible()
  expect(await loadBalances(sender, recipient)).toEqual(['100.00', '0.00'])
  expect(pageErrors).toEqual([])
})

test('if the server refuses to search, the list says why, and not that no one is found', async ({ page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient()
  const pageErrors = collectPageErrors(page, /status of 403/)
  const detail = 'Please complete identity verification first.'
  const refusal = {
    type: 'about:blank',
    title: 'Forbidden',
    status: 403,
    code: 'verification_required',
    requestId: 'a',
  }
  const searches = '**/api/user/search?**'
  await page.route(searches, (route) => route.fulfill({ status: 403, json: { ...refusal, detail } }))
  await goToRecipient(page, sender)
  await recipientField(page).fill(recipient.username)
  await expect(page.getByRole('status').filter({ hasText: detail })).toHaveCount(1)
  await expect(page.getByText(detail)).toHaveCount(2)
  await expect(page.getByText('No one found. Enter the full email address.')).toHaveCount(0)
  await expectAccessible(page)
  await page.unroute(searches)
  await recipientField(page).fill(recipient.username.slice(0, -1))
  await expect(page.getByRole('option', { name: new RegExp(recipient.username) })).toBeVisible()
  await expect(page.getByText(detail)).toHaveCount(0)
  expect(pageErrors).toEqual([])
})

test('steps are history entries, and a receipt leads to no second payment', async ({ page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient()
  const pageErrors = collectPageErrors(page)
  await goToReview(page, sender, recipient, '10.00')

  await page.goBack()
  await expect(amountField(page)).toHaveValue('10.00')
  await expect(page).toHaveURL('/send')
  await expect(recipientField(page)).toHaveValue(recipient.username)
  await page.goForward()
  await expect(page.getByRole('heading', { name: 'Review and Confirm' })).toBeVisible()
  await page.getByRole('button', { name: 'Back' }).click()
  await amountField(page).fill('20.00')
  await page.goForward()
  await expect(amountField(page), 'a price for another amount is not reviewed').toHaveValue('20.00')
  await clickNext(page)
  await expect(page.getByText('Total to pay $20.20')).toBeVisible()
  await clickSend(page)
  await expect(page.getByText('Transfer Successful!')).toBeVisible()

  await page.goBack()
  await expect(page.getByText('Transfer Successful!')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Send Money' })).toHaveCount(0)
  await page.goForward()
  await expect(page.getByText('Transfer Successful!')).toBeVisible()
  await page.getByRole('button', { name: 'Send Another Payment' }).click()
  await expect(recipientField(page)).toHaveValue('')
  await recipientField(page).focus()
  await expect(
    page.getByRole('option', { name: /rosa.*Send again/ }),
    'who was paid last is there at once',
  ).toBeVisible()
  await recipientField(page).fill('x')
  await expect(page.getByText('Type one more letter.').last()).toBeVisible()
  await recipientField(page).fill('')
  await amountField(page).fill('7.00')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Send', exact: true }).click()
  await expect(amountField(page)).toHaveValue('')
  expect(await countSends(sender)).toBe(1)
  expect(await loadBalances(sender, recipient)).toEqual(['79.80', '18.60'])
  expect(pageErrors).toEqual([])
})

test('Back at the moment of the receipt leaves the receipt', async ({ page }) => {
  // Delays React's tasks once the receipt is shown, so that Back precedes the next render.
  await page.addInitScript(`
    const { postMessage } = MessagePort.prototype
    MessagePort.prototype.postMessage = function (message) {
      const isSent = document.body.textContent.includes('Transfer Successful!')
      setTimeout(() => postMessage.call(this, message), isSent ? 1000 : 0)
    }
  `)
  const [sender, recipient] = await enrollSenderAndRecipient()
  await goToReview(page, sender, recipient, '10.00')
  await clickSend(page)
  await expect(page.getByText('Transfer Successful!')).toBeVisible()
  await page.goBack()
  await expect(page.getByText('Transfer Successful!')).toHaveCount(0)
  expect(await countSends(sender)).toBe(1)
})

test('an unanswered order is executed once, across retries, a reload and Back', async ({ page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient()
  const pageErrors = collectPageErrors(page, /ERR_FAILED/)
  await goToReview(page, sender, recipient, '25.00')
  // The order moves money, but its answer is lost.
  await page.route(transferCall, async (route) => {
    await route.fetch()
    await route.abort()
  })
  await clickSend(page)
  await expect(page.getByText(/The connection was lost. We’re trying again/)).toBeVisible()
  await expect(page.getByText(/We don’t know yet whether your money has left/)).toBeVisible()
  await expectAccessible(page)
  await page.goBack()
  await expect(page.getByText(/We don’t know yet whether your money has left/)).toBeVisible()
  await page.reload()
  await expect(page.getByText(/We don’t know yet whether your money has left/)).toBeVisible()
  await page.unroute(transferCall)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('Transfer Successful!')).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  expect(await countSends(sender)).toBe(1)
  expect(await loadBalances(sender, recipient)).toEqual(['74.75', '23.25'])
  expect(pageErrors).toEqual([])
})

test('a double click, and a reload before the answer, make one payment', async ({ page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient()
  await goToReview(page, sender, recipient, '25.00')
  let orders = 0
  let isReloaded = false
  const transferArrived = new Promise<void>((resolve) => {
    void page.route(transferCall, async (route) => {
      if (isReloaded) return route.continue()
      orders += 1
      await route.fetch()
      resolve()
    })
  })
  await page.getByRole('button', { name: 'Send Money' }).dblclick()
  await transferArrived
  // The first call stays unanswered.
  isReloaded = true
  await page.reload()
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('Transfer Successful!')).toBeVisible()
  expect(orders).toBe(1)
  expect(await countSends(sender)).toBe(1)
  expect(await loadBalances(sender, recipient)).toEqual(['74.75', '23.25'])
})

test('a refused order succeeds once funded: pressing again sends a new one', async ({ page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient(40_00)
  const pageErrors = collectPageErrors(page, /status of 422|ERR_FAILED/)
  const keys: (string | undefined)[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/api/payment/transfer')) keys.push(request.headers()['idempotency-key'])
  })
  // Without the event stream the page does not learn of changes elsewhere.
  await page.route('**/api/events', (route) => route.abort())
  await goToReview(page, sender, recipient, '25.00')
  const sendBody = { recipient_id: recipient.id, amount: '25.00', source_currency: 'USD' } as const
  await sender.call(sendMoney, { body: sendBody, idempotencyKey: randomUUID() })
  await clickSend(page)
  await expect(page.getByText(/Insufficient balance/)).toBeVisible()
  await fund(sender, 40_00)
  await clickSend(page)
  await expect(page.getByText('Transfer Successful!')).toBeVisible()
  expect(new Set(keys).size).toBe(2)
  expect(await countSends(sender)).toBe(2)
  expect(await loadBalances(sender, recipient)).toEqual(['29.50', '46.50'])
  expect(pageErrors).toEqual([])
})

test('an expired price is visibly replaced, and only the new one is sent', async ({ page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient()
  const pageErrors = collectPageErrors(page, /status of 409/)
  await page.clock.install()
  await goToReview(page, sender, recipient, '30.00')
  // Jumps to the last thirty seconds of the price, some of which may have passed on a slow machine.
  await page.clock.fastForward('04:31')
  await expect(page.getByText(/This price holds for \d+ s more/)).toBeVisible()
  await page.clock.fastForward('00:30')
  await expect(page.getByText('The price was renewed. Nothing changed.')).toBeVisible()
  await expectAccessible(page)

  // Simulates an expiry that only the server notices, as with a stopped device clock; the refusal has a new quote.
  const freshQuote = await sender.call(createQuote, {
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
    const quote = { ...freshQuote, target_amount: '27.80' }
    return route.fulfill({ status: 409, json: { ...problem, detail: 'This quote has expired', quote } })
  })
  await clickSend(page)
  await expect(page.getByText('The old price expired. rosa now gets €27.80 instead of €27.90.')).toBeVisible()
  await expectAccessible(page)
  expect(await loadBalances(sender, recipient)).toEqual(['100.00', '0.00'])
  await clickSend(page)
  await expect(page.getByText('Transfer Successful!')).toBeVisible()
  expect(orders[1]).toBe(freshQuote.quote_id)
  expect(await countSends(sender)).toBe(1)
  expect(await loadBalances(sender, recipient)).toEqual(['69.70', '27.90'])
  expect(pageErrors).toEqual([])
})

test('a price that expires at the moment of sending is the one sent', async ({ page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient()
  await page.clock.install()
  await goToReview(page, sender, recipient, '30.00')
  const quoteReleased = Promise.withResolvers<void>()
  const quoteRequest = page.waitForRequest('**/api/quotes')
  await page.route('**/api/quotes', async (route) => {
    await quoteReleased.promise
    const reply = await route.fetch()
    await route.fulfill({ json: { ...(await reply.json()), target_amount: '27.70' } })
  })
  const releaseTransfer = await delayCalls(page, transferCall)
  await page.clock.fastForward('05:00')
  await quoteRequest
  await clickSend(page)
  await expect(page.getByRole('button', { name: 'Processing...' })).toBeVisible()
  const quoteResponse = page.waitForResponse('**/api/quotes')
  quoteReleased.resolve()
  await (await quoteResponse).finished()
  await settle(page)
  await expect(page.getByText('27.70')).toHaveCount(0)
  await expect(page.getByText('€27.90').first()).toBeVisible()
  releaseTransfer()
  await expect(page.getByText('Transfer Successful!')).toBeVisible()
  expect(await loadBalances(sender, recipient)).toEqual(['69.70', '27.90'])
})

test('no press or key is lost to moving or late content', async ({ page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient(0)
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, sender)
  await page.goto('/send')
  await expect(firstStep(page)).toBeVisible()
  // Types into the field as soon as it exists.
  await page.evaluate(`{
    const watching = new MutationObserver(() => {
      const field = document.querySelector('#send-recipient')
      if (!field) return
      watching.disconnect()
      field.focus()
      document.execCommand('insertText', false, '${recipient.username.slice(0, -1)}')
    })
    watching.observe(document.body, { childList: true, subtree: true })
  }`)
  await clickNext(page)
  const option = page.getByRole('option', { name: new RegExp(recipient.username) })
  await expect(option).toBeVisible()
  await expect(recipientField(page)).toBeFocused()

  // The list closes on blur, which moves the button below it during the press.
  const { x, y, width, height } = (await page.getByRole('button', { name: 'Next' }).boundingBox())!
  await page.mouse.move(x + width / 2, y + height / 2)
  await page.mouse.down()
  await page.mouse.up()
  await expect(page.getByText('Please enter a valid amount')).toBeVisible()
  await expect(option).toHaveCount(0)

  await recipientField(page).fill(recipient.username)
  await option.click()
  await amountField(page).fill('150.00')
  const releaseCards = await delayCalls(page, '**/api/payment/methods')
  await chooseExternalPayment(page)
  const sendButton = page.getByRole('button', { name: 'Send Money' })
  await expect(sendButton, 'it is not known yet what would pay').toBeDisabled()
  releaseCards()
  await expect(sendButton).toBeEnabled()
  await expect(method(page, 'card')).toBeChecked()
  expect(pageErrors).toEqual([])
})

test('typing on or leaving while an answer is pending is not interrupted by it', async ({ page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient()
  const pageErrors = collectPageErrors(page)
  await goToRecipient(page, sender)
  await fillTransfer(page, recipient, '6.00')
  await expect(page.getByText('Total to pay $6.06')).toBeVisible()
  const processing = page.getByRole('button', { name: 'Processing...' })
  const releaseQuotes = await delayCalls(page, '**/api/quotes')
  await amountField(page).fill('7.00')
  await clickNext(page)
  await expect(processing).toBeVisible()
  await amountField(page).fill('8.00')
  releaseQuotes()
  await expect(page.getByText('Total to pay $8.08')).toBeVisible()
  await expect(processing).toHaveCount(0)
  await expect(amountField(page), 'the price of another amount is not reviewed').toHaveValue('8.00')

  const releaseLaterQuotes = await delayCalls(page, '**/api/quotes')
  await amountField(page).fill('9.00')
  await clickNext(page)
  await expect(processing).toBeVisible()
  await page.getByRole('link', { name: 'Dashboard', exact: true }).click()
  await expect(page).toHaveURL(/\/dashboard$/)
  releaseLaterQuotes()
  await settle(page)
  await expect(page).toHaveURL(/\/dashboard$/)
  expect(pageErrors).toEqual([])
})

test('the recipient gets exactly the typed amount, whatever that costs', async ({ page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient()
  await goToRecipient(page, sender)
  await fillTransfer(page, recipient, '10.00')
  await expect(page.getByText('Total to pay $10.10')).toBeVisible()
  await page.getByRole('button', { name: /^Enter what .* gets instead$/ }).click()
  // The field shows the amount that the recipient gets from the same transfer.
  const exactField = page.getByRole('textbox', { name: / gets exactly$/ })
  await expect(exactField).toHaveValue('9.30')
  await exactField.fill('50.00')
  await expect(page.getByText('Total to pay $54.31')).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  await clickNext(page)
  await expect(page.getByRole('heading', { name: 'Review and Confirm' })).toBeVisible()
  await page.goBack()
  await expect(exactField).toHaveValue('50.00')
  await clickNext(page)
  await clickSend(page)
  await expect(page.getByText('Transfer Successful!')).toBeVisible()
  expect(await loadBalances(sender, recipient)).toEqual(['45.69', '50.00'])

  // A received amount whose total exceeds the balance is refused.
  await page.getByRole('button', { name: 'Send Another Payment' }).click()
  await fillTransfer(page, recipient, '1.00')
  await page.getByRole('button', { name: /^Enter what .* gets instead$/ }).click()
  await exactField.fill('400.00')
  await expect(page.getByText('Insufficient balance. Consider using a card or bank account instead.')).toBeVisible()
})

test('on a phone every step of a send has its main button in the window, above a keyboard too', async ({ page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient()
  const pageErrors = collectPageErrors(page)
  const expectInWindow = async (name: string) => {
    await settle(page)
    expect(await page.evaluate('scrollY'), 'nothing was scrolled').toBe(0)
    await expect(page.getByRole('button', { name, exact: true })).toBeInViewport({ ratio: 1 })
    const width = await page.evaluate('document.documentElement.scrollWidth')
    expect(width, 'nothing runs off the side').toBeLessThanOrEqual(390)
  }
  await page.setViewportSize({ width: 390, height: 844 })
  await signInThroughApi(page, sender)
  await page.goto('/send')
  await expect(firstStep(page)).toBeVisible()
  await expectInWindow('Next')
  await expect(page.getByText('Choose who gets it')).toBeVisible()
  await clickNext(page)
  await expect(recipientField(page), 'pressed too early, it shows what is missing').toBeFocused()
  await fillTransfer(page, recipient, '10.00')
  await expect(page.getByText('Total to pay $10.10')).toBeVisible()
  await expectInWindow('Next')
  await page.setViewportSize({ width: 390, height: 514 })
  await expectInWindow('Next')
  await expect(amountField(page)).toBeInViewport({ ratio: 1 })
  await expectAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await clickNext(page)
  await expect(page.getByRole('heading', { name: 'Review and Confirm' })).toBeVisible()
  await expectInWindow('Send Money')
  await page.getByRole('button', { name: 'Back' }).click()
  await expect(amountField(page)).toHaveValue('10.00')
  await amountField(page).fill('150.00')
  await expect(page.getByText('$51.50 over balance')).toBeVisible()
  await expectInWindow('Next')
  await clickNext(page)
  await expect(method(page, 'wallet + card')).toBeChecked()
  expect(pageErrors).toEqual([])
})

test('a frozen account is announced at the first step, with unfreezing as the only action', async ({ page }) => {
  const [sender] = await enrollSenderAndRecipient()
  await sender.call(freezeAccount, {})
  await goToRecipientPage(page, sender)
  const unfreeze = page.getByRole('main').getByRole('link', { name: 'Unfreeze', exact: true })
  await expect(unfreeze).toBeVisible()
  await expect(page.getByRole('button', { name: 'Next' })).toHaveCount(0)
  await expectAccessible(page)
  await unfreeze.click()
  await expect(page).toHaveURL(/\/settings#freeze$/)
})

async function goToRecipientPage(page: Page, sender: TestPerson): Promise<void> {
  await signInThroughApi(page, sender)
  await page.goto('/send')
  await expect(firstStep(page)).toBeVisible()
}
