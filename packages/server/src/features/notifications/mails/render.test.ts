import { expect, test } from 'vitest'
import { currentRequestMessages } from '../../../platform/messages.ts'
import { renderMail } from './render.ts'
import { homeUrl, link, samples } from '@tern/testkit/notifications/mails'
import type { MailData, MailTemplate } from './templates.ts'

const linkInHtml = link.replace('&', '&amp;')
const amount = '$1,250.00'
const englishContext = { publicUrl: homeUrl, catalogue: currentRequestMessages() }

const mails = Object.entries(samples).flatMap(([template, data]) =>
  data.map((mailData) => ({
    name:
      'change' in mailData
        ? mailData.change
        : template === 'payment_taken_back' && 'reason' in mailData
          ? mailData.reason
          : template,
    template: template as MailTemplate,
    data: mailData,
    ...renderMail(template as MailTemplate, mailData as never, englishContext),
  })),
)

/** Extracts the visible text of HTML. */
const toVisibleText = (html: string): string =>
  html
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&#8288;', '')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')

test.each(mails)(
  '$name has a subject of one line and the same content in both forms',
  ({ template, data, ...mail }) => {
    expect(mail.subject).toMatch(/^[^\p{Cc}\p{Cf}]{5,90}$/u)
    expect(toVisibleText(mail.html)).toContain(mail.subject.replaceAll(/\s+/g, ' '))
    if (template === 'step_up_code') {
      expect(mail.text).toContain('\n  048213\n')
      expect(mail.html).toContain('>048213<')
      const parts = {
        send_money: ['Send money', amount, '1 USD = 149.2537 JPY'],
        withdraw_money: ['Withdraw money', 'by Mar 9, 2026', amount],
      }
      for (const part of parts[(data as MailData['step_up_code']).action as keyof typeof parts] ?? [
        'Remove a passkey',
      ]) {
        expect(mail.text).toContain(part)
        expect(toVisibleText(mail.html)).toContain(part)
      }
    }
    if ('link' in data) {
      expect(mail.text.split('\n')).toContain(link)
      expect(mail.html.split(`href="${linkInHtml}"`), 'button and plain link').toHaveLength(3)
      expect(mail.html).toContain(`>${linkInHtml}</a>`)
    }
    if ('amount' in data) {
      expect(mail.text).toContain(amount)
      expect(toVisibleText(mail.html)).toContain(amount)
    }
    if ('last4' in data) {
      expect(mail.text).toContain('4021')
      expect(toVisibleText(mail.html)).toContain('4021')
    }
    if ('at' in data) {
      expect(mail.text).toContain('Mar 5, 2026, 11:04 PM UTC')
      expect(toVisibleText(mail.html)).toContain('Mar 5, 2026, 11:04 PM UTC')
    }
    expect(mail.text).not.toMatch(/<\/?(p|td|a|b)\b|&(amp|#)/)
    const words = mail.text.replace(/https:\/\/tern\.example\n$/, '').match(/\p{L}{4,}/gu) ?? []
    for (const word of words) expect(toVisibleText(mail.html)).toContain(word)
  },
)

test.each(mails)('$name cannot be injected with anything else', ({ html, text }) => {
  expect(html).not.toMatch(/<script|<img|<iframe|<link|<form|url\(|@import|\son\w+=/i)
  expect(html.match(/https?:\/\/[^\s"<]+/g)?.every((url) => url.startsWith(homeUrl))).toBe(true)
  expect(html).not.toContain('\u202E')
  expect(text).not.toContain('\u202E')
  expect(text, 'it stays on its line').not.toMatch(/^Bcc:/m)
  // Many mail programs turn text that looks like an address into a link.
  expect(html).not.toContain('evil.example')
})

test.each(mails)('$name states its reason, what never to give away, and what to do about an intruder', ({ text }) => {
  const flatText = text.replaceAll('\n', ' ')
  expect(flatText).toContain("You're getting this email because")
  expect(flatText).toContain('Tern never asks for your password')
  expect(flatText).toMatch(/[Ii]f ((this|it) wasn't you|you didn't ask|you don't know)/)
})

const renderCodeMail = (subject: MailData['step_up_code']['subject'], action: MailData['step_up_code']['action']) =>
  renderMail('step_up_code', { code: '048213', action, subject }, englishContext)

test('a code’s subject states its purpose, and no amount reads like a code', () => {
  const sendCodeMail = renderCodeMail(
    [
      ['to', 'Priya Nair (@priya)'],
      ['amount', '9000.00 USD'],
      ['fee', '90.00 USD'],
      ['total', '9090.00 USD'],
      ['receives', '751050.00 INR'],
    ],
    'send_money',
  )
  expect(sendCodeMail.subject).toBe('Your code to send $9,000.00 to Priya Nair')
  for (const amountText of ['$9,000.00', '$90.00', '$9,090.00', '₹751,050.00', 'Priya Nair (@priya)']) {
    expect(sendCodeMail.text).toContain(amountText)
  }
  expect(sendCodeMail.text.match(/\d{6}/g)).toEqual(['048213'])
  const withdrawalCodeMail = renderCodeMail([['amount', '1134567890 JPY']], 'withdraw_money')
  expect(withdrawalCodeMail.subject).toBe('Your code to withdraw ¥1,134,567,890')
  expect(renderCodeMail([['amount', '1234.567891 USDT']], 'withdraw_money').subject).toContain('1,234.567891 USDT')
  expect(renderCodeMail([], 'change_email').subject).toBe('Your code to change your email address')
  expect(renderCodeMail([], 'send_money').subject).toBe('Your confirmation code')
})

test('a payee cannot make a subject long or break it', () => {
  const { subject, html } = renderCodeMail(
    [
      ['to', `x\r\nBcc: thief@evil.example ${'y'.repeat(500)}`],
      ['amount', '1.00 USD'],
    ],
    'send_money',
  )
  expect(subject).toBe('Your code to send $1.00 to x Bcc: thief@evil.example…')
  expect(
    renderCodeMail(
      [
        ['to', 'y'.repeat(500)],
        ['amount', '1.00 USD'],
      ],
      'send_money',
    ).subject,
  ).toHaveLength(67)
  const { subject: emojiSubject } = renderCodeMail(
    [
      ['to', '🎉'.repeat(60)],
      ['amount', '1.00 USD'],
    ],
    'send_money',
  )
  expect(emojiSubject.isWellFormed(), 'a pair is cut whole').toBe(true)
  expect(html).not.toContain('evil.example')
})

test('a mail stored with an older form of the amount is shown unchanged', () => {
  const { text } = renderMail('late_payment', { purpose: 'send', amount: '1,250.00 USD', link }, englishContext)
  expect(text).toContain('1,250.00 USD')
})

test('a long text from outside is cut', () => {
  const { text, html } = renderMail(
    'log_in',
    { link, device: { browser: 'x'.repeat(10_000) }, place: { network: 'y'.repeat(1000) } },
    englishContext,
  )
  expect(text.length).toBeLessThan(2000)
  expect(html.length).toBeLessThan(20_000)
})

test('a link to a foreign page is a bug', () => {
  for (const foreignUrl of [
    'https://evil.example/verify-email',
    `${homeUrl}.evil.example/`,
    'javascript:alert(1)',
    '',
  ]) {
    expect(() => renderMail('verify_email', { link: foreignUrl }, englishContext)).toThrow('links to somewhere else')
  }
})
