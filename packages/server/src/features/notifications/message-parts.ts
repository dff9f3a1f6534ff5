// What the mails of every kind are put together from.

import type { Part } from './mail-layout.ts'

export const words = (text: string): Part => ({ kind: 'words', text })
export const note = (text: string): Part => ({ kind: 'note', text })
export const button = (label: string, link: string): Part => ({ kind: 'button', label, link })

const dateFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})
const timeFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })

/** A moment for people anywhere, such as '21 November 2026, 14:05 UTC'. */
export const dated = (at: Date): string => `${dateFormat.format(at)}, ${timeFormat.format(at)} UTC`

const longestValue = 200
// Control characters could break lines; direction marks could make a text read as another.
const unprintable = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]+/gu

/** What somebody else may have chosen: one line of bounded length. */
export function fromOutside(value: string): string {
  const line = value.replaceAll(unprintable, ' ').replaceAll(/\s+/g, ' ').trim()
  const signs = Array.from(line)
  return signs.length > longestValue ? `${signs.slice(0, longestValue - 1).join('')}…` : line
}

export const ofAccount = 'You get this mail because this address belongs to a Tern account.'
export const ofAlert = `${ofAccount} Mails about its security cannot be switched off.`
export const ofRequest = 'You get this mail because somebody entered this address at Tern.'
