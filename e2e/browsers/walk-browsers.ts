import { type Browser, expect, type Page } from '@playwright/test'
import { demoAccounts } from '../../packages/server/src/commands/demo/demo-accounts.ts'
import { signInThroughApi, settle } from '../pages.ts'
import { collectPageErrors } from '../page-checks.ts'

/** Pages with amounts, dates, and fields for both. */
export const walkedPages = [
  '/dashboard',
  '/wallet',
  '/exchange',
  '/send',
  '/scheduled?new',
  '/receive',
  '/transactions',
  '/deposit',
  '/withdraw',
  '/settings',
  '/settings/limits',
  '/prices',
] as const

/** Locales that differ in digits, separators, writing direction or calendar. */
export const locales = [
  ...[
    'ar-EG',
    'ar-SA',
    'bg-BG',
    'bn-BD',
    'cs-CZ',
    'da-DK',
    'de-AT',
    'de-CH',
    'de-DE',
    'el-GR',
    'en-AU',
    'en-CA',
    'en-GB',
  ],
  ...[
    'en-IN',
    'en-US',
    'en-ZA',
    'es-ES',
    'es-MX',
    'fa-IR',
    'fi-FI',
    'fr-CA',
    'fr-CH',
    'fr-FR',
    'he-IL',
    'hi-IN',
    'hu-HU',
  ],
  ...[
    'it-IT',
    'ja-JP',
    'ko-KR',
    'my-MM',
    'nb-NO',
    'nl-NL',
    'pl-PL',
    'pt-BR',
    'pt-PT',
    'ru-RU',
    'sv-SE',
    'th-TH',
    'tr-TR',
  ],
  'zh-CN',
] as const

/** Values of `navigator.language` from bug reports; most are invalid in BCP 47. */
export const unusualLanguages = [
  'en-US@posix',
  'C',
  'C.UTF-8',
  'de-DE@posix',
  'en_US',
  '',
  undefined,
  'und',
  'x-private',
] as const

/** Opens a browser signed in to a demo account; returns its page and its collected errors. */
export async function openSignedIn(
  browser: Browser,
  options: { locale?: string; timezoneId?: string },
  account: (typeof demoAccounts)[number] = demoAccounts[0],
) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    ...options,
  })
  const page = await context.newPage()
  const pageErrors = collectPageErrors(page, /status of 404/)
  await signInThroughApi(page, account)
  return { page, pageErrors }
}

/** Overrides `navigator.language` with values that browser settings cannot produce. */
export const reportLanguage = (page: Page, language: string | undefined): Promise<unknown> =>
  page.addInitScript(`{
    const language = ${JSON.stringify(language)}
    Object.defineProperty(navigator, 'language', { get: () => language })
    Object.defineProperty(navigator, 'languages', { get: () => language === undefined ? undefined : [language] })
  }`)

/** Opens pages one after another and checks that each renders with Latin digits. */
export async function checkPages(page: Page, addresses: readonly string[], description: string): Promise<void> {
  for (const address of addresses) {
    await page.goto(address)
    await settle(page)
    const text = await page.evaluate<string>('document.body.innerText')
    expect(text, `${address}, ${description}`).not.toMatch(/Something went wrong|Invalid Date|\bNaN\b|[^\P{Nd}0-9]/u)
  }
}
