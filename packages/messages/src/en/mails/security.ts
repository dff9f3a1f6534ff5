const ifYou = 'If it was you, there is nothing to do.'
const ifNotYou =
  'If it was not you, say so within 30 days: that signs out every device, blocks the password and lets you choose a new one.'

/** Mails about what happened to an account. */
export const securityMails = {
  if_you: ifYou,
  what_to_do: `${ifYou} ${ifNotYou}`,
  what_to_do_when_added: `${ifYou} ${ifNotYou} Said within three days, it also removes what was added.`,
  button: "This wasn't me",
  new_sign_in: {
    subject: 'A new sign-in to your account',
    heading: 'A new sign-in',
    opened: 'Your Tern account was opened from a device or place that it was not used from before.',
  },
  changes: {
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
    oldest_session_ended: {
      subject: 'A device was signed out of your Tern account',
      text: 'You were signed in on as many devices as an account can have, so the one you had not used for longest was signed out when another signed in.',
    },
    external_unlinked: {
      subject: 'A way to sign in was disconnected',
      text: 'An account at an identity provider, such as Google, no longer opens your Tern account.',
    },
  },
} as const
