import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import { expect, type Page, test } from '@playwright/test'
import { walletOfUser } from '../../packages/contract/src/wallets.ts'
import { cancelRequest, createRequest } from '../../packages/contract/src/requests/requests.ts'
import type { CallInput } from '../../packages/contract/src/protocol/endpoint.ts'
import type { TestPerson } from '@tern/testkit/people'
import { payByCard, testCards } from '../checkout.ts'
import { signInThroughApi, settle } from '../pages.ts'
import { enrollSenderAndRecipient } from '../send-form.ts'
import { expireRequest } from '../steering.ts'
import { expectAccessible, collectPageErrors } from '../page-checks.ts'

type RequestBody = CallInput<typeof createRequest>['body']

/** Creates a request for 18.60 euros through the API. */
const requestMoney = (person: TestPerson, body: Partial<RequestBody> = {}) =>
  person.call(createRequest, {
    body: { amount: '18.60', currency: 'EUR', description: 'Harbour tour', name: '', allows_parts: false, ...body },
    idempotencyKey: randomUUID(),
  })

const extractPath = (url: string): string => new URL(url).pathname + new URL(url).search
const row = (page: Page, description: string) => page.getByRole('listitem').filter({ hasText: description })
/** Signs in and opens a page: payment links check for a session only on a device that remembers a user. */
async function signInOnPage(page: Page, person: TestPerson): Promise<void> {
  await signInThroughApi(page, person)
  await page.goto('/receive')
  await expect(page.getByRole('button', { name: 'Generate Payment Request' })).toBeVisible()
}

const payButton = (page: Page) => page.getByRole('button', { name: /^Pay \$/ })

const loadBalance = async (person: TestPerson) =>
  (await person.call(walletOfUser, { params: { userId: String(person.id) } })).fiat_balance

/** Returns the content of a QR code, read by zbarimg. */
const readCode = (file: string): string => execFileSync('zbarimg', ['--raw', '-q', file], { encoding: 'utf8' }).trim()

test('a request is made, shared, paid in a second browser, and the first watches it turn paid', async ({
  browser,
  context: firstContext,
  page,
}, testInfo) => {
  const [payer, requester] = await enrollSenderAndRecipient()
  await firstContext.grantPermissions(['clipboard-read', 'clipboard-write'])
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, requester)
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

  // An independent reader decodes the downloaded picture.
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
  const secondPage = await context.newPage()
  const secondPageErrors = collectPageErrors(secondPage, /401/)
  await secondPage.goto(url)
  await expect(secondPage.getByText('Rosa Boats')).toBeVisible()
  await expect(secondPage.getByText('Harbour tour')).toBeVisible()
  await expect(secondPage.getByText('€18.60').first()).toBeVisible()
  await expect(row(page, 'Harbour tour')).toContainText('Seen')
  await settle(secondPage)
  await expectAccessible(secondPage)
  await secondPage.getByRole('link', { name: 'Log in to pay' }).click()
  await secondPage.getByLabel('Email address *').fill(payer.email)
  await secondPage.getByRole('button', { name: 'Continue with Email' }).click()
  await secondPage.getByLabel('Password', { exact: true }).fill(payer.password)
  await secondPage.getByRole('button', { name: 'Log In' }).click()
  await expect(secondPage).toHaveURL(url)
  await expect(payButton(secondPage)).toBeEnabled()
  const total = (await payButton(secondPage).innerText()).replace('Pay ', '')
  await settle(secondPage)
  await expectAccessible(secondPage)
  await payButton(secondPage).dblclick()
  await expect(secondPage.getByRole('heading', { name: 'Paid' })).toBeFocused()
  await expect(secondPage.getByText(total).first()).toBeVisible()
  await expect(secondPage.getByText('has received')).toBeVisible()
  await settle(secondPage)
  await expectAccessible(secondPage)
  await expect(row(page, 'Harbour tour')).toContainText('Paid')
  expect(await loadBalance(requester)).toBe('18.60')

  // Reopened, the link shows the outcome, without a button to pay.
  await secondPage.goto(url)
  await expect(secondPage.getByText(total).first()).toBeVisible()
  await expect(payButton(secondPage)).toHaveCount(0)
  const [savedDownload] = await Promise.all([
    secondPage.waitForEvent('download'),
    secondPage.getByRole('button', { name: 'Save as PDF' }).click(),
  ])
  expect(savedDownload.suggestedFilename()).toMatch(/\.pdf$/)
  await secondPage.getByRole('link', { name: 'View receipt' }).click()
  await expect(secondPage).toHaveURL(/\/receipt\?id=/)
  expect([...pageErrors, ...secondPageErrors]).toEqual([])
  await context.close()
})

