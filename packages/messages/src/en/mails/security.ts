const ifYou = "If this was you, there's nothing to do."
const ifNotYou =
  "If this wasn't you, tell us within 30 days and we'll log out every device and help you set a new password."

/** Mails about security events of an account. */
export const securityMails = {
  if_you: ifYou,
  what_to_do: `${ifYou} ${ifNotYou}`,
  what_to_do_when_added: `${ifYou} ${ifNotYou} Tell us within three days, and we'll also remove what was added.`,
  /** Added after a change of login or confirmation methods. */
  cools_off:
    "For the next day we'll ask you to confirm more of your payments, including to people and bank accounts you've paid before.",
  /** Sent after a user reported activity as not theirs. */
  reported:
    "If this wasn't you, someone may know your password. Block it and choose a new one. The link works for 30 days.",
  block_password: 'Block my password',
  button: "This wasn't me",
  new_sign_in: {
    subject: 'New login from an unfamiliar device or place',
    heading: 'New login',
    opened: 'Someone logged in to your Tern account from an unfamiliar device or place.',
  },
  new_payee: {
    subject: ({ amount, name }: { amount: string; name: string }) => `You sent ${amount} to ${name} for the first time`,
    preview: ifYou,
    heading: 'First payment to someone new',
    text: `You sent money to someone you had never paid before. ${ifYou}`,
    to: 'To',
    for: 'For',
    freeze: "If this wasn't you, freeze your account: no more money can leave it. You don't have to log in to do that.",
    freeze_button: 'Freeze my account',
    not_me: 'Then log out every device and choose a new password.',
  },
  sessions_ended: {
    subject: 'We logged you out on every device',
    preview: 'Your money and settings are unchanged.',
    text: "To keep your account safe, we ended every login to it. Your money and settings are unchanged. Log in again when you next use Tern. If you don't know one of the logins under Devices there, report it.",
    button: 'Log in',
  },
  operator_called: {
    subject: ({ name }: { name: string }) => `${name} from Tern called you`,
    preview: 'The app shows every call from us, now and afterwards.',
    text: 'We called you. If you spoke to someone at that time and the app showed the call, it was us.',
    refused: 'You told us that this call was not right. We ended it and are looking into it.',
    caller: 'Caller',
    about: 'About',
    reasons: {
      payment: 'One of your payments',
      verification: 'Your identity verification',
      security: 'The security of your account',
      question: 'A question you asked us',
      account: 'Your account',
    },
    never:
      "On the phone we never ask you for a code or password, to move money, or to install anything. If someone did, or if you don't know about this call, report it in the app.",
    button: 'See all calls from us',
  },
  changes: {
    password_changed: {
      subject: 'Your password was changed',
      text: 'The password of your Tern account was changed. All other devices were logged out.',
    },
    password_reset: {
      subject: 'Your password was reset',
      text: 'A new password was chosen with a link we emailed you. All devices were logged out.',
    },
    email_change_asked: {
      subject: 'Your email address is about to change',
      text: 'Someone who was logged in to your Tern account asked to move it to another email address. It moves once the link we sent there is opened. Until then, this address stays.',
    },
    email_changed: {
      subject: 'Your email address was changed',
      text: 'Your Tern account moved to another email address. This is our last email to this one.',
    },
    totp_added: {
      subject: 'An authenticator app was added',
      text: 'Logging in to your Tern account now also takes a code from an authenticator app.',
    },
    totp_removed: {
      subject: 'The authenticator app was removed',
      text: 'Logging in to your Tern account no longer takes a code from an authenticator app.',
    },
    passkey_added: {
      subject: 'A passkey was added',
      text: 'You can now log in to your Tern account with a new passkey.',
    },
    passkey_removed: {
      subject: 'A passkey was removed',
      text: 'One of your passkeys can no longer be used to log in to your Tern account.',
    },
    passkey_copied: {
      subject: 'A passkey was refused: it may have been copied',
      text: 'Passkeys count their uses, and the count of one of yours went backwards, which can mean it was copied. We refused it. If it was you, log in another way, remove that passkey in Settings, and add a new one.',
    },
    recovery_codes_renewed: {
      subject: 'New recovery codes were created',
      text: 'Your Tern account has ten new recovery codes. The old ones no longer work.',
    },
    recovery_code_used: {
      subject: 'A recovery code was used',
      text: 'Someone used one of your recovery codes. That code no longer works.',
    },
    data_exported: {
      subject: 'Your data was downloaded',
      text: 'Everything we hold about you was downloaded from your Tern account, your ID numbers included.',
    },
    external_linked: {
      subject: 'Another way to log in was connected',
      text: 'You can now log in to your Tern account with another account, such as Google.',
    },
    oldest_session_ended: {
      subject: 'A device was logged out of your Tern account',
      text: "You reached the maximum number of devices. When you logged in on another one, we logged out the device you hadn't used for the longest time.",
    },
    step_up_unrecognized: {
      subject: 'All your devices were logged out',
      text: "We asked for a confirmation, and the answer was “This wasn't me.” So nothing was carried out, and every device was logged out.",
    },
    sign_in_unrecognized: {
      subject: 'All your devices were logged out',
      text: "You told us that a login wasn't you, so every device was logged out and your account was frozen: no money can leave it until you unfreeze it in Settings.",
    },
    account_frozen: {
      subject: 'Your account is frozen',
      text: 'Your Tern account was frozen. No money can leave it, and no saved card or bank account can be charged. Money from other people still arrives. You can unfreeze it in Settings.',
    },
    street_mode_weakened: {
      subject: 'Street mode changes tomorrow',
      text: 'Street mode is about to protect your Tern account less: it is being turned off, its limit is going up, its night hours are getting shorter, or a trusted place is being added. This takes effect in 24 hours. Until then you can cancel the change in Settings.',
    },
    account_unfrozen: {
      subject: 'Your account is no longer frozen',
      text: 'Your Tern account was unfrozen, so money can leave it again.',
    },
    deletion_undone: {
      subject: 'Your account stays',
      text: 'Your Tern account was about to be deleted. You logged in, so it stays, with everything in it.',
    },
    external_unlinked: {
      subject: 'A way to log in was disconnected',
      text: 'You can no longer log in to your Tern account with that other account, such as Google.',
    },
  },
} as const
