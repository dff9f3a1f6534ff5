import { randomUUID } from 'node:crypto'
import { expect, type Page, test } from '@playwright/test'
import { setOwnLimit } from '../../packages/contract/src/limits.ts'
import { sendMoney } from '../../packages/contract/src/transfers.ts'
import { enroll, fund, type TestPerson } from '@tern/testkit/people'
import { signInThroughApi, productUrl, settle, themes, widths } from '../pages.ts'
import { dialog, confirmByMail } from '../step-up.ts'
import { amountField, goToReview, reviewHeading, clickSend, countSends, setUndo } from '../send-form.ts'
import { expectAccessible, expectSoundState, collectPageErrors } from '../page-checks.ts'

// The browser logs these refusals: an exceeded limit, and a step-up requirement.
const refusals = /status of (403|422)/

const findRuler = (page: Page, title: string, period: string) =>
  page.getByRole('region', { name: title }).getByRole('group', { name: period })
const findOutgoingRuler = (page: Page) => findRuler(page, 'What can leave your wallet', 'Per day')
const actionList = (page: Page) => page.getByRole('list', { name: 'What you can do' })

async function enrollSenderAndRecipient(): Promise<[TestPerson, TestPerson]> {
  const [sender, recipient] = await Promise.all([
    enroll(productUrl(), 'lina', 'United States'),
    enroll(productUrl(), 'nils', 'Germany'),
  ])
  await setUndo(sender, 0, 'nobody')
  await fund(sender, 200_00)
  return [sender, recipient]
}

const setLimit = (person: TestPerson, max: string) =>
  person.call(setOwnLimit, { body: { direction: 'out', period: 'day', max } })

