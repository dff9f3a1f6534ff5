// How the mails are put together. Subjects never hold anything from outside.

import type { Messages } from '../../../platform/messages.ts'
import { subjectInWords } from '../../../platform/subjects.ts'
import type { Message } from './mail-layout.ts'
import { button, dated, facts, fromOutside, lifetime, note, whereRows, words } from './message-parts.ts'
import { moneyMessages } from './money-messages.ts'
import type { MailData, MailTemplate, SecurityChange } from './templates.ts'

const added: ReadonlySet<SecurityChange> = new Set(['passkey_added', 'totp_added'])

/** The message of each kind of mail. */
export const messages: { readonly [T in MailTemplate]: (messages: Messages, data: MailData[T]) => Message } = {
  verify_email(catalogue, { link }) {
    const { frame, account } = catalogue.mails
    const said = account.verify_email
    return {
      subject: said.subject,
      preview: said.preview,
      heading: said.subject,
      parts: [
        words(said.opened),
        button(said.button, link),
        words(said.lasts(lifetime(catalogue, 'verify_email'))),
        note(said.note),
      ],
      reason: frame.for_request,
    }
  },

  email_already_verified({ mails: { frame, account } }, { link }) {
    const { subject, preview, heading, asked, button: label, note: remark } = account.email_already_verified
    return {
      subject,
      preview,
      heading,
      parts: [words(asked), button(label, link), note(remark)],
      reason: frame.for_account,
    }
  },

  change_email(catalogue, { link }) {
    const { frame, account } = catalogue.mails
    const { subject, preview, heading, moves, button: label, lasts, note: remark } = account.change_email
    return {
      subject,
      preview,
      heading,
      parts: [words(moves), button(label, link), words(lasts(lifetime(catalogue, 'change_email'))), note(remark)],
      reason: frame.for_request,
    }
  },

  log_in(catalogue, { link, ...from }) {
    const { frame, account } = catalogue.mails
    const { subject, preview, heading, same_browser: sameBrowser, button: label, lasts, note: remark } = account.log_in
    const good = lifetime(catalogue, 'log_in')
    return {
      subject,
      preview: preview(good),
      heading,
      parts: [
        words(sameBrowser),
        button(label, link),
        words(lasts(good)),
        facts(...whereRows(catalogue, from)),
        note(remark),
      ],
      reason: frame.for_account,
    }
  },

  no_account({ mails: { frame, account } }, { link }) {
    const { subject, preview, heading, asked, new_here: newHere, button: label, note: remark } = account.no_account
    return {
      subject,
      preview,
      heading,
      parts: [words(asked), words(newHere), button(label, link), note(remark)],
      reason: frame.for_request,
    }
  },

  reset_password(catalogue, { link }) {
    const { frame, account } = catalogue.mails
    const { subject, preview, asked, button: label, lasts, note: remark } = account.reset_password
    const good = lifetime(catalogue, 'reset_password')
    return {
      subject,
      preview: preview(good),
      heading: subject,
      parts: [words(asked), button(label, link), words(lasts(good)), note(remark)],
      reason: frame.for_account,
    }
  },

  new_sign_in(catalogue, { at, link, ...from }) {
    const { frame, security } = catalogue.mails
    const { subject, heading, opened } = security.new_sign_in
    return {
      subject,
      preview: security.if_you,
      heading,
      parts: [
        words(opened),
        facts([frame.labels.when, dated(catalogue, at)], ...whereRows(catalogue, from)),
        words(security.what_to_do),
        button(security.button, link),
      ],
      reason: frame.for_alert,
    }
  },

  security_change(catalogue, { change, at, link, ...from }) {
    const { frame, security } = catalogue.mails
    const { subject, text } = security.changes[change]
    return {
      subject,
      preview: security.if_you,
      heading: subject,
      parts: [
        words(text),
        facts([frame.labels.when, dated(catalogue, at)], ...whereRows(catalogue, from)),
        words(added.has(change) ? security.what_to_do_when_added : security.what_to_do),
        button(security.button, link),
      ],
      reason: frame.for_alert,
    }
  },

  step_up_code(catalogue, { code, action, subject: confirmed }) {
    const { acts, subjects } = catalogue.activity.confirmations
    const { frame, account } = catalogue.mails
    const { subject, preview, heading, exactly, label, lasts, note: remark } = account.step_up_code
    const rows = confirmed.map(
      ([name, text]) => [subjects[name], fromOutside(subjectInWords(catalogue, text))] as const,
    )
    return {
      subject,
      preview,
      heading,
      parts: [
        words(exactly),
        facts(['', acts[action]], ...rows),
        { kind: 'code', code, label },
        words(lasts(lifetime(catalogue, 'step_up_code'))),
        note(remark),
      ],
      reason: frame.for_account,
    }
  },

  ...moneyMessages,
}
