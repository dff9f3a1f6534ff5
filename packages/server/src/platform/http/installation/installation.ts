// Fills values that only the running server knows into the built pages: operator, license, contacts, the lists in
// force, and the rule for money added by card.

import type { PublicSettings } from '../../runtime/config.ts'

/** Sanctions or PEP list in force. */
export interface LoadedList {
  readonly source: string
  readonly importedAt: Date
  readonly checkedAt: Date
  readonly entries: number
}

const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/**
 * Matches an element with this attribute, and captures its tag name, attributes and content; it must not contain an
 * element of the same name.
 */
const elementPattern = (attribute: string, name: string) =>
  new RegExp(`<(\\w+)((?: [^<>]*)? data-${attribute}="${name}"[^<>]*)>([\\s\\S]*?)</\\1>`, 'g')
const startTagPattern = (attribute: string, name: string) =>
  new RegExp(`<\\w+(?: [^<>]*)? data-${attribute}="${name}"[^<>]*>`, 'g')

/** Removes the elements for pages without `name`, and reveals those for pages with it. */
const revealElements = (html: string, name: string): string =>
  html
    .replaceAll(elementPattern('without', name), '')
    .replaceAll(startTagPattern('with', name), (tag) => tag.replace(' hidden=""', ''))

const fillValue = (html: string, name: string, text: string): string =>
  html.replaceAll(
    elementPattern('value', name),
    (_all, tag: string, attributes: string) => `<${tag}${attributes}>${escape(text)}</${tag}>`,
  )

const fillLink = (html: string, name: string, address: string): string =>
  html.replaceAll(startTagPattern('value', name), (tag) =>
    tag.replace(/ href="[^"]*"/, () => ` href="${escape(address)}"`),
  )

/** Formats a contact: an email address, or a web address without its protocol. */
const contactLabel = (contact: string): string => contact.replace(/^(mailto:|https:\/\/)/, '').replace(/\/$/, '')

/**
 * Fills the operator's settings into a built page: elements with `data-with` replace those with `data-without`, and
 * `data-value` elements get a text or an address. Missing settings leave the page as built. Application pages read the
 * support contact from `data-support` of their root element.
 */
export function fillPage(html: string, settings: PublicSettings): string {
  const { license, operatorName, team, docsUrl, supportContact, securityContact } = settings
  let filledHtml = html
  if (operatorName !== undefined)
    filledHtml = fillValue(revealElements(filledHtml, 'operator'), 'operator', operatorName)
  if (team !== undefined) filledHtml = fillValue(revealElements(filledHtml, 'team'), 'team', team)
  if (docsUrl !== undefined) filledHtml = fillLink(revealElements(filledHtml, 'docs'), 'docs', docsUrl)
  if (license !== undefined) filledHtml = fillValue(revealElements(filledHtml, 'license'), 'license', license.text)
  if (license?.registerUrl !== undefined) {
    filledHtml = fillLink(revealElements(filledHtml, 'license-register'), 'license-register', license.registerUrl)
  }
  if (supportContact !== undefined) {
    filledHtml = fillLink(revealElements(filledHtml, 'support'), 'support', supportContact)
    filledHtml = fillValue(filledHtml, 'support-label', contactLabel(supportContact))
    filledHtml = filledHtml.replace('<html ', () => `<html data-support="${escape(supportContact)}" `)
  }
  if ([operatorName, license, supportContact, team].some((setting) => setting !== undefined))
    filledHtml = revealElements(filledHtml, 'about')
  return securityContact === undefined ? filledHtml : revealElements(filledHtml, 'security-contact')
}

/**
 * Fills in dates and sizes of the lists in force, formatted in the page's language. Missing lists leave the page as
 * built.
 */
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

export interface CardMoneyRule {
  /** Hours until the money can be withdrawn to a bank. */
  readonly hours: number
  /** Price of withdrawing the money to a bank within `days`, in basis points; 0 if free. */
  readonly basisPoints: number
  readonly days: number
}

const hoursPerDay = 24

export function fillCardMoney(html: string, { hours, basisPoints, days }: CardMoneyRule, language: string): string {
  const duration = (count: number, unit: 'day' | 'hour') =>
    new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 2 })
  const wait = hours % hoursPerDay === 0 ? duration(hours / hoursPerDay, 'day') : duration(hours, 'hour')
  let filledHtml = fillValue(revealElements(html, 'card-money'), 'card-money-wait', wait)
  if (basisPoints > 0) {
    filledHtml = fillValue(
      revealElements(filledHtml, 'card-fee'),
      'card-fee',
      percent.format(`${basisPoints}E-4` as Intl.StringNumericLiteral),
    )
    filledHtml = fillValue(filledHtml, 'card-fee-days', duration(days, 'day'))
  }
  return filledHtml
}
