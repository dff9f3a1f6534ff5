// What the mails say, in English. Subjects never hold anything from outside.

import type { Message, Part } from './mail-layout.ts'
import { button, dated, fromOutside, note, ofAccount, ofAlert, ofRequest, words } from './message-parts.ts'
import { moneyMessages } from './money-messages.ts'
import { type MailData, type MailTemplate, type SecurityChange, usefulMinutes } from './templates.ts'

const minutesPerHour = 60

/** How long a link or code of this mail is good, in words. */
function lifetime(template: MailTemplate): string {
  const minutes = usefulMinutes[template]
  if (minutes < minutesPerHour) return `${minutes} minutes`
  if (minutes === minutesPerHour) return 'one hour'
  return `${minutes / minutesPerHour} hours`
}

function whereAndWhen({ device, place, at }: { device: string; place: string; at: Date }): Part {
  const rows = [
    ['When', dated(at)],
    ['Device', fromOutside(device)],
    ['Place', fromOutside(place)],
  ] as const
  return { kind: 'facts', rows: rows.filter(([, value]) => value !== '') }
}

/** A line such as 'Amount: 20.00 USD' as label and value; one without a label stays whole. */
function asRow(line: string): readonly [label: string, value: string] {
  const [, label = '', value = ''] = /^(\p{L}[\p{L} ]{0,30}): (.+)$/u.exec(fromOutside(line)) ?? []
  return value === '' ? ['', fromOutside(line)] : [label, value]
}

const notMe = "This wasn't me"
const notMeDoes =
  'If it was not you, say so within 30 days: that signs out every device, blocks the password and lets you choose a new one.'

const takenBack: ReadonlySet<SecurityChange> = new Set(['passkey_added', 'totp_added'])
const removesToo = (change: SecurityChange) =>
  takenBack.has(change) ? ' Said within three days, it also removes what was added.' : ''

interface Change {
  readonly subject: string
  readonly text: string
}

const changes: Readonly<Record<SecurityChange, Change>> = {
  password_changed: {
    subject: 'Your password was changed',
    text: 'The password of your Tern account was changed. All other devices were signed out.',
  },
  password_reset: {
    subject: 'Your password was reset',
    text: 'A new password was chosen through a link that was mailed to you. All devices were signed out.',
  },
  email_change_asked: {
    subject: 'Your email address is about to change',
    text: 'Somebody signed in to your Tern account asked to move it to another email address. It moves as soon as the link mailed to the new address is opened. Until then this address stays the one of your account.',
  },
  email_changed: {
    subject: 'Your email address was changed',
    text: 'Your Tern account has moved to another email address. From now on its mails go there; this is the last one here.',
  },
  totp_added: {
    subject: 'An authenticator app was added',
    text: 'Signing in to your Tern account now also asks for a code from an authenticator app.',
  },
  totp_removed: {
    subject: 'The authenticator app was removed',
    text: 'Signing in to your Tern account no longer asks for a code from an authenticator app.',
  },
  passkey_added: {
    subject: 'A passkey was added',
    text: 'A new passkey can now open your Tern account.',
  },
  passkey_removed: {
    subject: 'A passkey was removed',
    text: 'One of the passkeys of your Tern account no longer opens it.',
  },
  recovery_codes_renewed: {
    subject: 'New recovery codes were made',
    text: 'Your Tern account has ten new recovery codes. The old ones are void.',
  },
  recovery_code_used: {
    subject: 'A recovery code was used',
    text: 'Somebody has used a recovery code of your Tern account, in place of another factor. That code is used up.',
  },
  external_linked: {
    subject: 'Another way to sign in was connected',
    text: 'An account at an identity provider, such as Google, can now open your Tern account.',
  },
  external_unlinked: {
    subject: 'A way to sign in was disconnected',
    text: 'An account at an identity provider, such as Google, no longer opens your Tern account.',
  },
}

