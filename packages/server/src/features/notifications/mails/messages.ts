// Messages by kind of mail. Subjects contain only names of people from outside, on one line and short.

import { dayInWords, rateTextInWords } from '@tern/messages/formats'
import type { Messages } from '../../../platform/messages.ts'
import { subjectInWords, type SubjectName, type SubjectText } from '../../../platform/subjects.ts'
import type { Message } from './mail-layout.ts'
import {
  amount,
  button,
  dated,
  facts,
  fromOutside,
  lifetime,
  message,
  nameInSubject,
  note,
  whereRows,
  words,
} from './message-parts.ts'
import { checkMessages } from './check-messages.ts'
import { moneyMessages } from './money-messages.ts'
import { peopleMessages } from './people-messages.ts'
import { orderMessages } from './order-messages.ts'
import { scheduleMessages } from './schedule-messages.ts'
import { factorChanges, type MailData, type MailTemplate, type SecurityChange } from './templates.ts'

const added: ReadonlySet<SecurityChange> = new Set(['passkey_added', 'totp_added'])

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
  const inWords = subjectInWords(catalogue, text)
  if (name === 'rate') return rateTextInWords(catalogue.language, inWords)
  return fromOutside(amounts.has(name) ? amount(catalogue, inWords) : inWords)
}

/** Purpose of a code, in one line. */
function codeSubject(catalogue: Messages, { action, subject }: MailData['step_up_code']): string {
  const { subjects } = catalogue.mails.account.step_up_code
  const texts = new Map(subject.map(([name, text]) => [name, confirmedText(catalogue, name, text)]))
  const [sum, to] = [texts.get('amount'), texts.get('to')]
  if (action === 'send_money') {
    return sum === undefined || to === undefined
      ? subjects.other
      : subjects.send_money({ amount: sum, to: nameInSubject(to) })
  }
  if (action === 'add_money') return sum === undefined ? subjects.other : subjects.add_money({ amount: sum })
  if (action === 'withdraw_money') return sum === undefined ? subjects.other : subjects.withdraw_money({ amount: sum })
  const others: Readonly<Record<string, unknown>> = subjects
  const known = others[action]
  return typeof known === 'string' ? known : subjects.other
}

/** Messages by kind of mail. */
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

  deletion_begun(catalogue, { at, dueAt, link, logInLink, ...from }) {
    const { frame, account, security } = catalogue.mails
    const said = account.deletion_begun
    const due = { due: dated(catalogue, dueAt) }
    return message(
      { subject: said.subject(due), preview: said.preview },
      frame.for_alert,
      words(said.closed(due)),
      words(said.undo(due)),
      button(said.button, logInLink),
      facts([frame.labels.when, dated(catalogue, at)], ...whereRows(catalogue, from)),
      words(said.not_you),
      button(security.button, link),
    )
  },

  deletion_stopped(catalogue, { obstacles, link }) {
    const { frame, account } = catalogue.mails
    const said = account.deletion_stopped
    const reasons = obstacles.map((code) => note(said.obstacles[code]))
    return message(
      said,
      frame.for_account,
      words(said.stands),
      ...reasons,
      words(said.again),
      button(said.button, link),
      note(said.note),
    )
  },

  account_deleted({ language, mails: { frame, account } }, { keptUntil }) {
    const said = account.account_deleted
    const kept = keptUntil === undefined ? [] : [words(said.kept({ until: dayInWords(language, keptUntil) }))]
    return message(said, frame.for_former_account, words(said.gone), ...kept, words(said.books), note(said.note))
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

  new_payee_paid(catalogue, { person, username, amount: sum, description, freezeLink, link }) {
    const { frame, security } = catalogue.mails
    const said = security.new_payee
    const paid = amount(catalogue, sum)
    const to = username === undefined || username === person ? person : `${person} (@${username})`
    return message(
      {
        subject: said.subject({ amount: paid, name: nameInSubject(person) }),
        heading: said.heading,
        preview: said.preview,
      },
      frame.for_alert,
      words(said.text),
      facts([said.to, fromOutside(to)], [frame.labels.amount, paid], [said.for, fromOutside(description)]),
      words(said.freeze),
      button(said.freeze_button, freezeLink),
      words(said.not_me),
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
      facts([frame.labels.when, dated(catalogue, at)], ...whereRows(catalogue, from)),
      ...(factorChanges.has(change) ? [words(security.cools_off)] : []),
      words(isOwnAnswer ? security.reported : added.has(change) ? security.what_to_do_when_added : security.what_to_do),
      button(isOwnAnswer ? security.block_password : security.button, link),
    )
  },

  step_up_code(catalogue, data) {
    const { acts, subjects } = catalogue.activity.confirmations
    const { frame, account, security } = catalogue.mails
    const said = account.step_up_code
    const rows = data.subject.map(([name, text]) => [subjects[name], confirmedText(catalogue, name, text)] as const)
    return message(
      { subject: codeSubject(catalogue, data), preview: said.preview },
      frame.for_account,
      words(said.exactly),
      facts(['', acts[data.action]], ...rows),
      { kind: 'code', code: data.code, label: said.label },
      words(said.lasts(lifetime(catalogue, 'step_up_code'))),
      note(said.note),
      ...(data.link === undefined ? [] : [button(security.button, data.link)]),
    )
  },

  ...moneyMessages,
  ...checkMessages,
  ...peopleMessages,
  ...scheduleMessages,
  ...orderMessages,
}
