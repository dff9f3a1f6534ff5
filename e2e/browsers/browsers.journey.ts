import { expect, test } from '@playwright/test'
import { demoAccounts } from '../../packages/server/src/commands/demo/demo-accounts.ts'
import { isFullRun } from '@tern/testkit/length'
import { settle } from '../pages.ts'
import { recipientField } from '../send-form.ts'
import { locales, unusualLanguages, openSignedIn, reportLanguage, walkedPages, checkPages } from './walk-browsers.ts'

// The long tests cover all locales.
const walkedLocales = isFullRun ? locales : (['ar-EG', 'fa-IR', 'th-TH'] as const)
const checkedPages = isFullRun ? walkedPages : (['/dashboard', '/exchange', '/scheduled?new'] as const)
const zones = isFullRun
  ? [
      ...new Set([
        ...Intl.supportedValuesOf('timeZone'),
        'Europe/Kyiv',
        'Asia/Kolkata',
        'America/Coyhaique',
        'Etc/GMT+3',
      ]),
    ]
  : ['Pacific/Apia', 'Antarctica/Troll', 'Asia/Calcutta']
const checkTimeoutMs = 3_600_000

test('pages render in the locales of browsers, with Latin digits', async ({ browser }) => {
  test.setTimeout(checkTimeoutMs)
  for (const locale of walkedLocales) {
    const { page, pageErrors } = await openSignedIn(browser, { locale })
    await checkPages(page, checkedPages, locale)
    expect(pageErrors, locale).toEqual([])
    await page.context().close()
  }
})

test('an invalid language tag gives pages with English figures', async ({ browser }) => {
  test.setTimeout(checkTimeoutMs)
  for (const language of unusualLanguages) {
    const { page, pageErrors } = await openSignedIn(browser, {})
    await reportLanguage(page, language)
    await checkPages(page, isFullRun ? checkedPages : ['/dashboard'], String(language))
    await expect(page.locator('main')).toContainText(/\d\.\d\d/)
    expect(pageErrors, String(language)).toEqual([])
    await page.context().close()
  }
})

test('the form of a scheduled send accepts every time zone of a browser', async ({ browser }) => {
  test.setTimeout(checkTimeoutMs)
  // Uses a second account, since the many logins of the parallel walks end sessions of the first.
  const { page, pageErrors } = await openSignedIn(browser, {}, demoAccounts[1])
  const devtools = await page.context().newCDPSession(page)
  for (const timezoneId of zones) {
    await devtools.send('Emulation.setTimezoneOverride', { timezoneId })
    await page.goto('/scheduled?new')
    const zone = await page.evaluate<string>('Intl.DateTimeFormat().resolvedOptions().timeZone')
    await expect(page.getByText(`${zone} time`), timezoneId).toBeVisible()
  }
  expect(pageErrors).toEqual([])
  await page.context().close()
})

test('a device with an unknown time zone schedules in UTC, and the form says so', async ({ browser }) => {
  const { page, pageErrors } = await openSignedIn(browser, {})
  await page.addInitScript(`{
    const { resolvedOptions } = Intl.DateTimeFormat.prototype
    Intl.DateTimeFormat.prototype.resolvedOptions = function () {
      return { ...resolvedOptions.call(this), timeZone: 'Etc/Unknown' }
    }
  }`)
  await page.goto('/scheduled?new')
  await expect(page.getByText('Your device doesn’t say its time zone, so times are in UTC.')).toBeVisible()
  await expect(page.getByText('Etc/Unknown')).toHaveCount(0)
  await recipientField(page).fill('lucas')
  await page.getByRole('option', { name: /lucas/i }).first().click()
  await page.getByRole('textbox', { name: 'Amount' }).fill('5')
  await page.getByLabel('How often').selectOption('once')
  await page.getByLabel('On', { exact: true }).fill(new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10))
  await settle(page)
  const request = page.waitForRequest(
    (candidate) => candidate.url().endsWith('/api/schedules') && candidate.method() === 'POST',
  )
  await page.getByRole('button', { name: 'Schedule', exact: true }).click()
  expect((await request).postDataJSON()).toMatchObject({ time_zone: 'UTC' })
  expect(pageErrors.filter((pageError) => !pageError.includes('status of 40'))).toEqual([])
  await page.context().close()
})
