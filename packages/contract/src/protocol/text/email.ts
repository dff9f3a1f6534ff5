import { visibleText } from './visible-text.ts'

/** Dot-atom (RFC 5322, section 3.2.3). Quoted and non-ASCII local parts are refused. */
const atomPattern = String.raw`[a-z0-9!#$%&'*+/=?^_{|}~\x60-]+`
const localPartPattern = new RegExp(String.raw`^${atomPattern}(?:\.${atomPattern})*$`, 'i')
/** Host name of at least two labels, the last of letters only or an A-label (RFC 5890). */
const hostNamePattern = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{0,58}[a-z0-9])$/
const invisiblePattern = /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/gu
const mailtoPattern = /^mailto:([^?]*)(?:\?.*)?$/i

/**
 * Extracts the address from pasted text: removes invisible characters, surrounding blanks, angle brackets and
 * `mailto:`.
 */
function extractAddress(text: string): string {
  const visibleAddress = visibleText(text.replaceAll(invisiblePattern, ''))
  const unbracketed = /^<([^<>]*)>$/.exec(visibleAddress)?.[1] ?? visibleAddress
  const address = mailtoPattern.exec(unbracketed.trim())?.[1]
  if (address === undefined) return unbracketed.trim()
  try {
    return decodeURIComponent(address).trim()
  } catch {
    return address
  }
}

/** Returns the domain in A-labels, lower case (UTS 46, by the URL parser); undefined if invalid. */
function toAsciiDomain(domain: string): string | undefined {
  if (!/^[a-z0-9.\-\u{80}-\u{10FFFF}]+$/iu.test(domain) || !URL.canParse(`http://${domain}`)) return undefined
  const { hostname } = new URL(`http://${domain}`)
  return hostNamePattern.test(hostname) ? hostname : undefined
}

/** Splits the address at its last at sign; undefined without one. */
function splitAddress(text: string): { local: string; domain: string } | undefined {
  const address = extractAddress(text)
  const at = address.lastIndexOf('@')
  return at < 1 ? undefined : { local: address.slice(0, at), domain: address.slice(at + 1) }
}

/**
 * Reports whether the address would be valid but for non-ASCII characters before the at sign, as in
 * `josé@tern.example`.
 */
export function hasForeignLocalPart(text: string): boolean {
  const parts = splitAddress(text)
  return parts !== undefined && /[^\p{ASCII}]/u.test(parts.local) && toAsciiDomain(parts.domain) !== undefined
}

/** Returns the stored spelling: lower case, the domain in A-labels; undefined for an invalid address. */
export function canonicalEmail(text: string): string | undefined {
  const parts = splitAddress(text)
  const domain = parts && toAsciiDomain(parts.domain)
  if (parts === undefined || domain === undefined || !localPartPattern.test(parts.local)) return undefined
  const address = `${parts.local.toLowerCase()}@${domain}`
  return address.length > 254 ? undefined : address
}
