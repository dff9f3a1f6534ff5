import { type Browser, expect, type Page } from '@playwright/test'
import { demoAccounts } from '../../packages/server/src/commands/demo/demo-accounts.ts'
import { enter, settle } from '../pages.ts'
import { watch } from '../watch.ts'

/** Twelve pages with amounts, dates and fields for both. */
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

/** Locales of every family of figures, separators, directions and calendars. */
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

/** Values of `navigator.language` from bug reports that are no BCP 47 tags. */
export const oddLanguages = [
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

/** A browser of a demo account; gives its page and what that complains of. */
export async function openAs(
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
  const complaints = watch(page, /status of 404/)
  await enter(page, account)
  return { page, complaints }
}

/** Reports a language that no setting of the browser can give. */
export const reportLanguage = (page: Page, language: string | undefined): Promise<unknown> =>
  page.addInitScript(`{
    const language = ${JSON.stringify(language)}
    Object.defineProperty(navigator, 'language', { get: () => language })
    Object.defineProperty(navigator, 'languages', { get: () => language === undefined ? undefined : [language] })
  }`)

/** Opens pages one after another; each shows itself, and its digits are Latin. */
export async function walkPages(page: Page, addresses: readonly string[], where: string): Promise<void> {
  for (const address of addresses) {
    await page.goto(address)
    await settle(page)
    const text = await page.evaluate<string>('document.body.innerText')
    expect(text, `${address}, ${where}`).not.toMatch(/Something went wrong|Invalid Date|\bNaN\b|[^\P{Nd}0-9]/u)
  }
}
