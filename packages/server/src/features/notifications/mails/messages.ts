// Message builders by kind of mail. The only untrusted text in a subject is a person's name, shortened to one line.

import { dayInWords, rateTextInWords } from '@tern/messages/formats'
import type { Messages } from '../../../platform/messages.ts'
import { subjectInWords, type SubjectName, type SubjectText } from '../../../platform/subjects.ts'
import type { Message } from './mail-layout.ts'
import {
  formatAmount,
  button,
  momentText,
  facts,
  sanitizeText,
  lifetimeParams,
  message,
  shortenSubjectName,
  note,
  originRows,
  words,
} from './message-parts.ts'
import { checkMessages } from './check-messages.ts'
import { moneyMessages } from './money-messages.ts'
import { peopleMessages } from './people-messages.ts'
import { orderMessages } from './order-messages.ts'
import { scheduleMessages } from './schedule-messages.ts'
import { factorChanges, type MailData, type MailTemplate, type SecurityChange } from './templates.ts'

const additions: ReadonlySet<SecurityChange> = new Set(['passkey_added', 'totp_added'])

/** Confirmed facts that are amounts. */
const amounts: ReadonlySet<string> = new Set<SubjectName>([
  'amount',
  'fee',
  'total',
  'receives',
  'receives_about',
  'receives_at_least',
])

const confirmedText = (catalogue: Messages, name: SubjectName, text: SubjectText): string => {
  const subjectText = subjectInWords(catalogue, text)
  if (name === 'rate') return rateTextInWords(catalogue.language, subjectText)
  return sanitizeText(amounts.has(name) ? formatAmount(catalogue, subjectText) : subjectText)
}

/** Builds the subject of a mailed code: what the code confirms, in one line. */
function codeSubject(catalogue: Messages, { action, subject }: MailData['step_up_code']): string {
  const { subjects } = catalogue.mails.account.step_up_code
  const texts = new Map(subject.map(([name, text]) => [name, confirmedText(catalogue, name, text)]))
  const [sum, to] = [texts.get('amount'), texts.get('to')]
  if (action === 'send_money') {
    return sum === undefined || to === undefined
      ? subjects.other
      : subjects.send_money({ amount: sum, to: shortenSubjectName(to) })
  }
  if (action === 'add_money') return sum === undefined ? subjects.other : subjects.add_money({ amount: sum })
  if (action === 'withdraw_money') return sum === undefined ? subjects.other : subjects.withdraw_money({ amount: sum })
  const subjectsByKind: Readonly<Record<string, unknown>> = subjects
  const subjectText = subjectsByKind[action]
  return typeof subjectText === 'string' ? subjectText : subjects.other
}

