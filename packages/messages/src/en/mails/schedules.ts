export const scheduleMails = {
  button: 'See your scheduled sends',
  not_ordered:
    "If you didn't ask for scheduled sends, change your password and log out all other devices in your settings.",
  labels: { to: 'To', date: 'Date', missing: 'Missing' },
  not_sent: {
    subject: "A scheduled send didn't go out",
    preview: 'Nothing left your wallet for it.',
    text: 'We did not send this on its date. Nothing left your wallet for it.',
    next: 'You can send it yourself at any time. Later dates go ahead as planned.',
  },
  balance_low: {
    subject: 'Your balance is too low for a scheduled send',
    preview: 'Add money before it is due.',
    text: "Your wallet doesn't have enough for what's due on this date.",
    next: "Add money before 9 a.m. that day, in the time zone of the schedule. After that, we'll keep trying for three days.",
  },
} as const
