import { expect, type Page } from '@playwright/test'
import { enroll, fund, type TestPerson } from '@tern/testkit/people'
import { transactionsOfUser } from '../packages/contract/src/transactions.ts'
import { setUndoWindow, type UndoWindow } from '../packages/contract/src/transfers.ts'
import { signInThroughApi, productUrl } from './pages.ts'

/** Enrolls a sender with `minor` US cents whose sends are final at once, and a recipient in Germany. */
export async function enrollSenderAndRecipient(minor = 100_00): Promise<[TestPerson, TestPerson]> {
  const [sender, recipient] = await Promise.all([
    enroll(productUrl(), 'sam', 'United States'),
    enroll(productUrl(), 'rosa', 'Germany'),
  ])
  await setUndo(sender, 0, 'nobody')
  if (minor > 0) await fund(sender, minor)
  return [sender, recipient]
}

/** Sets a user's undo window, and the payees to whom it applies. */
export const setUndo = (person: TestPerson, seconds: number, applies_to: UndoWindow['applies_to']) =>
  person.call(setUndoWindow, { body: { seconds, applies_to } })

/** Skips the undo window of a send to a new payee. */
export const clickSendNow = (page: Page) => page.getByRole('button', { name: 'Send now' }).click()

export const amountField = (page: Page) => page.getByLabel('Amount')
export const recipientField = (page: Page) => page.getByRole('combobox', { name: 'Recipient' })
export const clickNext = (page: Page) => page.getByRole('button', { name: 'Next' }).click()
export const clickSend = (page: Page) => page.getByRole('button', { name: 'Send Money' }).click()
export const reviewHeading = (page: Page) => page.getByRole('heading', { name: 'Review and Confirm' })

/** Signs in and opens /send at the step with recipient and amount. */
export async function goToRecipient(page: Page, sender: TestPerson): Promise<void> {
  await signInThroughApi(page, sender)
  await page.goto('/send')
  await skipFirstStep(page)
}

/** First step: the choice of a balance, or the recipient if only one balance has money. */
export const firstStep = (page: Page) => recipientField(page).or(page.getByText('Your wallet', { exact: true }))

/** Continues to the recipient; with money in only one balance there is no first step. */
export async function skipFirstStep(page: Page): Promise<void> {
  await expect(firstStep(page)).toBeVisible()
  if (!(await recipientField(page).isVisible())) await clickNext(page)
  await expect(recipientField(page)).toBeVisible()
}

/** Fills in recipient and amount without continuing. */
export async function fillTransfer(page: Page, recipient: TestPerson, amount: string): Promise<void> {
  await recipientField(page).fill(recipient.username)
  await page.getByRole('option', { name: new RegExp(recipient.username) }).click()
  await amountField(page).fill(amount)
}

/** Goes to the review step; the balance must cover `amount`. */
export async function goToReview(page: Page, sender: TestPerson, recipient: TestPerson, amount: string): Promise<void> {
  await goToRecipient(page, sender)
  await fillTransfer(page, recipient, amount)
  await clickNext(page)
  await expect(reviewHeading(page)).toBeVisible()
}

/** Goes to the review step to pay by card or bank account. */
export async function chooseExternalPayment(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Pay by card or bank account' }).click()
  await expect(reviewHeading(page)).toBeVisible()
}

const methodNames = {
  wallet: /^Wallet(?! \+)/,
  card: /^Card$/,
  bank: /^Bank account$/,
  'wallet + card': /^Wallet \+ card$/,
}

/** Locates a payment method on the review step. */
export const method = (page: Page, name: keyof typeof methodNames) =>
  page.getByRole('group', { name: 'Payment method' }).getByRole('radio', { name: methodNames[name] })

/** Delays these calls until the returned function is called. */
export async function delayCalls(page: Page, calls: string | RegExp): Promise<() => void> {
  const released = Promise.withResolvers<void>()
  await page.route(calls, async (route) => {
    await released.promise
    await route.continue()
  })
  return released.resolve
}

export const countSends = async (person: TestPerson): Promise<number> =>
  (await person.call(transactionsOfUser, { params: { userId: String(person.id) }, query: { type: 'SEND' } })).total

/** Returns available balances, each in the person's own currency. */
export const loadBalances = (...persons: TestPerson[]): Promise<string[]> =>
  Promise.all(persons.map(async (person) => (await person.wallet()).fiat_balance))
