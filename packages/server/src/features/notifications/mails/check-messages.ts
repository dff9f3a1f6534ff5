// Mails about payments under review, reviewers' questions, and decisions.

import type { Messages } from '../../../platform/messages.ts'
import type { Message } from './mail-layout.ts'
import { formatAmount as shown, button, momentText, facts, message, note, words } from './message-parts.ts'
import type { MailData } from './templates.ts'

type CheckTemplate = 'check_holds' | 'check_asks' | 'check_decided' | 'objection_decided'

/** Keys of the texts for a held payment: by cause of the review, then by kind of sender. */
const holdTexts = {
  people: { own: 'check_holds', guest: 'guest_check_holds' },
  lists: { own: 'list_holds', guest: 'guest_list_holds' },
} as const

export const checkMessages: { readonly [T in CheckTemplate]: (messages: Messages, data: MailData[T]) => Message } = {
  check_holds(messages, { amount, until, by_guest: byGuest, waits_for: waitsFor, link }) {
    const { frame, checks } = messages.mails
    const wording = checks[holdTexts[waitsFor ?? 'people'][byGuest ? 'guest' : 'own']]
    return message(
      wording,
      frame.for_account,
      words(wording.text),
      facts(
        [frame.labels.amount, shown(messages, amount)],
        [waitsFor ? checks.expected : checks.until, momentText(messages, new Date(until))],
      ),
      button(checks.button, link),
      note(checks.note),
    )
  },

  check_asks(messages, { need, until, link }) {
    const { frame, checks } = messages.mails
    const wording = checks.check_asks
    return message(
      wording,
      frame.for_account,
      words(wording[need]),
      facts([checks.answer_by, momentText(messages, new Date(until))]),
      button(checks.button, link),
      note(checks.note),
    )
  },

  check_decided(messages, { state, link }) {
    const { frame, checks } = messages.mails
    const wording = checks.check_decided
    return message(wording, frame.for_account, words(wording[state]), button(checks.button, link), note(checks.note))
  },

  objection_decided(messages, { state, link }) {
    const { frame, checks } = messages.mails
    const wording = checks.objection_decided
    return message(wording, frame.for_account, words(wording[state]), button(checks.button, link), note(checks.note))
  },
}
