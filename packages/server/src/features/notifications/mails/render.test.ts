import { expect, test } from 'vitest'
import { messagesHere } from '../../../platform/messages.ts'
import { renderMail } from './render.ts'
import { home, link, samples } from './test-mails.ts'
import type { MailData, MailTemplate } from './templates.ts'

const linkInHtml = link.replace('&', '&amp;')
const amount = '1,250.00 USD'
const inEnglish = { publicUrl: home, catalogue: messagesHere() }

const mails = Object.entries(samples).flatMap(([template, data]) =>
  data.map((one) => ({
    name: 'change' in one ? one.change : template === 'payment_taken_back' && 'reason' in one ? one.reason : template,
    template: template as MailTemplate,
    data: one,
    ...renderMail(template as MailTemplate, one as never, inEnglish),
  })),
)

/** Everything a reader of the HTML sees, without the markup. */
const seen = (html: string): string =>
  html
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&#8288;', '')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')

test.each(mails)('$name has a subject of one line and says the same in both forms', ({ template, data, ...mail }) => {
  expect(mail.subject).toMatch(/^[\x20-\x7e]{5,60}$/)
  expect(mail.html).toContain(`<title>${mail.subject}</title>`)
  if (template === 'step_up_code') {
    expect(mail.text).toContain('\n  048213\n')
    expect(mail.html).toContain('>048213<')
    const parts = { send_money: ['Send money', amount], withdraw_money: ['Withdraw money', 'by 9 March 2026', amount] }
    for (const part of parts[(data as MailData['step_up_code']).action as keyof typeof parts] ?? ['Remove a passkey']) {
      expect(mail.text).toContain(part)
      expect(seen(mail.html)).toContain(part)
    }
  } else {
    expect(mail.text.split('\n')).toContain(link)
    expect(mail.html.split(`href="${linkInHtml}"`), 'button and plain link').toHaveLength(3)
    expect(mail.html).toContain(`>${linkInHtml}</a>`)
  }
  if ('amount' in data) {
    expect(mail.text).toContain(amount)
    expect(seen(mail.html)).toContain(amount)
  }
  if ('last4' in data) {
    expect(mail.text).toContain('4021')
    expect(seen(mail.html)).toContain('4021')
  }
  if ('at' in data) {
    expect(mail.text).toContain('5 March 2026, 23:04 UTC')
    expect(seen(mail.html)).toContain('5 March 2026, 23:04 UTC')
  }
  expect(mail.text).not.toMatch(/<\/?(p|td|a|b)\b|&(amp|#)/)
  const words = mail.text.replace(/https:\/\/tern\.example\n$/, '').match(/\p{L}{4,}/gu) ?? []
  for (const word of words) expect(seen(mail.html)).toContain(word)
})

test.each(mails)('$name cannot be made to hold anything else', ({ html, text }) => {
  expect(html).not.toMatch(/<script|<img|<iframe|<link|<form|url\(|@import|\son\w+=/i)
  expect(html.match(/https?:\/\/[^\s"<]+/g)?.every((found) => found.startsWith(home))).toBe(true)
  expect(html).not.toContain('\u202E')
  expect(text).not.toContain('\u202E')
  expect(text, 'it stays on its line').not.toMatch(/^Bcc:/m)
  // Many mail programs turn what looks like an address into a link.
  expect(html).not.toContain('evil.example')
})

test.each(mails)(
  '$name says why it came, what never to give away, and what to do if it was somebody else',
  ({ text }) => {
    const flat = text.replaceAll('\n', ' ')
    expect(flat).toContain('You get this mail because')
    expect(flat).toContain('Tern never asks for your password')
    expect(flat).toMatch(/[Ii]f (it was not you|you did not ask|you are not doing this)/)
  },
)

test('a long text from outside is cut', () => {
  const { text, html } = renderMail(
    'log_in',
    { link, device: { browser: 'x'.repeat(10_000) }, place: { network: 'y'.repeat(1000) } },
    inEnglish,
  )
  expect(text.length).toBeLessThan(2000)
  expect(html.length).toBeLessThan(20_000)
})

test('a link to anywhere but our own pages is a bug', () => {
  for (const foreign of ['https://evil.example/verify-email', `${home}.evil.example/`, 'javascript:alert(1)', '']) {
    expect(() => renderMail('verify_email', { link: foreign }, inEnglish)).toThrow('links to somewhere else')
  }
})
