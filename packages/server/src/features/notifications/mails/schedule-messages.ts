// Mails about scheduled sends and monthly statements.

import { dayInWords, monthInWords } from '@tern/messages/formats'
import type { Messages } from '../../../platform/messages.ts'
import { scheduleReason } from '../../../platform/schedule-reasons.ts'
import type { Message } from './mail-layout.ts'
import { formatAmount as shown, button, facts, sanitizeText, message, note, words } from './message-parts.ts'
import type { MailData } from './templates.ts'

type ScheduleTemplate = 'schedule_not_sent' | 'schedule_balance_low' | 'statement_ready'

export const scheduleMessages: {
  readonly [T in ScheduleTemplate]: (messages: Messages, data: MailData[T]) => Message
} = {
  schedule_not_sent(messages, { amount, to, date, reason, link }) {
    const { frame, schedules } = messages.mails
    const wording = schedules.not_sent
    return message(
      wording,
      frame.for_account,
      words(wording.text),
      facts(
        [schedules.labels.to, sanitizeText(to)],
        [frame.labels.amount, shown(messages, amount)],
        [schedules.labels.date, dayInWords(messages.language, date)],
        [frame.labels.reason, scheduleReason(messages, reason)],
      ),
      words(wording.next),
      button(schedules.button, link),
      note(schedules.not_ordered),
    )
  },

  schedule_balance_low(messages, { amount, date, link }) {
    const { frame, schedules } = messages.mails
    const wording = schedules.balance_low
    return message(
      wording,
      frame.for_account,
      words(wording.text),
      facts(
        [schedules.labels.missing, shown(messages, amount)],
        [schedules.labels.date, dayInWords(messages.language, date)],
      ),
      words(wording.next),
      button(schedules.button, link),
      note(schedules.not_ordered),
    )
  },

  statement_ready(messages, { amount, opening, month: isoMonth, link }) {
    const { frame, statements } = messages.mails
    const month = monthInWords(messages.language, isoMonth)
    const wording = { subject: statements.subject({ month }), preview: statements.preview }
    return message(
      wording,
      frame.for_account,
      words(statements.text({ month })),
      facts(
        [statements.labels.opening, shown(messages, opening)],
        [statements.labels.closing, shown(messages, amount)],
      ),
      button(statements.button, link),
      note(statements.turn_off),
    )
  },
}
