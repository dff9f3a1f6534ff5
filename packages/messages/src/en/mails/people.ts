import { plural } from '../../plural.ts'

const counted = plural('en')

const unknownSender =
  "If you don't know the sender, don't send the money back or pass it on. Being asked to is a common scam."

/** Mails about payments and requests between people; users can turn them off. */
export const peopleMails = {
  from: 'From',
  to: 'To',
  for: 'For',
  pay_until: 'Pay until',
  for_choice:
    "You're getting this email because this address belongs to a Tern account. You can choose which emails you get in your settings.",
  money_received: {
    subject: ({ name, amount }: { name: string; amount: string }) => `${name} sent you ${amount}`,
    preview: "It's in your wallet.",
    text: "The money is in your Tern wallet. There's nothing to do.",
    note: unknownSender,
    button: 'See the payment',
  },
  money_received_summary: {
    subject: ({ count }: { count: number }) =>
      counted(count, { one: 'You received one more payment', other: `You received ${count} more payments` }),
    preview: 'All of it is in your wallet.',
    text: "You've received many payments in the last hour, so here are the rest together.",
    note: unknownSender,
    button: 'See your transactions',
  },
  request_received: {
    subject: ({ name, amount }: { name: string; amount: string }) => `${name} requests ${amount}`,
    preview: 'Nothing is paid until you confirm it.',
    text: 'Only pay if you know this person and expected the request.',
    note: "If you don't know this person, decline the request. You owe nothing until you confirm it.",
    button: 'See the request',
  },
  request_paid: {
    subject: ({ name, amount }: { name: string; amount: string }) => `${name} paid your request: ${amount}`,
    preview: "It's in your wallet.",
    text: "The money is in your Tern wallet. There's nothing to do.",
    note: unknownSender,
    button: 'See the request',
  },
  guest_receipt: {
    subject: ({ name, amount }: { name: string; amount: string }) => `Your receipt: ${amount} to ${name}`,
    preview: 'Your card was charged once.',
    text: 'You paid this request by card, without an account. Keep the link below: it is your receipt.',
    note: "If this wasn't you, contact your card's bank.",
    button: 'See your receipt',
  },
  guest_not_charged: {
    subject: ({ name, amount }: { name: string; amount: string }) =>
      `You didn't pay ${name}: ${amount} was not charged`,
    preview: 'Your card was not charged.',
    text: 'Your card was not charged. Your bank may show the amount as reserved for a few days before it releases it.',
    note: "If this wasn't you, contact your card's bank.",
    button: 'See what happened',
  },
} as const
