// What the built pages leave open because only the running server knows it: license and security contact.

import type { License } from '../../runtime/config.ts'

export interface Installation {
  readonly license: License | undefined
  readonly hasSecurityContact: boolean
}

const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** An element with this attribute, which holds none of its own kind; its tag, attributes and content. */
const elements = (attribute: string, name: string) =>
  new RegExp(`<(\\w+)((?: [^<>]*)? data-${attribute}="${name}"[^<>]*)>([\\s\\S]*?)</\\1>`, 'g')
const startTags = (attribute: string, name: string) =>
  new RegExp(`<\\w+(?: [^<>]*)? data-${attribute}="${name}"[^<>]*>`, 'g')

/** Shows what stands ready for the case that `name` is known, and drops what stands there otherwise. */
const settle = (html: string, name: string): string =>
  html
    .replaceAll(elements('without', name), '')
    .replaceAll(startTags('with', name), (tag) => tag.replace(' hidden=""', ''))

/**
 * A built page as it reads in this installation: `data-without` gives way to `data-with`, and `data-value` gets its text
 * or address. What is not known stays as it was built, which says so.
 */
export function fillPage(html: string, { license, hasSecurityContact }: Installation): string {
  let filled = html
  if (license !== undefined) {
    const text = escape(license.text)
    filled = settle(filled, 'license').replaceAll(
      elements('value', 'license'),
      (_all, tag: string, attributes: string) => `<${tag}${attributes}>${text}</${tag}>`,
    )
  }
  if (license?.registerUrl !== undefined) {
    const address = escape(license.registerUrl)
    filled = settle(filled, 'license-register').replaceAll(startTags('value', 'license-register'), (tag) =>
      tag.replace(/ href="[^"]*"/, () => ` href="${address}"`),
    )
  }
  return hasSecurityContact ? settle(filled, 'security-contact') : filled
}
