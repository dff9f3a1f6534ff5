// How the mails are put together. Subjects never hold anything from outside.

import type { Messages } from '../../../platform/messages.ts'
import { subjectInWords } from '../../../platform/subjects.ts'
import type { Message } from './mail-layout.ts'
import { button, dated, facts, fromOutside, lifetime, message, note, whereRows, words } from './message-parts.ts'
import { moneyMessages } from './money-messages.ts'
import type { MailData, MailTemplate, SecurityChange } from './templates.ts'

const added: ReadonlySet<SecurityChange> = new Set(['passkey_added', 'totp_added'])

/** The message of each kind of mail. */
export const messages: { readonly [T in MailTemplate]: (messages: Messages, data: MailData[T]) => Message } = {
  verify_email(catalogue, { link }) {
    const { frame, account } = catalogue.mails
    const said = account.verify_email
    const lasts = said.lasts(lifetime(catalogue, 'verify_email'))
    return message(
      said,
      frame.for_request,
      words(said.opened),
      button(said.button, link),
      words(lasts),
      note(said.note),
    )
  },

  email_already_verified({ mails: { frame, account } }, { link }) {
    const said = account.email_already_verified
    return message(said, frame.for_account, words(said.asked), button(said.button, link), note(said.note))
  },

  change_email(catalogue, { link }) {
    const { frame, account } = catalogue.mails
    const said = account.change_email
    const lasts = said.lasts(lifetime(catalogue, 'change_email'))
    return message(said, frame.for_request, words(said.moves), button(said.button, link), words(lasts), note(said.note))
  },

  log_in(catalogue, { link, ...from }) {
    const { frame, account } = catalogue.mails
    const said = account.log_in
    const good = lifetime(catalogue, 'log_in')
    return message(
      { ...said, preview: said.preview(good) },
      frame.for_account,
      words(said.same_browser),
      button(said.button, link),
      words(said.lasts(good)),
      facts(...whereRows(catalogue, from)),
      note(said.note),
    )
  },

  no_account({ mails: { frame, account } }, { link }) {
    const said = account.no_account
    const [asked, newHere] = [words(said.asked), words(said.new_here)]
    return message(said, frame.for_request, asked, newHere, button(said.button, link), note(said.note))
  },

  reset_password(catalogue, { link }) {
    const { frame, account } = catalogue.mails
    const said = account.reset_password
    const good = lifetime(catalogue, 'reset_password')
    return message(
      { ...said, preview: said.preview(good) },
      frame.for_account,
      words(said.asked),
      button(said.button, link),
      words(said.lasts(good)),
      note(said.note),
    )
  },

  new_sign_in(catalogue, { at, link, ...from }) {
    const { frame, security } = catalogue.mails
    const said = security.new_sign_in
    return message(
      { ...said, preview: security.if_you },
      frame.for_alert,
      words(said.opened),
      facts([frame.labels.when, dated(catalogue, at)], ...whereRows(catalogue, from)),
      words(security.what_to_do),
      button(security.button, link),
    )
  },

  security_change(catalogue, { change, at, link, ...from }) {
    const { frame, security } = catalogue.mails
    const { subject, text } = security.changes[change]
    return message(
      { subject, preview: security.if_you },
      frame.for_alert,
      words(text),
      facts([frame.labels.when, dated(catalogue, at)], ...whereRows(catalogue, from)),
      words(added.has(change) ? security.what_to_do_when_added : security.what_to_do),
      button(security.button, link),
    )
  },

  step_up_code(catalogue, { code, action, subject: confirmed }) {
    const { acts, subjects } = catalogue.activity.confirmations
    const { frame, account } = catalogue.mails
    const said = account.step_up_code
    const rows = confirmed.map(
      ([name, text]) => [subjects[name], fromOutside(subjectInWords(catalogue, text))] as const,
    )
    return message(
      said,
      frame.for_account,
      words(said.exactly),
      facts(['', acts[action]], ...rows),
      { kind: 'code', code, label: said.label },
      words(said.lasts(lifetime(catalogue, 'step_up_code'))),
      note(said.note),
    )
  },

  ...moneyMessages,
}