test('a lower limit holds at once, is met while sending with alternatives, and rises after a day', async ({ page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient()
  const pageErrors = collectPageErrors(page, refusals)
  await signInThroughApi(page, sender)
  await page.goto('/settings/limits')
  await expect(page.getByText('These are the limits for verified people in the United States.')).toBeVisible()
  await expect(findOutgoingRuler(page)).toContainText('$15,000.00')
  await expect(findOutgoingRuler(page)).toContainText('Nothing used today.')
  await settle(page)
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Set a daily limit for money out' }).click()
  const change = page.getByRole('dialog', { name: 'Your daily limit' })
  const field = change.getByLabel('Send, exchange and withdraw per day')
  await expect(field).toBeFocused()
  await change.getByRole('button', { name: 'Save' }).click()
  await expect(change.getByText('Please enter an amount')).toBeVisible()
  await field.fill('20000')
  await expect(change.getByText("Tern's limit for you is $15,000.00")).toBeVisible()
  await field.fill('30')
  await expect(change.getByRole('status')).toContainText('A lower limit takes effect at once. $30.00 would be left.')
  await expectAccessible(page)
  await change.getByRole('button', { name: 'Set to $30.00' }).click()
  await expect(page.getByText('Your limit is now $30.00.')).toBeVisible()
  await expect(findOutgoingRuler(page)).toContainText('left of your $30.00')

  await goToReview(page, sender, recipient, '50.00')
  await clickSend(page)
  await expect(page.getByRole('alert')).toContainText(
    'This would exceed your own daily limit of $30.00 for outgoing money. $30.00 is left today.',
  )
  await expect(actionList(page).getByRole('listitem')).toHaveCount(2)
  await expect(actionList(page)).toContainText('Raise your limit')
  await settle(page)
  await expectAccessible(page)
  await actionList(page).getByRole('button', { name: 'Send $30.00 now' }).click()
  await expect(amountField(page)).toHaveValue('30.00')
  await page.getByRole('button', { name: 'Next' }).click()
  await expect(reviewHeading(page)).toBeVisible()
  await clickSend(page)
  await expect(page.getByRole('heading', { level: 1, name: /Sent|sent|Success/ })).toBeVisible()
  expect(await countSends(sender)).toBe(1)

  await page.goto('/settings/limits')
  await expect(findOutgoingRuler(page)).toContainText('$30.00 used. It becomes available')
  await page.getByRole('button', { name: 'Change your daily limit for money out' }).click()
  await field.fill('60')
  await expect(change.getByRole('status')).toContainText('A higher limit takes effect tomorrow at')
  await change.getByRole('button', { name: 'Raise to $60.00' }).click()
  await expect(dialog(page)).toContainText('We ask before you raise a limit you set for yourself.')
  await page.getByRole('button', { name: 'Close' }).click()
  await expect(change.getByText('Not confirmed. Your limit is unchanged.')).toBeVisible()
  await change.getByRole('button', { name: 'Raise to $60.00' }).click()
  await confirmByMail(page, sender)
  await expect(page.getByText(/^Your limit rises to \$60\.00 tomorrow at \d{1,2}:\d\d\s[AP]M\.$/)).toBeVisible()
  await expect(findOutgoingRuler(page)).toContainText(/Your limit rises to \$60\.00 tomorrow at \d{1,2}:\d\d\s[AP]M\./)
  await expect(findOutgoingRuler(page)).toContainText('left of your $30.00')
  await expect(findOutgoingRuler(page).getByRole('img')).toHaveAccessibleName(
    "$30.00 used. Your limit $30.00, rising to $60.00. Tern's limit $15,000.00.",
  )
  await settle(page)
  await expectAccessible(page)

  await findOutgoingRuler(page).getByRole('button', { name: 'Cancel the increase' }).click()
  await expect(page.getByText('Canceled. Your limit stays $30.00.')).toBeVisible()
  await expect(findOutgoingRuler(page)).not.toContainText('rises')
  expect(pageErrors).toEqual([])
})

test('an amount above today’s limit is scheduled for the first morning when it fits', async ({ page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient()
  collectPageErrors(page, refusals)
  await setLimit(sender, '30.00')
  const body = { recipient_id: recipient.id, amount: '20.00', source_currency: 'USD' } as const
  await sender.call(sendMoney, { body, idempotencyKey: randomUUID() })
  await goToReview(page, sender, recipient, '25.00')
  await clickSend(page)
  await expect(actionList(page).getByRole('button', { name: 'Send $10.00 now' })).toBeVisible()
  await actionList(page)
    .getByRole('link', { name: /^Send \$25\.00 (today|tomorrow|on .*) at 9:00\sAM/ })
    .click()
  await expect(page.getByRole('heading', { level: 1, name: 'Schedule a send' })).toBeVisible()
  await expect(page.getByRole('combobox', { name: 'Recipient' })).toHaveValue(recipient.username)
  await settle(page)
  await expectAccessible(page)
})

test('other ways to move money show the same limits', async ({ page }) => {
  const person = await enroll(productUrl(), 'mira', 'United States')
  await fund(person, 100_00)
  const pageErrors = collectPageErrors(page, refusals)
  await setLimit(person, '5.00')
  await person.call(setOwnLimit, { body: { direction: 'in', period: 'day', max: '120.00' } })
  await signInThroughApi(page, person)

  await page.goto('/deposit')
  await amountField(page).fill('50')
  await page.getByRole('button', { name: /Continue/ }).click()
  await expect(page.getByRole('alert')).toContainText('This would exceed your own daily limit of $120.00')
  await actionList(page).getByRole('button', { name: 'Add $20.00 now' }).click()
  await expect(amountField(page)).toHaveValue('20.00')
  await expect(actionList(page)).toBeHidden()

  await page.goto('/exchange?from=USD&to=USDT')
  await page.getByLabel('From', { exact: true }).fill('40')
  await page.getByRole('button', { name: 'Review', exact: true }).click()
  await page.getByRole('button', { name: /^(Confirm|Exchange)/ }).click()
  await expect(page.getByRole('alert')).toContainText('This would exceed your own daily limit of $5.00')
  await actionList(page)
    .getByRole('button', { name: /^Exchange \$\d\.\d\d now/ })
    .click()
  await expect(page.getByLabel('From', { exact: true })).toHaveValue(/^[45]\.\d\d$/)
  expect(pageErrors).toEqual([])
})

test('limits fit every width and theme, also before verification', async ({ browser }) => {
  const [[sender, recipient], stranger] = await Promise.all([
    enrollSenderAndRecipient(),
    enroll(productUrl(), 'ida', null),
  ])
  await setLimit(sender, '30.00')
  for (const width of widths) {
    const context = await browser.newContext({ viewport: { width, height: 900 } })
    const page = await context.newPage()
    collectPageErrors(page, refusals)
    await signInThroughApi(page, sender)
    await page.goto('/settings/limits')
    await expect(findOutgoingRuler(page)).toBeVisible()
    await expectSoundState(page)
    for (const colorScheme of process.env.PICTURES ? themes : []) {
      await page.emulateMedia({ colorScheme })
      await page.goto('/settings/limits')
      await expect(findOutgoingRuler(page)).toBeVisible()
      await settle(page)
      await page.locator('#limits').screenshot({ path: `${process.env.PICTURES}/limits-${width}-${colorScheme}.png` })
      await page.getByRole('button', { name: 'Change your daily limit for money out' }).click()
      await page.getByLabel('Send, exchange and withdraw per day').fill('60')
      await settle(page)
      await page.screenshot({ path: `${process.env.PICTURES}/limit-dialog-${width}-${colorScheme}.png` })
      await goToReview(page, sender, recipient, '50.00')
      await clickSend(page)
      await expect(actionList(page)).toBeVisible()
      await settle(page)
      await page.screenshot({
        path: `${process.env.PICTURES}/limit-ways-${width}-${colorScheme}.png`,
        fullPage: true,
      })
    }
    await context.close()
  }
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  const page = await context.newPage()
  await signInThroughApi(page, stranger)
  await page.goto('/settings/limits')
  await expect(page.getByText('Until your identity is verified, your limits are $0.00.')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Verify your identity' })).toHaveAttribute('href', '/register')
  await settle(page)
  await expectAccessible(page)
  if (process.env.PICTURES)
    await page.screenshot({ path: `${process.env.PICTURES}/limits-unverified.png`, fullPage: true })
  await context.close()
})
