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
  ['epc', /^BCD(?:\s|\\n)/],
  ['swiss', /^SPC(?:\s|\\n)/],
  ['pix', /^0002\d\d.*br\.gov\.bcb\.pix/is],
  // EMV codes of merchants, the format of many national systems.
  ['card', /^0002\d\d\d\d/],
  ['upi', /^upi:/i],
  ['bitcoin', /^(?:bitcoin:|bc1[a-z\d]{20})/i],
  ['lightning', /^(?:lightning:|lnbc|lnurl|lno1)/i],
  ['ethereum', /^(?:ethereum:|0x[\da-f]{40}\b)/i],
  ['payto', /^payto:/i],
]

/** A host as it is compared: in lower case, without `www.` and the usual ports. */
const plainHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^www\./, '')
    .replace(/:(?:80|443)$/, '')

/**
 * A word of a text as an address of this site, whose host is written out as it is; undefined where it is none. Either scheme
 * means this site: its address is never opened, only its `data` is read.
 */
function readAddress(word: string, origin: URL): URL | undefined {
  const start = /^[^/\\?&#@%]*?(https?:\/\/.*)$/is.exec(word)?.[1] ?? word.replace(/^[^\p{L}\p{N}]+/u, '')
  const [, host = '', path = ''] = /^(?:https?:\/\/)?([^/]+)(\/.*)$/is.exec(start) ?? []
  if (plainHost(host) !== plainHost(origin.host)) return undefined
  return URL.canParse(origin.origin + path) ? new URL(origin.origin + path) : undefined
}

/** The word as it was before its signs were escaped for an address or a page; undefined if they were not. */
function unescaped(word: string): string | undefined {
  try {
    const plain = decodeURIComponent(word.replaceAll('&amp;', '&'))
    return plain === word ? undefined : plain
  } catch {
    return undefined
  }
}

function readWord(word: string, origin: URL): FoundLink | undefined {
  const url = readAddress(word, origin)
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
      const found = readWord(joined, origin) ?? readWord(unescaped(joined) ?? '', origin)
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
