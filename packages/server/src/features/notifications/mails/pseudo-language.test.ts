import { expect, test } from 'vitest'
import { readPseudoMessages } from '../../../../../../tools/pseudo-language.ts'
import { renderMail } from './render.ts'
import { homeUrl, samples } from '@tern/testkit/notifications/mails'
import type { MailTemplate } from './templates.ts'

const catalogue = await readPseudoMessages('qps')

const listValues = (data: unknown): string[] =>
  typeof data === 'object' && data !== null ? Object.values(data).flatMap(listValues) : [String(data)]

const mails = Object.entries(samples).flatMap(([template, data]) =>
  data.map((mailData, index) => ({
    name: `${template} ${index + 1}`,
    given: listValues(mailData).join(' '),
    ...renderMail(template as MailTemplate, mailData as never, { publicUrl: homeUrl, catalogue }),
  })),
)

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

/** Extracts the visible text of HTML. */
const toVisibleText = (html: string): string =>
  html
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? '')
    .replaceAll(/&[#\w]+;/g, '')

/** Returns words that were not translated: in plain letters and not from the mail's data. */
function findUntranslated(text: string, dataText: string): string[] {
  const words = text.replaceAll(/https:\/\/\S+/g, ' ').match(/[A-Za-z]{2,}/g) ?? []
  const allowedWords = new Set(['Tern', ...(dataText.match(/[A-Za-z]+/g) ?? []), ...(homeUrl.match(/[a-z]+/g) ?? [])])
  return words.filter((word) => !allowedWords.has(word))
}

test.each(mails)('$name contains only words of its catalogue', ({ subject, text, html, given }) => {
  expect(subject).toMatch(/^\[!! .+ !!\]$/)
  expect(findUntranslated(text, given)).toEqual([])
  expect(findUntranslated(toVisibleText(html), given)).toEqual([])
})

test.each(mails)('$name reads from right to left', ({ html }) => {
  expect(html).toContain('<html lang="qps" dir="rtl">')
  expect(html).not.toMatch(/border-left:3px|text-align:left/)
})

test('the check detects a word that is in no catalogue', () => {
  expect(findUntranslated('[!! Şéñđ !!] Send money', '')).toEqual(['Send', 'money'])
})
