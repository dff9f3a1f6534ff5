/** Pages that open from a link without an account. */
export const visitor = { openDashboard: 'Open dashboard' }

/** Page /track: status of one transfer, for anyone with its link. */
export const tracking = {
  states: {
    being_paid: 'Being paid',
    being_checked: 'Being checked',
    on_its_way: 'On its way',
    delivered: 'Delivered',
    returned: 'Not delivered',
  },
  between: (sender: string, recipient: string) => `${sender} to ${recipient}`,
  toBank: (sender: string) => `${sender} to a bank account`,
  fromTo: (from: string, to: string) => `${from} to ${to}`,
  steps: {
    ordered: 'Sent',
    paid: 'Paid',
    checked: 'Checked',
    delivered: 'Delivered',
    returned: 'Back with the sender',
    not_paid: 'Not paid',
  },
  notYet: 'Not yet',
  timeline: 'Steps',
  expected: (day: string) => `Expected at the bank on ${day}.`,
  sent: 'Sent',
  received: 'Received',
  toReceive: 'To receive',
  toReceiveAbout: 'To receive, about',
  hidden: (sender: string) => `${sender} doesn't show the amounts.`,
  checked: (time: string) => `As of ${time}. This page updates itself.`,
  final: (time: string) => `As of ${time}.`,
  never: 'This page never asks you to log in, pay or share a code.',
  howItWorks: 'How Tern works',
  unknownTitle: 'Nothing to track here',
  unknownText: "This link has expired or doesn't exist. Ask the sender for a new one.",
  loadFailed: "We couldn't load this transfer.",
}

/** Sharing the status of a transfer, in its details. */
export const shareTracking = {
  title: 'Tracking link',
  text: "Anyone with the link can see this transfer's status, with first names and countries only. They don't need an account.",
  showAmounts: 'Show the amounts',
  create: 'Create link',
  copy: 'Copy link',
  copied: 'Link copied',
  end: 'Stop sharing',
  ended: 'The link has ended',
  link: 'Link',
  failed: "That didn't work. Please try again.",
}
