import { language } from '#language'

const checked = new Map<unknown, string | undefined>()

/**
 * Locale for a language tag of the browser, with Latin digits and the Gregorian calendar; undefined if unknown to Intl.
 */
function readLocale(tag: unknown): string | undefined {
  if (typeof tag !== 'string' || tag === '') return undefined
  try {
    const [supported] = Intl.NumberFormat.supportedLocalesOf(tag)
    return supported && new Intl.Locale(supported, { numberingSystem: 'latn', calendar: 'gregory' }).toString()
  } catch {
    // Names of POSIX locales and other texts that are not BCP 47 tags.
    return undefined
  }
}

function checkedLocale(tag: unknown): string | undefined {
  if (!checked.has(tag)) checked.set(tag, readLocale(tag))
  return checked.get(tag)
}

/**
 * Locale of the person's number format, always valid for Intl, with Latin digits and the Gregorian calendar. Falls back
 * to the page's own language during prerendering, and if the browser reports no valid tag.
 */
export const personLocale = (): string =>
  (typeof document !== 'undefined' && checkedLocale(navigator.language)) || language.code

const isOwnLanguage = (tag: unknown): boolean => `${String(tag)}-`.startsWith(`${language.code}-`)

/** Locale of texts with words, such as months: the person's first locale in the page's language. Always valid. */
export function textLocale(): string {
  if (typeof document === 'undefined') return language.code
  // Missing or empty in some embedded browsers, despite the types.
  const tags = (navigator.languages as readonly unknown[] | undefined) ?? []
  return checkedLocale(tags.find((tag) => isOwnLanguage(tag) && checkedLocale(tag))) ?? language.code
}
