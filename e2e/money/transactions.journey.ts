import { expect, test } from '@playwright/test'
import { demoAccounts } from '../../packages/server/src/commands/demo/demo-accounts.ts'
import { enroll, fund } from '@tern/testkit/people'
import { signInThroughApi, productUrl, settle, widths } from '../pages.ts'
import { delayCalls } from '../send-form.ts'
import { expectAccessible, collectPageErrors } from '../page-checks.ts'

const [, lucas] = demoAccounts

test('transactions are paged, and one is viewed and copied', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, lucas)
  await page.goto('/transactions')
  const rows = page.locator('tbody tr')
  await expect(page.getByText(/^1–10 of \d+$/)).toBeVisible()
  await expect(rows).toHaveCount(10)

  const previous = page.getByRole('button', { name: 'Previous page' })
  const first = await rows.first().innerText()
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(page).toHaveURL(/\/transactions\?cursor=[\w-]+&from=11$/)
  await expect(page.getByText(/^11–\d+ of \d+$/)).toBeVisible()
  await expect(rows.first()).not.toHaveText(first)
  await page.reload()
  await expect(page.getByText(/^11–\d+ of \d+$/)).toBeVisible()
  await previous.click()
  await expect(page.getByText(/^1–10 of \d+$/)).toBeVisible()
  await expect(previous).toBeDisabled()
  await page.getByRole('combobox', { name: 'Rows per page' }).selectOption('25')
  await expect(page).toHaveURL('/transactions?rows=25')
  await expect(page.getByText(/^1–\d+ of \d+$/)).toBeVisible()
  await expect.poll(() => rows.count()).toBeGreaterThan(10)
  await expect(previous).toBeDisabled()
  // Oldest first, so that new rows do not move the existing ones.
  await page.goto('/transactions?order=asc')
  await expect(rows).toHaveCount(10)

  await rows.first().getByRole('button').click()
  const details = page.getByRole('dialog')
  await details.getByText('Technical details').click()
  await expect(details.getByText(/^TRN-/)).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  await details.getByRole('button', { name: 'Copy ID' }).click()
  await expect(page.getByText('Transaction ID copied!')).toBeVisible()
  const id = await page.evaluate<string>('navigator.clipboard.readText()')
  await expect(details).toContainText(id)
  await details.getByRole('button', { name: 'Copy details' }).click()
  await expect(page.getByText('Copied to clipboard!')).toBeVisible()
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toContain(`ID: ${id}`)
  await page.keyboard.press('Escape')
  await expect(details).toHaveCount(0)
  expect(pageErrors).toEqual([])
})

test('a link to a list page that no longer exists leads to the start', async ({ page }) => {
  await signInThroughApi(page, lucas)
  await page.goto('/transactions?cursor=abc&from=21')
  await expect(page.getByText('Failed to load transactions. Please try again.')).toBeVisible()
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page).toHaveURL('/transactions')
  await expect(page.getByText(/^1–10 of \d+$/)).toBeVisible()
})

test('a list starts at a date and continues in both directions', async ({ page }) => {
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, lucas)
  await page.goto('/transactions?order=asc')
  const times = page.locator('tbody tr time')
  await expect(times).toHaveCount(10)
  const readTime = async (index: number) => (await times.nth(index).getAttribute('datetime')) ?? ''
  // The day to jump to is that of the seventh row.
  const [firstTime, seventhTime] = [await readTime(0), await readTime(6)]
  const day = new Date(seventhTime).toLocaleDateString('sv-SE')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByLabel('Go to date').fill(day)
  await settle(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect(page).toHaveURL(`/transactions?order=asc&at=${day}`)
  await expect.poll(() => readTime(0)).not.toBe(firstTime)
  expect(new Date(await readTime(0)).toLocaleDateString('sv-SE')).toBe(day)
  await expect(page.getByText(/^\d+ shown, \d+ in all$/)).toBeVisible()
  await page.getByRole('button', { name: 'Previous page' }).click()
  await expect.poll(() => readTime(0)).toBe(firstTime)
  await expect(page.getByText(/^1–10 of \d+$/)).toBeVisible()
  await page.getByRole('button', { name: /^Filter/ }).click()
  await expect(page.getByLabel('Go to date')).toHaveValue('')
  expect(pageErrors).toEqual([])
})

