import { expect, type Page, test } from '@playwright/test'
import { enroll } from '@tern/testkit/people'
import { signInThroughApi, productUrl, settle } from '../pages.ts'
import { enrollSenderAndRecipient } from '../send-form.ts'
import { expectAccessible, collectPageErrors } from '../page-checks.ts'

const row = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name })
const send = (page: Page, name: RegExp) => page.getByRole('button', { name }).filter({ visible: true })

/** Adds a person by username, which the page looks up on Enter. */
async function addPerson(page: Page, username: string): Promise<void> {
  await page.getByLabel('Add people').fill(username)
  await page.getByLabel('Add people').press('Enter')
  await expect(row(page, username)).toBeVisible()
}

test('a bill is split among three, one pays in a second browser, the first watches it turn paid and reminds the other', async ({
  browser,
  page,
}) => {
  const [payer, requester] = await enrollSenderAndRecipient()
  const secondPayer = await enroll(productUrl(), 'uma', 'Germany')
  const pageErrors = collectPageErrors(page, /ERR_FAILED/)
  await signInThroughApi(page, requester)
  await page.goto('/receive')
  await page.getByRole('link', { name: 'Split a bill' }).click()
  await expect(page.getByText('No splits yet')).toBeVisible()

  // Without a bill or people no request is sent, and the missing field is reported.
  await send(page, /^Send requests$/).click()
  await expect(page.getByText('Please enter a valid amount')).toBeVisible()
  await expect(page.getByLabel('Bill')).toBeFocused()
  await page.getByLabel('Bill').fill('10.00')
  await send(page, /^Send requests$/).click()
  await expect(page.getByText('Add the people who share this bill')).toBeVisible()
  await page.getByLabel('Description').fill('Dinner')
  // A failed search is reported as such, not as an unknown user.
  await page.route('**/api/user/search*', (route) => route.abort())
  await page.getByLabel('Add people').fill(payer.username)
  await page.getByLabel('Add people').press('Enter')
  await expect(page.locator('.field-error', { hasText: 'Network error' })).toBeVisible()
  await page.unroute('**/api/user/search*')
  await addPerson(page, payer.username)
  await addPerson(page, secondPayer.username)

  // Ten euros between three people: the user who splits the bill takes the extra cent.
  await expect(page.getByRole('heading', { name: 'Between 3 people' })).toBeVisible()
  await expect(row(page, 'You')).toContainText('€3.34')
  await expect(row(page, secondPayer.username)).toContainText('€3.33')
  await page.getByRole('button', { name: 'Shares', exact: true }).click()
  await page.getByRole('button', { name: 'One share more for You' }).click()
  await expect(row(page, 'You')).toContainText('€5.00')
  await page.getByRole('button', { name: 'Exact amounts' }).click()
  await page.getByLabel('Amount of You').fill('3.99')
  await expect(page.getByText('€1.01 still to assign')).toBeVisible()
  // With an unassigned rest no request is sent, and an amount takes the focus.
  await send(page, /^Send 2 requests$/).click()
  await expect(page.getByLabel('Amount of You')).toBeFocused()
  await settle(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Add to your part' }).click()
  await expect(page.getByLabel('Amount of You')).toHaveValue('5.00')
  await send(page, /^Send 2 requests$/).dblclick()
  await expect(page.getByRole('heading', { name: 'Dinner', level: 1 })).toBeFocused()
  await expect(page.getByText('€10.00 between 3 people')).toBeVisible()
  const openParts = page.getByRole('region', { name: 'Still to pay' }).getByRole('listitem')
  await expect(openParts.filter({ hasText: 'Open' })).toHaveCount(2)
  await expect(openParts.filter({ hasText: payer.username })).toContainText('€2.50')
  await settle(page)
  await expectAccessible(page)

  const context = await browser.newContext()
  const secondPage = await context.newPage()
  const secondPageErrors = collectPageErrors(secondPage)
  await signInThroughApi(secondPage, payer)
  await secondPage.goto('/receive')
  await row(secondPage, 'Dinner').getByRole('link', { name: 'Pay' }).click()
  const pay = secondPage.getByRole('button', { name: /^Pay \$/ })
  await expect(pay).toBeEnabled()
  await pay.click()
  await expect(secondPage.getByRole('heading', { name: 'Paid' })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Paid' })).toContainText('+€2.50')
  await expect(page.getByText('of €5.00, by 1 of 2 people')).toBeVisible()
  await expect(openParts).toHaveCount(1)
  await context.close()

  await page.getByRole('button', { name: /^Remind / }).click()
  await settle(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Send reminder' }).click()
  await expect(page.getByText('reminded, again from')).toBeVisible()
  await expect(page.getByRole('button', { name: /^Remind / })).toHaveCount(0)
  await page.getByRole('button', { name: 'Cancel the rest' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the rest' }).click()
  await expect(page.getByRole('region', { name: 'Closed' })).toContainText('Canceled')

  await page.getByRole('navigation', { name: 'Receive' }).getByRole('link', { name: 'Split a bill' }).click()
  await expect(page.getByRole('link', { name: /Dinner/ })).toContainText('1 of 2 paid')
  // The aborted search is logged as `Unreachable`.
  const unexpectedErrors = [...pageErrors, ...secondPageErrors].filter(
    (pageError) => !pageError.startsWith('Unreachable'),
  )
  expect(unexpectedErrors).toEqual([])
})
