import { visibleText } from './visible-text.ts'

/** Email addresses as typed or pasted, and their canonical spelling for storage and comparison. */

/** Dot-atom (RFC 5322, section 3.2.3). Quoted and non-ASCII local parts are refused. */
const atext = String.raw`[a-z0-9!#$%&'*+/=?^_{|}~\x60-]+`
const plainLocalPart = new RegExp(String.raw`^${atext}(?:\.${atext})*$`, 'i')
/** Host name of two labels or more, the last in letters or an A-label (RFC 5890). */
const hostName = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{0,58}[a-z0-9])$/
const invisible = /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/gu
const mailto = /^mailto:([^?]*)(?:\?.*)?$/i

/** Extracts the address from pasted text: drops invisible characters, outer blanks, angle brackets and `mailto:`. */
function pastedAddress(text: string): string {
  const visible = visibleText(text.replaceAll(invisible, ''))
  const inner = /^<([^<>]*)>$/.exec(visible)?.[1] ?? visible
  const address = mailto.exec(inner.trim())?.[1]
  if (address === undefined) return inner.trim()
  try {
    return decodeURIComponent(address).trim()
  } catch {
    return address
  }
}

/** Returns the domain in A-labels, lower case (UTS 46, by the URL parser); undefined if invalid. */
function asciiDomain(domain: string): string | undefined {
  if (!/^[a-z0-9.\-\u{80}-\u{10FFFF}]+$/iu.test(domain) || !URL.canParse(`http://${domain}`)) return undefined
  const { hostname } = new URL(`http://${domain}`)
  return hostName.test(hostname) ? hostname : undefined
}

/** Splits the address at its last at sign; undefined without one. */
function splitAddress(text: string): { local: string; domain: string } | undefined {
  const address = pastedAddress(text)
  const at = address.lastIndexOf('@')
  return at < 1 ? undefined : { local: address.slice(0, at), domain: address.slice(at + 1) }
}

/** Reports whether non-ASCII characters before the at sign are the only obstacle, as in `josé@tern.example`. */
export function hasForeignLocalPart(text: string): boolean {
  const parts = splitAddress(text)
  return parts !== undefined && /[^\p{ASCII}]/u.test(parts.local) && asciiDomain(parts.domain) !== undefined
}

/** Returns the stored spelling: lower case, the domain in A-labels. Undefined for an invalid address. */
export function canonicalEmail(text: string): string | undefined {
  const parts = splitAddress(text)
  const domain = parts && asciiDomain(parts.domain)
  if (parts === undefined || domain === undefined || !plainLocalPart.test(parts.local)) return undefined
  const address = `${parts.local.toLowerCase()}@${domain}`
  return address.length > 254 ? undefined : address
}
