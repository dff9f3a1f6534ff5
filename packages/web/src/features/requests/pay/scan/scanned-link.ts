import { readLinkData, withoutInvisible } from '../../../../app/browser/link-text.ts'

/**
 * What a text or a code holds: a payment link of this very site by its `data`, one whose letters were all made capitals, a code
 * of another payment system, a link to another site, or none of them.
 */
export type FoundLink =
  | { readonly data: string }
  | { readonly problem: 'capitals' | 'elsewhere' | 'none' }
  | { readonly problem: 'system'; readonly system: PaymentSystem }

export type PaymentSystem = 'bitcoin' | 'card' | 'epc' | 'ethereum' | 'lightning' | 'payto' | 'pix' | 'swiss' | 'upi'

const systems: readonly (readonly [PaymentSystem, RegExp])[] = [
  ['epc', /^BCD\s/],
  ['swiss', /^SPC\s/],
  ['pix', /^0002\d\d.*br\.gov\.bcb\.pix/is],
  // EMV codes of merchants, the format of many national systems.
  ['card', /^0002\d\d\d\d/],
  ['upi', /^upi:/i],
  ['bitcoin', /^bitcoin:/i],
  ['lightning', /^(?:lightning:|lnbc|lnurl)/i],
  ['ethereum', /^ethereum:/i],
  ['payto', /^payto:/i],
]

/** A word of a text as an address of this site, whose host is written out as it is; undefined where it is none. */
function readAddress(word: string, origin: URL): URL | undefined {
  const start = /^[^/\\?&#@%]*?(https?:\/\/.*)$/is.exec(word)?.[1] ?? word.replace(/^[^\p{L}\p{N}]+/u, '')
  const hasScheme = /^https?:\/\//i.test(start)
  const rest = hasScheme ? start.replace(/^https?:\/\//i, '') : start
  if (!rest.toLowerCase().startsWith(`${origin.host}/`)) return undefined
  const address = hasScheme ? start : `${origin.protocol}//${start}`
  const url = URL.canParse(address) ? new URL(address) : undefined
  return url?.origin === origin.origin ? url : undefined
}

const decoded = (word: string): string => {
  if (!/https?%3a%2f%2f/i.test(word)) return word
  try {
    return decodeURIComponent(word)
  } catch {
    return word
  }
}

function readWord(word: string, origin: URL): FoundLink | undefined {
  const url = readAddress(decoded(word), origin)
  if (!url || !/^\/pay\/?$/i.test(url.pathname)) return undefined
  const [, value] = [...url.searchParams].find(([name]) => name.toLowerCase() === 'data') ?? []
  const data = readLinkData(value ?? '')
  if (data === '') return undefined
  const isCapitals = !url.pathname.startsWith('/pay') && data === data.toUpperCase()
  return isCapitals ? { problem: 'capitals' } : { data }
}

/** Into how many lines a link may be wrapped. */
const mostLines = 6
const wholeData = /^[\w-]{43}$/

/** The first word, and the first few together; without the equals signs that end the lines of a quoted-printable mail, too. */
function* joinedFrom([first = '', ...more]: readonly string[]): Generator<string> {
  yield first
  let plain = first
  let quoted = first
  for (const word of more) {
    plain += word
    quoted = quoted.replace(/=$/, '') + word
    yield plain
    yield quoted
  }
}

/** The payment link in a text, wrapped or not. A whole one goes before a shortened one. */
function findOurs(text: string, origin: URL): FoundLink | undefined {
  const words = text.trim().split(/\s+/)
  let shortened: FoundLink | undefined
  for (const [index] of words.entries())
    for (const joined of joinedFrom(words.slice(index, index + mostLines))) {
      const found = readWord(joined, origin)
      if (found && 'data' in found && wholeData.test(found.data)) return found
      shortened ??= found
    }
  return shortened
}

/** Reads what was scanned or pasted. Nothing but a payment link of this site is ever opened. */
export function readLink(text: string, siteOrigin: string): FoundLink {
  const found = findOurs(withoutInvisible(text), new URL(siteOrigin))
  if (found) return found
  const [system] = systems.find(([, form]) => form.test(text.trim())) ?? []
  if (system) return { problem: 'system', system }
  return { problem: /^[a-z][a-z0-9+.-]*:\S/i.test(text.trim()) ? 'elsewhere' : 'none' }
}

/** The `data` of the payment link of this site that a text holds; undefined without one. */
export function dataOfLink(text: string, origin: string): string | undefined {
  const found = readLink(text, origin)
  return 'data' in found ? found.data : undefined
}
