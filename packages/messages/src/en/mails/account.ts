interface Lasting {
  lifetime: string
}

const lasts = ({ lifetime }: Lasting) => `The link works once, for ${lifetime}.`

/** Mails that let somebody into an account, or say that there is none. */
export const accountMails = {
  verify_email: {
    subject: 'Confirm your email address',
    preview: 'One step, and people can find you by this address.',
    opened: 'Somebody opened a Tern account with this address. If that was you, confirm that the address is yours.',
    button: 'Confirm address',
    lasts,
    note: 'If it was not you, leave the link alone: without it nobody can say that this address is theirs.',
  },
  email_already_verified: {
    subject: 'Your email address is confirmed already',
    preview: 'There is nothing left to do.',
    heading: 'Already confirmed',
    asked: 'You asked for a link to confirm this address. It is confirmed already, so there is nothing left to do.',
    button: 'Go to Tern',
    note: 'If you did not ask, somebody typed your address by mistake. Nothing has changed.',
  },
  change_email: {
    subject: 'Confirm your new email address',
    preview: 'Your Tern account moves here once you confirm.',
    heading: 'Confirm your new address',
    moves: 'A Tern account is to move to this address. Confirm it, and from then on you sign in with it.',
    button: 'Move my account here',
    lasts: ({ lifetime }: Lasting) => `The link works once, for ${lifetime}. Until then the old address stays.`,
    note: 'If you did not ask for this, leave the link alone: no account moves here without it.',
  },
  log_in: {
    subject: 'Your login link',
    preview: ({ lifetime }: Lasting) => `It works once, for ${lifetime}.`,
    heading: 'Log in to Tern',
    same_browser: 'Open this link in the browser in which you asked for it. It does not work in any other.',
    button: 'Log in',
    lasts: ({ lifetime }: Lasting) => `It works once, for ${lifetime}. It was asked for from:`,
    note: 'If you did not ask for it, leave the link alone and do not pass it on: nobody gets in without it.',
  },
  no_account: {
    subject: 'There is no Tern account with this address',
    preview: 'Somebody asked for a link with your address.',
    heading: 'No account with this address',
    asked: 'Somebody asked Tern to mail a link to this address, but no account has it. Perhaps yours has another one?',
    new_here: 'If you are new here, you can open an account with this address.',
    button: 'Create an account',
    note: 'If you did not ask, somebody typed your address by mistake. There is nothing to do.',
  },
  reset_password: {
    subject: 'Choose a new password',
    preview: lasts,
    asked: 'Somebody asked to reset the password of your Tern account. If that was you, choose a new one here.',
    button: 'Choose a new password',
    lasts: ({ lifetime }: Lasting) => `The link works once, for ${lifetime}. Afterwards all devices are signed out.`,
    note: 'If you did not ask, leave the link alone: your password stays as it is.',
  },
  step_up_code: {
    subject: 'Your confirmation code',
    preview: 'Check what it confirms before you enter it.',
    heading: 'Confirm this',
    exactly: 'The code below confirms exactly this, and nothing else. Check it before you enter the code at Tern.',
    label: 'Your code',
    lasts: ({ lifetime }: Lasting) => `It works once, for ${lifetime}.`,
    note: 'If you are not doing this right now, tell nobody the code and change your password: somebody else is signed in to your account.',
  },
} as const