/** Returns the content of a QR code, or undefined if zbarimg finds none. */
function tryReadCode(file: string): string | undefined {
  try {
    return readCode(file)
  } catch {
    return undefined
  }
}

/** Like the frames of a camera: at 100 px a module has less than two pixels, and zbarimg misses some codes at one size. */
const printWidths = { 'at 200 px': [200], 'at about 100 px': [100, 101, 102, 103, 104] }

for (const [title, widths] of Object.entries(printWidths)) {
  test(`zbarimg reads the code of a request ${title}`, async ({ browser, page }, testInfo) => {
    const [, requester] = await enrollSenderAndRecipient(0)
    const { url } = await requestMoney(requester)
    await signInThroughApi(page, requester)
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
    const blankPage = await context.newPage()
    const picture = fs.readFileSync(await download.path()).toString('base64')
    const texts: (string | undefined)[] = []
    for (const width of widths) {
      await blankPage.setContent(`<body style="margin:0"><img src="data:image/png;base64,${picture}" width="${width}">`)
      await blankPage.evaluate('document.images[0].decode()')
      const file = testInfo.outputPath(`request-${width}.png`)
      await blankPage.locator('img').screenshot({ path: file })
      texts.push(tryReadCode(file))
    }
    expect(texts).toContain(url)
    await context.close()
  })
}

test('a link with one changed letter is not paid, and says so', async ({ page }) => {
  const [payer, requester] = await enrollSenderAndRecipient()
  const { url } = await requestMoney(requester)
  await signInOnPage(page, payer)
  const tamperedUrl = url.replace(/=(.)/, (_, letter: string) => `=${letter === 'A' ? 'B' : 'A'}`)
  await page.goto(extractPath(tamperedUrl))
  await expect(page.getByRole('heading', { name: 'This link has been changed' })).toBeVisible()
  await expect(payButton(page)).toHaveCount(0)
  await settle(page)
  await expectAccessible(page)
  await page.goto('/pay')
  await expect(page.getByRole('heading', { name: 'Open a payment link' })).toBeVisible()
})

