import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import { expect, type Page, test } from '@playwright/test'
import { walletOfUser } from '../../packages/contract/src/wallets.ts'
import { cancelRequest, createRequest } from '../../packages/contract/src/requests/requests.ts'
import type { CallInput } from '../../packages/contract/src/protocol/endpoint.ts'
import type { TestPerson } from '@tern/testkit/people'
import { payWith, testCards } from '../checkout.ts'
import { enter, settle } from '../pages.ts'
import { senderAndRecipient } from '../sending.ts'
import { endRequest } from '../steering.ts'
import { expectAccessible, watch } from '../watch.ts'

type Body = CallInput<typeof createRequest>['body']

/** Creates a request for 18.60 euros through the API. */
const ask = (person: TestPerson, body: Partial<Body> = {}) =>
  person.call(createRequest, {
    body: { amount: '18.60', currency: 'EUR', description: 'Harbour tour', name: '', allows_parts: false, ...body },
    idempotencyKey: randomUUID(),
  })

const pathOf = (url: string): string => new URL(url).pathname + new URL(url).search
const row = (page: Page, description: string) => page.getByRole('listitem').filter({ hasText: description })
/** Signs in on a device that remembers the user: a payment link checks for a session only there. */
async function enterAndStay(page: Page, person: TestPerson): Promise<void> {
  await enter(page, person)
  await page.goto('/receive')
  await expect(page.getByRole('button', { name: 'Generate Payment Request' })).toBeVisible()
}

const payButton = (page: Page) => page.getByRole('button', { name: /^Pay \$/ })

const loadBalance = async (person: TestPerson) =>
  (await person.call(walletOfUser, { params: { userId: String(person.id) } })).fiat_balance

/** Content of a QR code, read by zbarimg. */
const readCode = (file: string): string => execFileSync('zbarimg', ['--raw', '-q', file], { encoding: 'utf8' }).trim()

test('a request is made, shared, paid in a second browser, and the first watches it turn paid', async ({
  browser,
  context: first,
  page,
}, testInfo) => {
  const [payer, requester] = await senderAndRecipient()
  await first.grantPermissions(['clipboard-read', 'clipboard-write'])
  const complaints = watch(page)
  await enter(page, requester)
  await page.goto('/dashboard')
  await page.getByRole('link', { name: 'Receive' }).first().click()
  await expect(page.getByRole('heading', { name: 'Receive', level: 1 })).toBeVisible()
  await expect(page.getByText('No requests yet')).toBeVisible()

  // Without an amount no request is created, and the field reports it.
  await page.getByRole('button', { name: 'Generate Payment Request' }).click()
  await expect(page.getByText('Please enter a valid amount')).toBeVisible()
  await expect(page.getByLabel('Amount')).toBeFocused()
  await page.getByLabel('Amount').fill('18.60')
  await page.getByLabel('Description').fill('Harbour tour')
  await page.getByLabel('Your Name/Business Name').fill('Rosa Boats')
  await settle(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Generate Payment Request' }).dblclick()
  await expect(page.getByText("You're asking for")).toBeVisible()
  await expect(row(page, 'Harbour tour')).toHaveCount(1)
  await expect(row(page, 'Harbour tour')).toContainText('Open')
  await settle(page)
  await expectAccessible(page)

  // Other readers decode the shared picture, also when printed small.
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download QR' }).click(),
  ])
  const file = testInfo.outputPath('request.png')
  await download.saveAs(file)
  const url = readCode(file)
  expect(url).toMatch(/\/pay\?data=[\w-]{43}$/)
  await page.getByRole('button', { name: 'Copy Link' }).click()
  await expect(page.getByText('Copied to clipboard!')).toBeVisible()
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(url)

  // The payer opens the link without a session, logs in, and returns to it.
  const context = await browser.newContext()
  const second = await context.newPage()
  const secondComplaints = watch(second, /401/)
  await second.goto(url)
  await expect(second.getByText('Rosa Boats')).toBeVisible()
  await expect(second.getByText('Harbour tour')).toBeVisible()
  await expect(second.getByText('€18.60').first()).toBeVisible()
  await expect(row(page, 'Harbour tour')).toContainText('Seen')
  await settle(second)
  await expectAccessible(second)
  await second.getByRole('link', { name: 'Log in to pay' }).click()
  await second.getByLabel('Email address *').fill(payer.email)
  await second.getByRole('button', { name: 'Continue with Email' }).click()
  await second.getByLabel('Password', { exact: true }).fill(payer.password)
  await second.getByRole('button', { name: 'Log In' }).click()
  await expect(second).toHaveURL(url)
  await expect(payButton(second)).toBeEnabled()
  const total = (await payButton(second).innerText()).replace('Pay ', '')
  await settle(second)
  await expectAccessible(second)
  await payButton(second).dblclick()
  await expect(second.getByRole('heading', { name: 'Paid' })).toBeFocused()
  await expect(second.getByText(total).first()).toBeVisible()
  await expect(second.getByText('has received')).toBeVisible()
  await settle(second)
  await expectAccessible(second)
  await expect(row(page, 'Harbour tour')).toContainText('Paid')
  expect(await loadBalance(requester)).toBe('18.60')

  // Reopened, the link shows the outcome, without a button to pay.
  await second.goto(url)
  await expect(second.getByText(total).first()).toBeVisible()
  await expect(payButton(second)).toHaveCount(0)
  const [saved] = await Promise.all([
    second.waitForEvent('download'),
    second.getByRole('button', { name: 'Save as PDF' }).click(),
  ])
  expect(saved.suggestedFilename()).toMatch(/\.pdf$/)
  await second.getByRole('link', { name: 'View receipt' }).click()
  await expect(second).toHaveURL(/\/receipt\?id=/)
  expect([...complaints, ...secondComplaints]).toEqual([])
  await context.close()
})