/** The message of each kind of mail. */
export const messages: { readonly [T in MailTemplate]: (data: MailData[T]) => Message } = {
  verify_email: ({ link }) => ({
    subject: 'Confirm your email address',
    preview: 'One step, and people can find you by this address.',
    heading: 'Confirm your email address',
    parts: [
      words('Somebody opened a Tern account with this address. If that was you, confirm that the address is yours.'),
      button('Confirm address', link),
      words(`The link works once, for ${lifetime('verify_email')}.`),
      note('If it was not you, leave the link alone: without it nobody can say that this address is theirs.'),
    ],
    reason: ofRequest,
  }),

  email_already_verified: ({ link }) => ({
    subject: 'Your email address is confirmed already',
    preview: 'There is nothing left to do.',
    heading: 'Already confirmed',
    parts: [
      words('You asked for a link to confirm this address. It is confirmed already, so there is nothing left to do.'),
      button('Go to Tern', link),
      note('If you did not ask, somebody typed your address by mistake. Nothing has changed.'),
    ],
    reason: ofAccount,
  }),

  change_email: ({ link }) => ({
    subject: 'Confirm your new email address',
    preview: 'Your Tern account moves here once you confirm.',
    heading: 'Confirm your new address',
    parts: [
      words('A Tern account is to move to this address. Confirm it, and from then on you sign in with it.'),
      button('Move my account here', link),
      words(`The link works once, for ${lifetime('change_email')}. Until then the old address stays.`),
      note('If you did not ask for this, leave the link alone: no account moves here without it.'),
    ],
    reason: ofRequest,
  }),

  log_in: ({ link, device, place }) => ({
    subject: 'Your login link',
    preview: `It works once, for ${lifetime('log_in')}.`,
    heading: 'Log in to Tern',
    parts: [
      words('Open this link in the browser in which you asked for it. It does not work in any other.'),
      button('Log in', link),
      words(`It works once, for ${lifetime('log_in')}. It was asked for from:`),
      {
        kind: 'facts',
        rows: [['Device', fromOutside(device)] as const, ['Place', fromOutside(place)] as const].filter(
          ([, value]) => value !== '',
        ),
      },
      note('If you did not ask for it, leave the link alone and do not pass it on: nobody gets in without it.'),
    ],
    reason: ofAccount,
  }),

  no_account: ({ link }) => ({
    subject: 'There is no Tern account with this address',
    preview: 'Somebody asked for a link with your address.',
    heading: 'No account with this address',
    parts: [
      words(
        'Somebody asked Tern to mail a link to this address, but no account has it. Perhaps yours has another one?',
      ),
      words('If you are new here, you can open an account with this address.'),
      button('Create an account', link),
      note('If you did not ask, somebody typed your address by mistake. There is nothing to do.'),
    ],
    reason: ofRequest,
  }),

  reset_password: ({ link }) => ({
    subject: 'Choose a new password',
    preview: `The link works once, for ${lifetime('reset_password')}.`,
    heading: 'Choose a new password',
    parts: [
      words('Somebody asked to reset the password of your Tern account. If that was you, choose a new one here.'),
      button('Choose a new password', link),
      words(`The link works once, for ${lifetime('reset_password')}. Afterwards all devices are signed out.`),
      note('If you did not ask, leave the link alone: your password stays as it is.'),
    ],
    reason: ofAccount,
  }),

  new_sign_in: (data) => ({
    subject: 'A new sign-in to your account',
    preview: 'If it was you, there is nothing to do.',
    heading: 'A new sign-in',
    parts: [
      words('Your Tern account was opened from a device or place that it was not used from before.'),
      whereAndWhen(data),
      words(`If it was you, there is nothing to do. ${notMeDoes}`),
      button(notMe, data.link),
    ],
    reason: ofAlert,
  }),

  security_change: (data) => {
    const { subject, text } = changes[data.change]
    return {
      subject,
      preview: 'If it was you, there is nothing to do.',
      heading: subject,
      parts: [
        words(text),
        whereAndWhen(data),
        words(`If it was you, there is nothing to do. ${notMeDoes}${removesToo(data.change)}`),
        button(notMe, data.link),
      ],
      reason: ofAlert,
    }
  },

  step_up_code: ({ code, lines }) => ({
    subject: 'Your confirmation code',
    preview: 'Check what it confirms before you enter it.',
    heading: 'Confirm this',
    parts: [
      words('The code below confirms exactly this, and nothing else. Check it before you enter the code at Tern.'),
      { kind: 'facts', rows: lines.map(asRow) },
      { kind: 'code', code, label: 'Your code' },
      words(`It works once, for ${lifetime('step_up_code')}.`),
      note(
        'If you are not doing this right now, tell nobody the code and change your password: somebody else is signed in to your account.',
      ),
    ],
    reason: ofAccount,
  }),

  ...moneyMessages,
}
