// The mails about money from and to banks and cards.

import type { Messages } from '../../../platform/messages.ts'
import type { Message } from './mail-layout.ts'
import { accountRow, button, dated, facts, note, words } from './message-parts.ts'
import type { MailData } from './templates.ts'

type MoneyTemplate =
  | 'bank_account_linked'
  | 'withdrawal_failed'
  | 'withdrawal_returned'
  | 'late_payment'
  | 'debit_failed'
  | 'payment_taken_back'

/** A withdrawal that is in the wallet again. */
function cameBack(
  messages: Messages,
  template: 'withdrawal_failed' | 'withdrawal_returned',
  { amount, reason, link, ...account }: MailData['withdrawal_failed'],
): Message {
  const { frame, money } = messages.mails
  const { subject, text } = money.came_back[template]
  return {
    subject,
    preview: money.came_back.preview,
    heading: subject,
    parts: [
      words(text),
      facts([frame.labels.amount, amount], accountRow(messages, account), [
        frame.labels.reason,
        messages.activity.payouts[reason],
      ]),
      words(money.came_back.next),
      button(money.button, link),
      note(money.not_ordered),
    ],
    reason: frame.for_account,
  }
}

/** The message of each kind of mail about money. */
export const moneyMessages: { readonly [T in MoneyTemplate]: (messages: Messages, data: MailData[T]) => Message } = {
  bank_account_linked(messages, { at, link, ...account }) {
    const { frame, money } = messages.mails
    const { subject, preview, allows, what_to_do: whatToDo, button: label, note: remark } = money.bank_account_linked
    return {
      subject,
      preview,
      heading: subject,
      parts: [
        words(allows),
        facts([frame.labels.when, dated(messages, at)], accountRow(messages, account)),
        words(whatToDo),
        button(label, link),
        note(remark),
      ],
      reason: frame.for_alert,
    }
  },

  withdrawal_failed: (messages, data) => cameBack(messages, 'withdrawal_failed', data),
  withdrawal_returned: (messages, data) => cameBack(messages, 'withdrawal_returned', data),

  late_payment({ mails: { frame, money } }, { purpose, amount, link }) {
    const { subject, previews, texts } = money.late_payment
    return {
      subject,
      preview: previews[purpose],
      heading: subject,
      parts: [
        words(texts[purpose]),
        facts([frame.labels.amount, amount]),
        button(money.button, link),
        note(money.not_paid),
      ],
      reason: frame.for_account,
    }
  },

  debit_failed(messages, { purpose, amount, link, ...account }) {
    const { frame, money } = messages.mails
    const { subject, text } = money.debit_failed[purpose]
    return {
      subject,
      preview: money.debit_failed.preview,
      heading: subject,
      parts: [
        words(text),
        facts([frame.labels.amount, amount], accountRow(messages, account)),
        words(money.debit_failed.next),
        button(money.button, link),
        note(money.not_ordered),
      ],
      reason: frame.for_account,
    }
  },

  payment_taken_back({ mails: { frame, money } }, { amount, reason, link }) {
    const { subject, text } = money.payment_taken_back[reason]
    return {
      subject,
      preview: money.payment_taken_back.preview,
      heading: subject,
      parts: [
        words(text),
        facts([frame.labels.amount, amount]),
        button(money.button, link),
        note(money.payment_taken_back.note),
      ],
      reason: frame.for_account,
    }
  },
}