for (const size of [200, 100]) {
  test(`zbarimg reads the code of a request at ${size} px`, async ({ browser, page }, testInfo) => {
    const [, requester] = await senderAndRecipient(0)
    const { url } = await ask(requester)
    await enter(page, requester)
    await page.goto('/receive')
    await row(page, 'Harbour tour')
      .getByRole('button', { name: /Actions/ })
      .click()
    await page.getByRole('menuitem', { name: 'Show QR code' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download QR' }).click(),
    ])
    const context = await browser.newContext({ deviceScaleFactor: 1 })
    const blank = await context.newPage()
    const picture = fs.readFileSync(await download.path()).toString('base64')
    await blank.setContent(`<body style="margin:0"><img src="data:image/png;base64,${picture}" width="${size}">`)
    await blank.evaluate('document.images[0].decode()')
    const file = testInfo.outputPath(`request-${size}.png`)
    await blank.locator('img').screenshot({ path: file })
    expect(readCode(file)).toBe(url)
    await context.close()
  })
}

test('a link with one changed letter is not paid, and says so', async ({ page }) => {
  const [payer, requester] = await senderAndRecipient()
  const { url } = await ask(requester)
  await enterAndStay(page, payer)
  const changed = url.replace(/=(.)/, (_, first: string) => `=${first === 'A' ? 'B' : 'A'}`)
  await page.goto(pathOf(changed))
  await expect(page.getByRole('heading', { name: 'This link has been changed' })).toBeVisible()
  await expect(payButton(page)).toHaveCount(0)
  await settle(page)
  await expectAccessible(page)
  await page.goto('/pay')
  await expect(page.getByRole('heading', { name: 'Open a payment link' })).toBeVisible()
})

