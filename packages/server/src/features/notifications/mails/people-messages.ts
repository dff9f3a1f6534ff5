// Mails about payments and requests between users.

import { dayInWords } from '@tern/messages/formats'
import type { Messages } from '../../../platform/messages.ts'
import type { Message } from './mail-layout.ts'
import {
  formatAmount as shown,
  button,
  facts,
  sanitizeText,
  message,
  shortenSubjectName,
  note,
  words,
} from './message-parts.ts'
import type { MailData } from './templates.ts'

/** Builds the mail about a payment or request of another user. */
function buildPersonMessage(
  catalogue: Messages,
  template: 'money_received' | 'request_received' | 'request_paid' | 'guest_receipt' | 'guest_not_charged',
  { person, username, amount, description, link, until }: MailData['request_received'],
): Message {
  const { frame, people } = catalogue.mails
  const wording = people[template]
  const isGuest = template === 'guest_receipt' || template === 'guest_not_charged'
  const sum = shown(catalogue, amount)
  const from = username === undefined || username === person ? person : `${person} (@${username})`
  return message(
    { subject: wording.subject({ name: shortenSubjectName(person), amount: sum }), preview: wording.preview },
    isGuest ? frame.for_request : people.for_choice,
    facts(
      [isGuest ? people.to : people.from, sanitizeText(from)],
      [frame.labels.amount, sum],
      [people.for, sanitizeText(description)],
      [people.pay_until, until === undefined ? '' : dayInWords(catalogue.language, until)],
    ),
    words(wording.text),
    button(wording.button, link),
    note(wording.note),
  )
}

export const peopleMessages = {
  money_received: (catalogue: Messages, data: MailData['money_received']) =>
    buildPersonMessage(catalogue, 'money_received', data),

  money_received_summary(catalogue: Messages, { count, amounts, link }: MailData['money_received_summary']) {
    const { frame, people } = catalogue.mails
    const wording = people.money_received_summary
    return message(
      { subject: wording.subject({ count }), preview: wording.preview },
      people.for_choice,
      words(wording.text),
      facts(...amounts.map((text) => [frame.labels.amount, shown(catalogue, text)] as const)),
      button(wording.button, link),
      note(wording.note),
    )
  },

  request_received: (catalogue: Messages, data: MailData['request_received']) =>
    buildPersonMessage(catalogue, 'request_received', data),

  request_paid: (catalogue: Messages, data: MailData['request_paid']) =>
    buildPersonMessage(catalogue, 'request_paid', data),
  guest_receipt: (catalogue: Messages, data: MailData['guest_receipt']) =>
    buildPersonMessage(catalogue, 'guest_receipt', data),
  guest_not_charged: (catalogue: Messages, data: MailData['guest_not_charged']) =>
    buildPersonMessage(catalogue, 'guest_not_charged', data),
}