test('on a phone the sheet filters and sorts, and a row opens its details', async ({ page }) => {
  await page.setViewportSize({ width: widths[0], height: 844 })
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, lucas)
  await page.goto('/transactions')
  await page.getByRole('button', { name: 'Filter' }).click()
  const sheet = page.getByRole('dialog')
  await sheet.getByLabel('Sort by').selectOption('Smallest amount first')
  await sheet.getByLabel('Type').selectOption('Money Sent')
  await settle(page)
  await expectAccessible(page)
  await sheet.getByRole('button', { name: 'Apply' }).click()
  await expect(page).toHaveURL('/transactions?type=SEND&sort=amount&order=asc')
  await expect(page.locator('.day-heading')).toHaveCount(0)
  // Sent amounts are negative, so the smallest amount is the largest sent.
  const figures = async () => {
    const texts = await page.locator('.activity-row .activity-end .amount').allInnerTexts()
    return texts.map((text) => BigInt(text.replaceAll(/\D/g, '')))
  }
  await expect
    .poll(async () => {
      const shownFigures = await figures()
      return (
        shownFigures.length > 3 &&
        shownFigures.every((figure, index) => index === 0 || figure <= (shownFigures[index - 1] ?? 0n))
      )
    })
    .toBe(true)
  const overflowWidth = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  expect(overflowWidth).toBeLessThanOrEqual(0)

  await page.locator('button.activity-row').first().click()
  const details = page.getByRole('dialog')
  await expect(details).toContainText('Money sent to')
  await expect(details.getByText(/ received /)).toBeVisible()
  await settle(page)
  const hiddenHeightScript =
    "(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.querySelector('.dialog'))"
  expect(await page.evaluate<number>(hiddenHeightScript), 'all of it fits').toBe(0)
  await expectAccessible(page)
  await page.goBack()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.getByRole('button', { name: /^Filter/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click()
  await expect(page).toHaveURL('/transactions')
  expect(pageErrors).toEqual([])
})

test('an open transaction stays open when the list no longer includes it', async ({ page }) => {
  const person = await enroll(productUrl(), 'dora', 'United States')
  await fund(person, 10_00)
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, person)
  await page.goto('/transactions')
  const rows = page.locator('tbody tr')
  await expect(rows).toHaveCount(1)
  await rows.first().getByRole('button').click()
  const details = page.getByRole('dialog')
  const copy = details.getByRole('button', { name: 'Copy ID' })
  await details.getByText('Technical details').click()
  await copy.focus()

  // The reloaded list lacks the transaction, and the separate lookup of it is delayed.
  await delayCalls(page, /\/transaction\/user\/\d+\?search=/)
  await page.route(/\/transaction\/user\/\d+\?limit=/, (route) =>
    route.fulfill({
      json: { transactions: [], total: 0, total_is_exact: true, next_cursor: null, previous_cursor: null },
    }),
  )
  await fund(person, 20_00)
  await expect(page.getByText('No transactions found')).toBeAttached({ timeout: 120_000 })
  await expect(details).toContainText('10.00')
  await expect(copy).toBeFocused()
  expect(pageErrors).toEqual([])
})

test('text typed before the script loaded is searched for', async ({ page }) => {
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, lucas)
  const releaseScript = await delayCalls(page, /\/assets\/.*\.js/)
  await page.goto('/transactions', { waitUntil: 'commit' })
  await page.getByRole('searchbox', { name: 'Search transactions' }).fill('ines')
  releaseScript()
  await expect(page).toHaveURL(/search=ines/)
  await expect(page.getByRole('searchbox', { name: 'Search transactions' })).toHaveValue('ines')
  expect(pageErrors).toEqual([])
})