test('a request canceled while a payer is about to pay takes nothing', async ({ page }) => {
  const [payer, requester] = await senderAndRecipient()
  const request = await ask(requester)
  await enterAndStay(page, payer)
  await page.goto(pathOf(request.url))
  await expect(payButton(page)).toBeEnabled()
  await requester.call(cancelRequest, { params: { id: request.id } })
  await payButton(page).click()
  await expect(page.getByRole('heading', { name: 'Nothing to pay' })).toBeVisible()
  await expect(page.getByText(/canceled this request on .* You haven't been charged/)).toBeVisible()
  expect(await loadBalance(payer)).toBe('100.00')
})

test('an expired request says so, and its payer can ask for a new link', async ({ page }) => {
  const [payer, requester] = await senderAndRecipient()
  const request = await ask(requester, { payer_id: payer.id })
  await endRequest(request.id)
  await enterAndStay(page, payer)
  await page.goto(pathOf(request.url))
  await expect(page.getByRole('heading', { name: 'This request has expired' })).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Ask for a new link' }).click()
  await expect(page.getByText(/that you need a new link/)).toBeVisible()
})

test('an addressed payer declines with a reason, which the requester sees at once', async ({ browser, page }) => {
  const [payer, requester] = await senderAndRecipient()
  await ask(requester, { payer_id: payer.id })
  await enter(page, requester)
  await page.goto('/receive')
  await expect(row(page, 'Harbour tour')).toContainText('Open')

  const context = await browser.newContext()
  const second = await context.newPage()
  await enterAndStay(second, payer)
  await second.goto('/receive')
  await expect(second.getByRole('heading', { name: 'For you' })).toBeVisible()
  await row(second, 'Harbour tour').getByRole('link', { name: 'Pay' }).click()
  await second.getByRole('button', { name: 'Decline' }).click()
  await second.getByLabel('Reason').fill('We were never there')
  await settle(second)
  await expectAccessible(second)
  await second.getByRole('button', { name: 'Decline request' }).click()
  await expect(second.getByRole('heading', { name: 'Declined' })).toBeVisible()
  await expect(row(page, 'Harbour tour')).toContainText('Declined')
  await expect(row(page, 'Harbour tour')).toContainText('“We were never there”')
  await context.close()
})

test('an addressed payer accepts for a later day and pays in parts', async ({ page }) => {
  const [payer, requester] = await senderAndRecipient()
  const request = await ask(requester, { payer_id: payer.id, allows_parts: true })
  await enterAndStay(page, payer)
  await page.goto(pathOf(request.url))
  await page.getByRole('button', { name: 'Pay later' }).click()
  const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10)
  await page.getByLabel('Day', { exact: true }).fill(day)
  // Text typed before the link's new state arrives is kept.
  await page.route(/\/api\/payment-links\/[^/]+$/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1000))
    await route.continue()
  })
  await page.getByRole('button', { name: 'Accept for this day' }).click()
  await expect(page.getByText(/You accepted this for/)).toBeVisible()

  await page.getByLabel('Amount to pay').fill('18.61')
  await expect(page.getByText('Enter an amount up to €18.60')).toBeVisible()
  await page.getByLabel('Amount to pay').fill('10.00')
  await expect(payButton(page)).toBeEnabled()
  await payButton(page).click()
  await expect(page.getByRole('heading', { name: 'Paid' })).toBeVisible()
  await expect(page.getByRole('definition').filter({ hasText: '€10.00' })).toBeVisible()
  await page.goto(pathOf(request.url))
  await expect(page.getByText('€8.60 of €18.60 is left to pay.')).toBeVisible()
  await payButton(page).click()
  await expect(page.getByRole('heading', { name: 'Paid' })).toBeVisible()
  expect(await loadBalance(requester)).toBe('18.60')
})

