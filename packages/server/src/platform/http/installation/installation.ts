// What the built pages leave open because only the running server knows it: license, security contact, and the lists that
// people are compared with.

import type { License } from '../../runtime/config.ts'

export interface Installation {
  readonly license: License | undefined
  readonly hasSecurityContact: boolean
}

/** A list of sanctioned or politically exposed people that is in force here. */
export interface LoadedList {
  readonly source: string
  readonly importedAt: Date
  readonly checkedAt: Date
  readonly entries: number
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

const fillValue = (html: string, name: string, text: string): string =>
  html.replaceAll(
    elements('value', name),
    (_all, tag: string, attributes: string) => `<${tag}${attributes}>${escape(text)}</${tag}>`,
  )

/**
 * A built page as it reads in this installation: `data-without` gives way to `data-with`, and `data-value` gets its text
 * or address. What is not known stays as it was built, which says so.
 */
export function fillPage(html: string, { license, hasSecurityContact }: Installation): string {
  let filled = html
  if (license !== undefined) {
    filled = fillValue(settle(filled, 'license'), 'license', license.text)
  }
  if (license?.registerUrl !== undefined) {
    const address = escape(license.registerUrl)
    filled = settle(filled, 'license-register').replaceAll(startTags('value', 'license-register'), (tag) =>
      tag.replace(/ href="[^"]*"/, () => ` href="${address}"`),
    )
  }
  return hasSecurityContact ? settle(filled, 'security-contact') : filled
}

/** A filled page with the dates of the lists in force, as its language writes them. What is not loaded stays as it was built. */
export function fillLists(html: string, lists: readonly LoadedList[], language: string): string {
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' })
  const number = new Intl.NumberFormat(language)
  return lists
    .flatMap(({ source, importedAt, checkedAt, entries }) => [
      [`list-${source}-since`, day.format(importedAt)],
      [`list-${source}-checked`, day.format(checkedAt)],
      [`list-${source}-entries`, number.format(entries)],
    ])
    .reduce((filled, [name = '', text = '']) => fillValue(filled, name, text), html)
}
