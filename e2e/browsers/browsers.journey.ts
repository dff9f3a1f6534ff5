import { expect, test } from '@playwright/test'
import { demoAccounts } from '../../packages/server/src/commands/demo/demo-accounts.ts'
import { isFullRun } from '@tern/testkit/length'
import { settle } from '../pages.ts'
import { recipientField } from '../sending.ts'
import { locales, oddLanguages, openAs, reportLanguage, walkedPages, walkPages } from './walk-browsers.ts'

// The long tests cover all locales.
const walkedLocales = isFullRun ? locales : (['ar-EG', 'fa-IR', 'th-TH'] as const)
const pagesEach = isFullRun ? walkedPages : (['/dashboard', '/exchange', '/scheduled?new'] as const)
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
const walkMs = 3_600_000

test('pages render in the locales of browsers, with Latin digits', async ({ browser }) => {
  test.setTimeout(walkMs)
  for (const locale of walkedLocales) {
    const { page, complaints } = await openAs(browser, { locale })
    await walkPages(page, pagesEach, locale)
    expect(complaints, locale).toEqual([])
    await page.context().close()
  }
})

test('an invalid language tag gives pages with English figures', async ({ browser }) => {
  test.setTimeout(walkMs)
  for (const language of oddLanguages) {
    const { page, complaints } = await openAs(browser, {})
    await reportLanguage(page, language)
    await walkPages(page, isFullRun ? pagesEach : ['/dashboard'], String(language))
    await expect(page.locator('main')).toContainText(/\d\.\d\d/)
    expect(complaints, String(language)).toEqual([])
    await page.context().close()
  }
})

test('the form of a scheduled send accepts every time zone of a browser', async ({ browser }) => {
  test.setTimeout(walkMs)
  // A second account: the twenty logins of the parallel walks would end a session of the same account.
  const { page, complaints } = await openAs(browser, {}, demoAccounts[1])
  const devtools = await page.context().newCDPSession(page)
  for (const timezoneId of zones) {
    await devtools.send('Emulation.setTimezoneOverride', { timezoneId })
    await page.goto('/scheduled?new')
    const zone = await page.evaluate<string>('Intl.DateTimeFormat().resolvedOptions().timeZone')
    await expect(page.getByText(`${zone} time`), timezoneId).toBeVisible()
  }
  expect(complaints).toEqual([])
  await page.context().close()
})

test('a device with an unknown time zone schedules in UTC, and the form says so', async ({ browser }) => {
  const { page, complaints } = await openAs(browser, {})
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
  const request = page.waitForRequest((sent) => sent.url().endsWith('/api/schedules') && sent.method() === 'POST')
  await page.getByRole('button', { name: 'Schedule', exact: true }).click()
  expect((await request).postDataJSON()).toMatchObject({ time_zone: 'UTC' })
  expect(complaints.filter((complaint) => !complaint.includes('status of 40'))).toEqual([])
  await page.context().close()
})