test('a payment with a lost answer and a reload in between is made once', async ({ page }) => {
  const [payer, requester] = await senderAndRecipient()
  const request = await ask(requester)
  await enterAndStay(page, payer)
  await page.goto(pathOf(request.url))
  await expect(payButton(page)).toBeEnabled()
  // The server pays, its answer is lost, and the page is reopened.
  await page.route('**/api/payment-links/*/pay', async (route) => {
    await route.fetch()
    await route.abort()
  })
  await payButton(page).dblclick()
  await expect.poll(() => loadBalance(requester)).toBe('18.60')
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Paid' })).toBeVisible()
  expect(await loadBalance(requester)).toBe('18.60')
})

test('a member without a balance pays by card, goes back once, and gets a receipt', async ({ browser, page }) => {
  const [payer, requester] = await senderAndRecipient(0)
  const request = await ask(requester)
  const context = await browser.newContext()
  const watching = await context.newPage()
  await enter(watching, requester)
  await watching.goto('/receive')
  await enterAndStay(page, payer)
  await page.goto(pathOf(request.url))
  await expect(page.getByRole('radio', { name: /^Wallet/ })).toBeDisabled()
  await expect(page.getByRole('radio', { name: /^Card/ })).toBeChecked()
  await settle(page)
  await expectAccessible(page)
  await payButton(page).dblclick()

  // Canceled on the card's page: nothing is paid, and nothing stays reserved.
  await page.getByRole('button', { name: /Cancel/ }).click()
  await expect(payButton(page)).toBeVisible()
  await expect(row(watching, 'Harbour tour')).not.toContainText('Being paid')
  await payButton(page).click()
  await expect(page.getByRole('heading', { name: 'Pay by card' })).toBeVisible()

  // Left unanswered, the request waits for the card and shows that.
  await page.goto(pathOf(request.url))
  await expect(page.getByRole('heading', { name: 'Not paid yet' })).toBeVisible()
  await expect(row(watching, 'Harbour tour')).toContainText('Being paid')
  await settle(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Enter your card' }).click()
  await payWith(page, testCards.good)
  await expect(page.getByRole('heading', { name: 'Paid' })).toBeFocused()
  await expect(page.getByText('has received')).toBeVisible()
  await expect(page.getByRole('definition').filter({ hasText: 'Card' })).toBeVisible()
  await expect(row(watching, 'Harbour tour')).toContainText('Paid')
  expect(await loadBalance(requester)).toBe('18.60')
  await page.getByRole('link', { name: 'View receipt' }).click()
  await expect(page).toHaveURL(/\/receipt\?id=/)
  await context.close()
})

test('on a phone the main buttons of requesting, splitting, scheduling, ordering, paying and disputing are in the window', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const [payer, requester] = await senderAndRecipient()
  const request = await ask(requester, { payer_id: payer.id })
  await enterAndStay(page, payer)
  const main = (name: string | RegExp) => page.locator('.action-bar').getByRole('button', { name })
  await page.getByLabel('Amount').fill('20')
  await expect(main('Generate Payment Request')).toBeInViewport({ ratio: 1 })
  await page.goto('/split')
  await expect(main(/^Send/)).toBeInViewport({ ratio: 1 })
  await page.goto('/scheduled?new')
  await expect(main('Schedule')).toBeInViewport({ ratio: 1 })
  await page.goto('/exchange/orders')
  await expect(main('Place order')).toBeInViewport({ ratio: 1 })
  await page.goto(pathOf(request.url))
  await expect(main(/^Pay \$/)).toBeInViewport({ ratio: 1 })
  await expect(page.locator('.action-bar')).toContainText('rosa gets €18.60')
  await settle(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Decline' }).click()
  await page.getByRole('button', { name: 'Keep it' }).click()
  await main(/^Pay \$/).click()
  await expect(page.getByRole('heading', { name: 'Paid' })).toBeFocused()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  const receipt = await page.getByRole('link', { name: 'View receipt' }).getAttribute('href')
  await page.goto(`/disputes?transaction=${receipt?.split('id=')[1]}`)
  await expect(main('Send dispute')).toBeInViewport({ ratio: 1 })
})