export const messages: { readonly [T in MailTemplate]: (messages: Messages, data: MailData[T]) => Message } = {
  verify_email(catalogue, { link }) {
    const { frame, account } = catalogue.mails
    const wording = account.verify_email
    const lifetimeText = wording.lasts(lifetimeParams(catalogue, 'verify_email'))
    return message(
      wording,
      frame.for_request,
      words(wording.opened),
      button(wording.button, link),
      words(lifetimeText),
      note(wording.note),
    )
  },

  email_already_verified({ mails: { frame, account } }, { link }) {
    const wording = account.email_already_verified
    return message(wording, frame.for_account, words(wording.asked), button(wording.button, link), note(wording.note))
  },

  change_email(catalogue, { link }) {
    const { frame, account } = catalogue.mails
    const wording = account.change_email
    const lifetimeText = wording.lasts(lifetimeParams(catalogue, 'change_email'))
    return message(
      wording,
      frame.for_request,
      words(wording.moves),
      button(wording.button, link),
      words(lifetimeText),
      note(wording.note),
    )
  },

  log_in(catalogue, { link, ...from }) {
    const { frame, account } = catalogue.mails
    const wording = account.log_in
    const linkLifetime = lifetimeParams(catalogue, 'log_in')
    return message(
      { ...wording, preview: wording.preview(linkLifetime) },
      frame.for_account,
      words(wording.same_browser),
      button(wording.button, link),
      words(wording.lasts(linkLifetime)),
      facts(...originRows(catalogue, from)),
      note(wording.note),
    )
  },

  no_account({ mails: { frame, account } }, { link }) {
    const wording = account.no_account
    const [requestPart, newUserPart] = [words(wording.asked), words(wording.new_here)]
    return message(
      wording,
      frame.for_request,
      requestPart,
      newUserPart,
      button(wording.button, link),
      note(wording.note),
    )
  },

  deletion_begun(catalogue, { at, dueAt, link, logInLink, ...from }) {
    const { frame, account, security } = catalogue.mails
    const wording = account.deletion_begun
    const dueParam = { due: momentText(catalogue, dueAt) }
    return message(
      { subject: wording.subject(dueParam), preview: wording.preview },
      frame.for_alert,
      words(wording.closed(dueParam)),
      words(wording.undo(dueParam)),
      button(wording.button, logInLink),
      facts([frame.labels.when, momentText(catalogue, at)], ...originRows(catalogue, from)),
      words(wording.not_you),
      button(security.button, link),
    )
  },

  deletion_stopped(catalogue, { obstacles, link }) {
    const { frame, account } = catalogue.mails
    const wording = account.deletion_stopped
    const reasons = obstacles.map((code) => note(wording.obstacles[code]))
    return message(
      wording,
      frame.for_account,
      words(wording.stands),
      ...reasons,
      words(wording.again),
      button(wording.button, link),
      note(wording.note),
    )
  },

  account_deleted({ language, mails: { frame, account } }, { keptUntil }) {
    const wording = account.account_deleted
    const retentionParts =
      keptUntil === undefined ? [] : [words(wording.kept({ until: dayInWords(language, keptUntil) }))]
    return message(
      wording,
      frame.for_former_account,
      words(wording.gone),
      ...retentionParts,
      words(wording.books),
      note(wording.note),
    )
  },

  reset_password(catalogue, { link }) {
    const { frame, account } = catalogue.mails
    const wording = account.reset_password
    const linkLifetime = lifetimeParams(catalogue, 'reset_password')
    return message(
      { ...wording, preview: wording.preview(linkLifetime) },
      frame.for_account,
      words(wording.asked),
      button(wording.button, link),
      words(wording.lasts(linkLifetime)),
      note(wording.note),
    )
  },

  new_sign_in(catalogue, { at, link, ...from }) {
    const { frame, security } = catalogue.mails
    const wording = security.new_sign_in
    return message(
      { ...wording, preview: security.if_you },
      frame.for_alert,
      words(wording.opened),
      facts([frame.labels.when, momentText(catalogue, at)], ...originRows(catalogue, from)),
      words(security.what_to_do),
      button(security.button, link),
    )
  },

  new_payee_paid(catalogue, { person, username, amount: sum, description, freezeLink, link }) {
    const { frame, security } = catalogue.mails
    const wording = security.new_payee
    const paidText = formatAmount(catalogue, sum)
    const to = username === undefined || username === person ? person : `${person} (@${username})`
    return message(
      {
        subject: wording.subject({ amount: paidText, name: shortenSubjectName(person) }),
        heading: wording.heading,
        preview: wording.preview,
      },
      frame.for_alert,
      words(wording.text),
      facts([wording.to, sanitizeText(to)], [frame.labels.amount, paidText], [wording.for, sanitizeText(description)]),
      words(wording.freeze),
      button(wording.freeze_button, freezeLink),
      words(wording.not_me),
      button(security.button, link),
    )
  },

  security_change(catalogue, { change, at, link, ...from }) {
    const { frame, security } = catalogue.mails
    const { subject, text } = security.changes[change]
    const isOwnAnswer = change === 'step_up_unrecognized' || change === 'sign_in_unrecognized'
    return message(
      { subject, preview: isOwnAnswer ? security.reported : security.if_you },
      frame.for_alert,
      words(text),
      facts([frame.labels.when, momentText(catalogue, at)], ...originRows(catalogue, from)),
      ...(factorChanges.has(change) ? [words(security.cools_off)] : []),
      words(
        isOwnAnswer ? security.reported : additions.has(change) ? security.what_to_do_when_added : security.what_to_do,
      ),
      button(isOwnAnswer ? security.block_password : security.button, link),
    )
  },

  sessions_ended(catalogue, { link }) {
    const { frame, security } = catalogue.mails
    const { subject, preview, text, button: label } = security.sessions_ended
    return message({ subject, preview }, frame.for_alert, words(text), button(label, link))
  },

  operator_called(catalogue, { caller, about, startedAt, endedBy, link }) {
    const { frame, security } = catalogue.mails
    const wording = security.operator_called
    return message(
      { subject: wording.subject({ name: shortenSubjectName(caller) }), preview: wording.preview },
      frame.for_alert,
      words(endedBy === 'user' ? wording.refused : wording.text),
      facts(
        [wording.caller, sanitizeText(caller)],
        [frame.labels.when, momentText(catalogue, new Date(startedAt))],
        [wording.about, wording.reasons[about]],
      ),
      words(wording.never),
      button(wording.button, link),
    )
  },

  step_up_code(catalogue, data) {
    const { acts, subjects } = catalogue.activity.confirmations
    const { frame, account, security } = catalogue.mails
    const wording = account.step_up_code
    const rows = data.subject.map(([name, text]) => [subjects[name], confirmedText(catalogue, name, text)] as const)
    return message(
      { subject: codeSubject(catalogue, data), preview: wording.preview },
      frame.for_account,
      words(wording.exactly),
      facts(['', acts[data.action]], ...rows),
      { kind: 'code', code: data.code, label: wording.label },
      words(wording.lasts(lifetimeParams(catalogue, 'step_up_code'))),
      note(wording.note),
      ...(data.link === undefined ? [] : [button(security.button, data.link)]),
    )
  },

  ...moneyMessages,
  ...checkMessages,
  ...peopleMessages,
  ...scheduleMessages,
  ...orderMessages,
}
