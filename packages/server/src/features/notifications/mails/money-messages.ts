// Mails about bank accounts, withdrawals, deposits, disputes, and sends that wait or were not made.

import { dayInWords } from '@tern/messages/formats'
import type { Messages } from '../../../platform/messages.ts'
import type { Message } from './mail-layout.ts'
import {
  accountRow,
  formatAmount as shown,
  button,
  momentText,
  facts,
  sanitizeText,
  message,
  note,
  words,
} from './message-parts.ts'
import type { MailData } from './templates.ts'

type MoneyTemplate =
  | 'bank_account_linked'
  | 'withdrawal_failed'
  | 'withdrawal_returned'
  | 'late_payment'
  | 'transfer_not_made'
  | 'deposit_repriced'
  | 'debit_failed'
  | 'payment_taken_back'
  | 'dispute_changed'
  | 'transfer_undeliverable'
  | 'payment_waits'

/** Builds the mail about a withdrawal whose money is back in the wallet. */
function buildReturnedMessage(
  messages: Messages,
  template: 'withdrawal_failed' | 'withdrawal_returned',
  { amount, reason, link, ...account }: MailData['withdrawal_failed'],
): Message {
  const { frame, money } = messages.mails
  const { amount: amountLabel, reason: reasonLabel } = frame.labels
  const { subject, text } = money.came_back[template]
  return message(
    { subject, preview: money.came_back.preview },
    frame.for_account,
    words(text),
    facts([amountLabel, shown(messages, amount)], accountRow(messages, account), [
      reasonLabel,
      messages.activity.payouts[reason],
    ]),
    words(money.came_back.next),
    button(money.button, link),
    note(money.not_ordered),
  )
}

export const moneyMessages: { readonly [T in MoneyTemplate]: (messages: Messages, data: MailData[T]) => Message } = {
  bank_account_linked(messages, { at, link, ...account }) {
    const { frame, money } = messages.mails
    const wording = money.bank_account_linked
    return message(
      wording,
      frame.for_alert,
      words(wording.allows),
      facts([frame.labels.when, momentText(messages, at)], accountRow(messages, account)),
      words(wording.what_to_do),
      button(wording.button, link),
      note(wording.note),
    )
  },

  withdrawal_failed: (messages, data) => buildReturnedMessage(messages, 'withdrawal_failed', data),
  withdrawal_returned: (messages, data) => buildReturnedMessage(messages, 'withdrawal_returned', data),

  late_payment(messages, { purpose, amount, link }) {
    const { frame, money } = messages.mails
    const { subjects, previews, texts } = money.late_payment
    return message(
      { subject: subjects[purpose], preview: previews[purpose] },
      frame.for_account,
      words(texts[purpose]),
      facts([frame.labels.amount, shown(messages, amount)]),
      button(money.button, link),
      note(money.not_paid),
    )
  },

  transfer_not_made(messages, { person, amount, promised, now, reason, link }) {
    const { frame, money } = messages.mails
    const wording = money.transfer_not_made
    return message(
      wording,
      frame.for_account,
      words(wording.texts[reason]),
      facts(
        [wording.to, sanitizeText(person)],
        [wording.in_wallet, shown(messages, amount)],
        [wording.promised[reason], shown(messages, promised)],
        [wording.now, shown(messages, now)],
      ),
      words(wording.next),
      button(wording.button, link),
      note(money.not_paid),
    )
  },

  deposit_repriced(messages, { amount, promised, link }) {
    const { frame, money } = messages.mails
    const wording = money.deposit_repriced
    return message(
      wording,
      frame.for_account,
      words(wording.text),
      facts([wording.got, shown(messages, amount)], [wording.promised, shown(messages, promised)]),
      button(money.button, link),
      note(money.not_paid),
    )
  },

  transfer_undeliverable(messages, { amount, link }) {
    const { frame, money } = messages.mails
    const wording = money.transfer_undeliverable
    return message(
      wording,
      frame.for_account,
      words(wording.text),
      facts([frame.labels.amount, shown(messages, amount)]),
      button(money.button, link),
      note(money.not_paid),
    )
  },

  payment_waits(messages, { amount, from, until, link, cancelLink }) {
    const { frame, money } = messages.mails
    const wording = money.payment_waits
    return message(
      wording,
      frame.for_alert,
      words(wording.text),
      facts(
        [frame.labels.amount, shown(messages, amount)],
        [wording.from, momentText(messages, new Date(from))],
        [wording.until, momentText(messages, new Date(until))],
      ),
      button(wording.cancel, cancelLink),
      words(wording.next),
      button(wording.button, link),
      note(wording.note),
    )
  },

  debit_failed(messages, { purpose, amount, link, ...account }) {
    const { frame, money } = messages.mails
    const { subject, text } = money.debit_failed[purpose]
    return message(
      { subject, preview: money.debit_failed.preview },
      frame.for_account,
      words(text),
      facts([frame.labels.amount, shown(messages, amount)], accountRow(messages, account)),
      words(money.debit_failed.next),
      button(money.button, link),
      note(money.not_ordered),
    )
  },

  dispute_changed(messages, { step, amount, date, creditDate, missing, link }) {
    const { frame, money } = messages.mails
    const {
      dispute_changed: wording,
      payment_taken_back: { missing: lack },
    } = money
    const { subject, text } = wording.steps[step]
    return message(
      { subject, preview: text },
      frame.for_account,
      words(text),
      ...(missing === undefined ? [] : [words(wording.missing)]),
      facts(
        [frame.labels.amount, shown(messages, amount)],
        ...(date === undefined ? [] : [[wording.by, dayInWords(messages.language, date)] as const]),
        ...(creditDate === undefined ? [] : [[wording.credit_by, dayInWords(messages.language, creditDate)] as const]),
        ...(missing === undefined ? [] : [[lack.label, shown(messages, missing)] as const]),
      ),
      button(missing === undefined ? wording.button : lack.button, link),
      note(wording.note),
    )
  },

  payment_taken_back(messages, { amount, reason, missing, link }) {
    const { frame, money } = messages.mails
    const wording = money.payment_taken_back
    const { subject, text } = wording[reason]
    const missingRows = missing === undefined ? [] : [[wording.missing.label, shown(messages, missing)] as const]
    return message(
      { subject, preview: missing === undefined ? wording.preview : wording.missing.preview },
      frame.for_account,
      words(text),
      ...(missing === undefined ? [] : [words(wording.missing.text)]),
      facts([frame.labels.amount, shown(messages, amount)], ...missingRows),
      button(missing === undefined ? money.button : wording.missing.button, link),
      note(wording.note),
    )
  },
}
