interface Lasting {
  lifetime: string
}

const lasts = ({ lifetime }: Lasting) => `Valid once, for ${lifetime}.`
const ignore = "If this wasn't you, you can ignore this email."

/** Mails that give access to an account, or state that there is none. */
export const accountMails = {
  verify_email: {
    subject: 'Confirm your email address',
    preview: 'Once confirmed, people can find you by this address.',
    opened: 'Welcome to Tern. Please confirm this is your email.',
    button: 'Confirm address',
    lasts,
    note: ignore,
  },
  email_already_verified: {
    subject: 'Your email address is already confirmed',
    preview: "You're all set.",
    heading: 'Already confirmed',
    asked: "You asked for a link to confirm this address. It's already confirmed, so you're all set.",
    button: 'Go to Tern',
    note: `${ignore} Nothing has changed.`,
  },
  change_email: {
    subject: 'Confirm your new email address',
    preview: 'Your Tern account moves here once you confirm.',
    heading: 'Confirm your new address',
    moves: "Confirm this address to move your Tern account to it. You'll log in with it from then on.",
    button: 'Move my account here',
    lasts: ({ lifetime }: Lasting) => `Valid once, for ${lifetime}. Until you confirm, your old address stays.`,
    note: `${ignore} Nothing will change.`,
  },
  log_in: {
    subject: 'Your login link',
    preview: lasts,
    heading: 'Log in to Tern',
    same_browser: 'Open this in the same browser where you requested it.',
    button: 'Log in',
    lasts: ({ lifetime }: Lasting) => `Valid once, for ${lifetime}. Requested from:`,
    note: `Never share it. ${ignore}`,
  },
  no_account: {
    subject: 'There is no Tern account with this address',
    preview: 'You asked for a link with this address.',
    heading: 'No account with this address',
    asked:
      'We were asked to email a link to this address, but no Tern account uses it. Did you sign up with a different address?',
    new_here: 'If you are new to Tern, you can open an account with this address.',
    button: 'Create an account',
    note: ignore,
  },
  deletion_begun: {
    subject: ({ due }: { due: string }) => `Your Tern account will be deleted on ${due}`,
    preview: 'Log in before then, and it stays.',
    closed: ({ due }: { due: string }) =>
      `Someone who was logged in to your Tern account asked to delete it. It will be deleted on ${due}. Until then it is closed: every device is logged out, and no one can find you, pay you or ask you for money.`,
    undo: ({ due }: { due: string }) =>
      `Changed your mind? Log in before ${due}, and your account stays exactly as it was.`,
    button: 'Log in and keep my account',
    not_you:
      "If this wasn't you, someone may be in your account. Tell us: we'll stop the deletion, log out every device and help you set a new password.",
  },
  deletion_stopped: {
    subject: 'Your Tern account was not deleted',
    preview: 'Something in it is still open.',
    stands:
      "Your Tern account was due to be deleted today. We couldn't delete it, because something has come up since you asked:",
    obstacles: {
      balance: 'There is money in your wallet.',
      on_hold: 'Some of your money is on hold.',
      transfer_open: 'A transfer is under way.',
      incoming_open: 'Money is on its way to you.',
      payment_open: 'A payment is open.',
      payout_open: 'A withdrawal is under way.',
      payout_recent: 'Your bank can still send back a recent withdrawal.',
      order_open: 'An exchange order is open.',
      schedule_open: 'A scheduled send is active.',
      request_open: 'A request is open.',
      case_open: 'We are still clearing up one of your payments.',
      check_open: 'A check is open.',
      dispute_open: 'A dispute is open.',
      verification_running: 'Your identity is being checked.',
    },
    again: 'Your account is open again, as it was before. Once this is settled, you can delete it in Settings.',
    button: 'Go to my account',
    note: "If you didn't ask for the deletion, someone may be in your account: log in, freeze it, and choose a new password.",
  },
  account_deleted: {
    subject: 'Your Tern account is deleted',
    preview: 'This is our last email to you.',
    gone: 'Your login, your devices, your saved cards and bank accounts and your username are gone. No one can log in to this account anymore.',
    kept: ({ until }: { until: string }) =>
      `By law we must keep a record of who you were. It is sealed, used for nothing else, and deleted on ${until}.`,
    books: 'Past payments stay in the books, without your name.',
    note: "If this wasn't you, contact Tern right away.",
  },
  reset_password: {
    subject: 'Choose a new password',
    preview: lasts,
    asked: 'You asked to reset the password of your Tern account. Choose a new one here.',
    button: 'Choose a new password',
    lasts: ({ lifetime }: Lasting) => `Valid once, for ${lifetime}. Saving the new password logs out every device.`,
    note: `${ignore} Your password stays as it is.`,
  },
  step_up_code: {
    /** Subject and heading, by the action to confirm. */
    subjects: {
      send_money: ({ amount, to }: { amount: string; to: string }) => `Your code to send ${amount} to ${to}`,
      withdraw_money: ({ amount }: { amount: string }) => `Your code to withdraw ${amount}`,
      add_money: ({ amount }: { amount: string }) => `Your code to add ${amount}`,
      schedule_send: 'Your code to schedule a send',
      link_bank_account: 'Your code to link a bank account',
      change_email: 'Your code to change your email address',
      change_password: 'Your code to change your password',
      change_factors: 'Your code to change how you log in',
      weaken_street_mode: 'Your code to change street mode',
      confirm_held: 'Your code to send a payment on hold',
      raise_limit: 'Your code to increase one of your limits',
      other: 'Your confirmation code',
    },
    preview: 'Check the details before you enter it.',
    exactly: 'Check the details before you enter the code at Tern. It confirms nothing else.',
    label: 'Your code',
    lasts,
    note: "Don't share this code. No one at Tern will ask you for it. If you didn't ask for it, someone may have your password: use the button to log out every device and choose a new password.",
  },
} as const
