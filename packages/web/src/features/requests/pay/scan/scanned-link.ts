import { readLinkData, removeInvisible } from '../../../../app/browser/link-text.ts'

/**
 * Content of a text or code: `data` of a payment link of this site, or a problem: a link in all capitals, a code of
 * another payment system, a link to another site, or none of these.
 */
export type ScannedLink =
  | { readonly data: string }
  | { readonly problem: 'capitals' | 'elsewhere' | 'none' }
  | { readonly problem: 'system'; readonly system: PaymentSystem }

export type PaymentSystem = 'bitcoin' | 'card' | 'epc' | 'ethereum' | 'lightning' | 'payto' | 'pix' | 'swiss' | 'upi'

const systems: readonly (readonly [PaymentSystem, RegExp])[] = [
  ['epc', /^BCD(?:\s|\\n)/],
  ['swiss', /^SPC(?:\s|\\n)/],
  ['pix', /^0002\d\d.*br\.gov\.bcb\.pix/is],
  // EMV merchant codes, the format of many national systems.
  ['card', /^0002\d\d\d\d/],
  ['upi', /^upi:/i],
  ['bitcoin', /^(?:bitcoin:|bc1[a-z\d]{20})/i],
  ['lightning', /^(?:lightning:|lnbc|lnurl|lno1)/i],
  ['ethereum', /^(?:ethereum:|0x[\da-f]{40}\b)/i],
  ['payto', /^payto:/i],
]

/** Normalized host: lower case, without `www.` and default ports. */
const plainHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^www\./, '')
    .replace(/:(?:80|443)$/, '')

/**
 * Parses a word as an address of this site, including the host; undefined otherwise. Both schemes are accepted: the
 * address is never opened, only its `data` is read.
 */
function readAddress(word: string, origin: URL): URL | undefined {
  const start = /^[^/\\?&#@%]*?(https?:\/\/.*)$/is.exec(word)?.[1] ?? word.replace(/^[^\p{L}\p{N}]+/u, '')
  const [, host = '', path = ''] = /^(?:https?:\/\/)?([^/]+)(\/.*)$/is.exec(start) ?? []
  if (plainHost(host) !== plainHost(origin.host)) return undefined
  return URL.canParse(origin.origin + path) ? new URL(origin.origin + path) : undefined
}

/** The word with URL and HTML escapes decoded; undefined if it has none. */
function unescapeWord(word: string): string | undefined {
  try {
    const unescapedWord = decodeURIComponent(word.replaceAll('&amp;', '&'))
    return unescapedWord === word ? undefined : unescapedWord
  } catch {
    return undefined
  }
}

function readWord(word: string, origin: URL): ScannedLink | undefined {
  const url = readAddress(word, origin)
  if (!url || !/^\/pay\/?$/i.test(url.pathname)) return undefined
  const [, value] = [...url.searchParams].find(([name]) => name.toLowerCase() === 'data') ?? []
  const data = readLinkData(value ?? '')
  if (data === '') return undefined
  const isCapitals = !url.pathname.startsWith('/pay') && data === data.toUpperCase()
  return isCapitals ? { problem: 'capitals' } : { data }
}

/** Maximum number of lines of a wrapped link. */
const maxLines = 6
const completeDataPattern = /^[\w-]{43}$/

/**
 * Yields the first word, then the first two joined, and so on, each also without the trailing equals signs of
 * quoted-printable mail.
 */
function* joinWords([first = '', ...otherWords]: readonly string[]): Generator<string> {
  yield first
  let plainCandidate = first
  let quotedCandidate = first
  for (const word of otherWords) {
    plainCandidate += word
    quotedCandidate = quotedCandidate.replace(/=$/, '') + word
    yield plainCandidate
    yield quotedCandidate
  }
}

/** Finds the payment link in a text, wrapped or not. A complete one takes precedence over a truncated one. */
function findOwnLink(text: string, origin: URL): ScannedLink | undefined {
  const words = text.trim().split(/\s+/)
  let shortenedLink: ScannedLink | undefined
  for (const [index] of words.entries())
    for (const joinedWords of joinWords(words.slice(index, index + maxLines))) {
      const found = readWord(joinedWords, origin) ?? readWord(unescapeWord(joinedWords) ?? '', origin)
      if (found && 'data' in found && completeDataPattern.test(found.data)) return found
      shortenedLink ??= found
    }
  return shortenedLink
}

/** Classifies scanned or pasted text. Returns `data` only for a payment link of this site. */
export function readLink(text: string, siteOrigin: string): ScannedLink {
  const found = findOwnLink(removeInvisible(text), new URL(siteOrigin))
  if (found) return found
  const [system] = systems.find(([, pattern]) => pattern.test(text.trim())) ?? []
  if (system) return { problem: 'system', system }
  return { problem: /^[a-z][a-z0-9+.-]*:\S/i.test(text.trim()) ? 'elsewhere' : 'none' }
}

/** `data` of the payment link of this site in a text; undefined without one. */
export function extractLinkData(text: string, origin: string): string | undefined {
  const found = readLink(text, origin)
  return 'data' in found ? found.data : undefined
}
