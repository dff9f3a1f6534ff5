// A user disputes an unauthorized payment with a picture as evidence, two operators decide, and the money is returned.

import { randomUUID } from 'node:crypto'
import { expect, type Page, test } from '@playwright/test'
import { disputes } from '../../packages/contract/src/disputes/disputes.ts'
import { openLosses } from '../../packages/contract/src/payments/losses.ts'
import { sendMoney } from '../../packages/contract/src/transfers.ts'
import { enroll, fund, type TestPerson } from '@tern/testkit/people'
import { adminUrl, requireTwoOperatorsAbove, signInAsOperator } from '../desk/operators.ts'
import { signInThroughApi, productUrl } from '../pages.ts'
import { setUndo } from '../send-form.ts'
import { disputePayment } from '../steering.ts'
import { expectSoundPage, collectPageErrors } from '../page-checks.ts'

const stamp = String(Date.now()).slice(-6)
// A one-pixel PNG.
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

async function decide(page: Page, id: string, reason: string): Promise<void> {
  await page.goto(`${adminUrl()}/desk/queues/disputes`)
  await page.goto(`${adminUrl()}/desk/queues/disputes/${id}`)
  await page.getByRole('radio', { name: 'Uphold: refund' }).check()
  await page.getByRole('textbox', { name: 'Reason for your decision' }).fill(reason)
  await page.getByRole('button', { name: /^Record my decision/ }).click()
}

test('an unauthorized send is disputed with a picture, decided by two operators, and the money is back', async ({
  page,
  browser,
}) => {
  const pageErrors = collectPageErrors(page)
  const [ines, recipient] = await Promise.all([
    enroll(productUrl(), 'ines', 'United States'),
    enroll(productUrl(), 'otto', 'Germany'),
  ])
  await setUndo(ines, 0, 'nobody')
  await fund(ines, 200_00)
  const body = { recipient_id: recipient.id, amount: '40.00', source_currency: 'USD' } as const
  const { transaction_id: sent } = await ines.call(sendMoney, { body, idempotencyKey: randomUUID() })
  await signInThroughApi(page, ines)

  await page.goto('/disputes')
  await expect(page.getByText('No disputes')).toBeVisible()
  await page.goto(`/transactions?details=${sent}`)
  await page.getByRole('dialog').getByRole('link', { name: 'Something wrong?' }).click()
  await expect(page.getByRole('heading', { name: 'Something’s wrong' })).toBeVisible()
  await expect(page.getByRole('img', { name: /^The time from .* until our decision by/ })).toBeVisible()
  await expectSoundPage(page)
  await page.getByRole('radio', { name: /The amount is wrong/ }).check()
  await page.getByRole('button', { name: 'Send dispute' }).click()
  await expect(page.getByLabel('What should have arrived?')).toBeFocused()
  await expect(page.getByText('Please enter an amount.')).toBeVisible()
  await page.getByRole('radio', { name: /It never arrived/ }).check()
  await expect(page.getByText('Our record says', { exact: true })).toBeVisible()
  await page.getByRole('radio', { name: /I didn’t do this/ }).check()
  await page.getByLabel('What do you know about it?').fill('My laptop was open\nat the library.')
  const file = { name: 'chat.png', mimeType: 'image/png', buffer: Buffer.from(dot, 'base64') }
  await page.getByLabel('Add a file').setInputFiles(file)
  await expect(page.getByText('chat.png')).toBeVisible()
  await page.getByRole('button', { name: 'Send dispute' }).click()
  await expect(page.getByRole('heading', { name: '$40.40 to otto: I didn’t do this' })).toBeFocused()
  await expect(page.getByText('We’re looking into it')).toBeVisible()
  await expect(page.getByText('My laptop was open at the library.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Download', exact: true })).toBeVisible()
  await expectSoundPage(page)

  const [dispute] = (await ines.call(disputes, {})).disputes
  expect(page.url()).toContain(`/disputes/${dispute?.id}`)
  await requireTwoOperatorsAbove(10_00, 'disputes')
  for (const name of ['Marta', 'Daniel']) {
    const operator = await (await browser.newContext()).newPage()
    await signInAsOperator(operator, `${name} D${stamp}`, 'payments')
    await operator.keyboard.press('g')
    await operator.keyboard.press('d')
    const entry = operator.getByRole('list', { name: 'Disputes' }).getByRole('link').filter({ hasText: 'ines' }).first()
    const address = (await entry.getAttribute('href')) ?? ''
    await decide(operator, address.split('/').at(-1) ?? '', `${name} compared it with what is on record.`)
    const confirmation = name === 'Marta' ? 'Recorded. A second person has to decide' : 'Recorded and carried out.'
    await expect(operator.getByRole('complementary').getByText(confirmation)).toBeVisible()
    await operator.context().close()
  }

  await page.reload()
  await expect(page.getByText('$40.40 is back.')).toBeVisible()
  await expect(page.getByText('You were right', { exact: true })).toBeVisible()
  await expect(page.getByText('+$40.40')).toBeVisible()
  await expectSoundPage(page)
  expect((await ines.wallet()).fiat_balance).toBe('200.00')
  await page.goto('/disputes')
  await expect(page.getByRole('link', { name: '$40.40 to otto: I didn’t do this' })).toBeVisible()
  await expectSoundPage(page)
  await page.goto(`/disputes/${randomUUID()}`)
  await expect(page.getByText('There is no such dispute')).toBeVisible()

  await repayLoss(page, ines, recipient)
  expect(pageErrors.filter((pageError) => !/status of 404/.test(pageError))).toEqual([])
})

/**
 * Charges back the card deposit of 200 dollars, of which 50.50 are spent: outgoing payments are blocked until the loss
 * is repaid.
 */
async function repayLoss(page: Page, ines: TestPerson, recipient: TestPerson): Promise<void> {
  const body = { recipient_id: recipient.id, source_currency: 'USD' } as const
  const send = (amount: string) => ines.call(sendMoney, { body: { ...body, amount }, idempotencyKey: randomUUID() })
  await send('50.00')
  await disputePayment(ines)
  await expect.poll(async () => (await ines.call(openLosses, {})).losses, { timeout: 120_000 }).toHaveLength(1)
  await expect(send('5.00')).rejects.toMatchObject({ code: 'loss_open' })
  await page.goto('/dashboard')
  const stoppedText = page.getByText('A payment you had spent was reversed, so')
  await stoppedText.getByRole('link', { name: 'Repay it' }).click()
  const section = page.getByRole('region', { name: 'Amount owed' })
  await expect(section).toBeFocused()
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Limits' }).click()
  await expect(page.getByRole('heading', { name: 'What can leave your wallet' })).toBeVisible()
  await expect(section).toContainText('You owe $50.50')
  await expect(section).toContainText('You have $0.00: add $50.50 first.')
  await expectSoundPage(page)
  await fund(ines, 100_00)
  await section.getByRole('button', { name: 'Repay $50.50' }).click()
  const repaidStatus = section.getByRole('status')
  await expect(repaidStatus).toBeFocused()
  await expect(repaidStatus).toContainText('Money can leave your wallet again.')
  await expect(stoppedText).toHaveCount(0)
  await expectSoundPage(page)
  expect((await ines.wallet()).fiat_balance).toBe('49.50')
  await send('5.00')
  await page.reload()
  await expect(page.getByRole('heading', { name: 'What can leave your wallet' })).toBeVisible()
  await expect(section).toHaveCount(0)
}