test('a request canceled while a payer is about to pay takes nothing', async ({ page }) => {
  const [payer, requester] = await enrollSenderAndRecipient()
  const request = await requestMoney(requester)
  await signInOnPage(page, payer)
  await page.goto(extractPath(request.url))
  await expect(payButton(page)).toBeEnabled()
  await requester.call(cancelRequest, { params: { id: request.id } })
  await payButton(page).click()
  await expect(page.getByRole('heading', { name: 'Nothing to pay' })).toBeVisible()
  await expect(page.getByText(/canceled this request on .* You haven't been charged/)).toBeVisible()
  expect(await loadBalance(payer)).toBe('100.00')
})

test('an expired request says so, and its payer can ask for a new link', async ({ page }) => {
  const [payer, requester] = await enrollSenderAndRecipient()
  const request = await requestMoney(requester, { payer_id: payer.id })
  await expireRequest(request.id)
  await signInOnPage(page, payer)
  await page.goto(extractPath(request.url))
  await expect(page.getByRole('heading', { name: 'This request has expired' })).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Ask for a new link' }).click()
  await expect(page.getByText(/that you need a new link/)).toBeVisible()
})

test('an addressed payer declines with a reason, which the requester sees at once', async ({ browser, page }) => {
  const [payer, requester] = await enrollSenderAndRecipient()
  await requestMoney(requester, { payer_id: payer.id })
  await signInThroughApi(page, requester)
  await page.goto('/receive')
  await expect(row(page, 'Harbour tour')).toContainText('Open')

  const context = await browser.newContext()
  const secondPage = await context.newPage()
  await signInOnPage(secondPage, payer)
  await secondPage.goto('/receive')
  await expect(secondPage.getByRole('heading', { name: 'For you' })).toBeVisible()
  await row(secondPage, 'Harbour tour').getByRole('link', { name: 'Pay' }).click()
  await secondPage.getByRole('button', { name: 'Decline' }).click()
  await secondPage.getByLabel('Reason').fill('We were never there')
  await settle(secondPage)
  await expectAccessible(secondPage)
  await secondPage.getByRole('button', { name: 'Decline request' }).click()
  await expect(secondPage.getByRole('heading', { name: 'Declined' })).toBeVisible()
  await expect(row(page, 'Harbour tour')).toContainText('Declined')
  await expect(row(page, 'Harbour tour')).toContainText('“We were never there”')
  await context.close()
})

test('an addressed payer accepts for a later day and pays in parts', async ({ page }) => {
  const [payer, requester] = await enrollSenderAndRecipient()
  const request = await requestMoney(requester, { payer_id: payer.id, allows_parts: true })
  await signInOnPage(page, payer)
  await page.goto(extractPath(request.url))
  await page.getByRole('button', { name: 'Pay later' }).click()
  const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10)
  await page.getByLabel('Day', { exact: true }).fill(day)
  // Text typed before the updated link arrives is kept.
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
  await page.goto(extractPath(request.url))
  await expect(page.getByText('€8.60 of €18.60 is left to pay.')).toBeVisible()
  await payButton(page).click()
  await expect(page.getByRole('heading', { name: 'Paid' })).toBeVisible()
  expect(await loadBalance(requester)).toBe('18.60')
})

test('a payment with a lost answer and a reload in between is made once', async ({ page }) => {
  const [payer, requester] = await enrollSenderAndRecipient()
  const request = await requestMoney(requester)
  await signInOnPage(page, payer)
  await page.goto(extractPath(request.url))
  await expect(payButton(page)).toBeEnabled()
  // The server executes the payment, but its answer is lost.
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
  const [payer, requester] = await enrollSenderAndRecipient(0)
  const request = await requestMoney(requester)
  const context = await browser.newContext()
  const watchingPage = await context.newPage()
  await signInThroughApi(watchingPage, requester)
  await watchingPage.goto('/receive')
  await signInOnPage(page, payer)
  await page.goto(extractPath(request.url))
  await expect(page.getByRole('radio', { name: /^Wallet/ })).toBeDisabled()
  await expect(page.getByRole('radio', { name: /^Card/ })).toBeChecked()
  await settle(page)
  await expectAccessible(page)
  await payButton(page).dblclick()

  // Canceled on the card's page, the request is neither paid nor being paid.
  await page.getByRole('button', { name: /Cancel/ }).click()
  await expect(payButton(page)).toBeVisible()
  await expect(row(watchingPage, 'Harbour tour')).not.toContainText('Being paid')
  await payButton(page).click()
  await expect(page.getByRole('heading', { name: 'Pay by card' })).toBeVisible()

  // Without a result from the card's page, the request shows that it is being paid.
  await page.goto(extractPath(request.url))
  await expect(page.getByRole('heading', { name: 'Not paid yet' })).toBeVisible()
  await expect(row(watchingPage, 'Harbour tour')).toContainText('Being paid')
  await settle(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Enter your card' }).click()
  await payByCard(page, testCards.good)
  await expect(page.getByRole('heading', { name: 'Paid' })).toBeFocused()
  await expect(page.getByText('has received')).toBeVisible()
  await expect(page.getByRole('definition').filter({ hasText: 'Card' })).toBeVisible()
  await expect(row(watchingPage, 'Harbour tour')).toContainText('Paid')
  expect(await loadBalance(requester)).toBe('18.60')
  await page.getByRole('link', { name: 'View receipt' }).click()
  await expect(page).toHaveURL(/\/receipt\?id=/)
  await context.close()
})

test('on a phone the main buttons of requesting, splitting, scheduling, ordering, paying and disputing are in the window', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const [payer, requester] = await enrollSenderAndRecipient()
  const request = await requestMoney(requester, { payer_id: payer.id })
  await signInOnPage(page, payer)
  const findActionButton = (name: string | RegExp) => page.locator('.action-bar').getByRole('button', { name })
  await page.getByLabel('Amount').fill('20')
  await expect(findActionButton('Generate Payment Request')).toBeInViewport({ ratio: 1 })
  await page.goto('/split')
  await expect(findActionButton(/^Send/)).toBeInViewport({ ratio: 1 })
  await page.goto('/scheduled?new')
  await expect(findActionButton('Schedule')).toBeInViewport({ ratio: 1 })
  await page.goto('/exchange/orders')
  await expect(findActionButton('Place order')).toBeInViewport({ ratio: 1 })
  await page.goto(extractPath(request.url))
  await expect(findActionButton(/^Pay \$/)).toBeInViewport({ ratio: 1 })
  await expect(page.locator('.action-bar')).toContainText('rosa gets €18.60')
  await settle(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Decline' }).click()
  await page.getByRole('button', { name: 'Keep it' }).click()
  await findActionButton(/^Pay \$/).click()
  await expect(page.getByRole('heading', { name: 'Paid' })).toBeFocused()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  const receipt = await page.getByRole('link', { name: 'View receipt' }).getAttribute('href')
  await page.goto(`/disputes?transaction=${receipt?.split('id=')[1]}`)
  await expect(findActionButton('Send dispute')).toBeInViewport({ ratio: 1 })
})
