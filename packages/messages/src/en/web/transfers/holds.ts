import { plural } from '../../../plural.ts'

const counted = plural('en')

/** Checks by people, because of which money waits: in the details of a payment, after sending, on /checks, on the dashboard. */
export const holds = {
  title: 'Checks',
  lead: 'What people at Tern look at, because of which money of yours waits, and what became of it.',
  loadFailed: "We couldn't load your checks.",
  none: 'No checks',
  noneText: 'None of your money waits for a check.',
  goToTransactions: 'Go to transactions',
  all: 'All checks',
  gone: "We couldn't find this check",
  goneText: 'It may be about another account, or the link may have a typo.',
  open: (kind: string) => `Open: ${kind}`,

  kinds: {
    name: 'Name check',
    payment: 'Payment check',
    limited: 'A check required by law',
    review: 'Review',
  },
  onHold: {
    name: 'On hold: name check',
    payment: 'On hold: payment check',
    limited: 'On hold: a check required by law',
    review: 'On hold: review',
  },
  street: 'On hold: street mode',
  asks: 'On hold: we need something from you',
  ended: { cleared: 'Cleared', confirmed: 'Not cleared' },

  putOnHold: 'Put on hold',
  decidedBy: 'Decided by',
  answerBy: 'Please answer by',
  now: 'now',
  late: 'overdue',
  clock: ({ from, to, untilText }: { from: string; to: string; untilText: string }) =>
    `A ruler of time. Put on hold: ${from}. ${untilText}: ${to}.`,
  block: {
    minutes: (count: number) => `Each block is ${counted(count, { one: 'one minute', other: `${count} minutes` })}.`,
    hours: (count: number) => `Each block is ${counted(count, { one: 'one hour', other: `${count} hours` })}.`,
    days: (count: number) => `Each block is ${counted(count, { one: 'one day', other: `${count} days` })}.`,
  },
  overdue: "We're late. A senior colleague takes over, and the new date stands here as soon as there is one.",

  reasons: {
    name: 'A name in this payment is close to one on a public list of people under sanctions or in public office. That happens to many people who share a name with somebody. By law, people have to look before the money moves on.',
    payment:
      'This looks different from what usually happens in your account. By law, people have to look before the money moves on.',
    limited:
      'The law requires this check, and we can’t say more about it before it ends. Your money is safe, and no fee is charged meanwhile.',
    review: 'A rule of this installation has people look at this transfer before it goes.',
  },

  facts: {
    need: 'What we need from you',
    where: 'Where the money is',
    who: 'Who decides',
    otherwise: 'If it isn’t cleared',
  },
  needs: {
    nothing: 'Nothing right now.',
    explanation: 'A few words from you, below.',
    document: 'A document, and a few words about it, below.',
    answered: (at: string) => `Nothing more. We have your answer of ${at}.`,
  },
  where: {
    transfer: 'Set aside in your wallet. It hasn’t left Tern.',
    account: 'In your wallet, where you see it.',
  },
  who: {
    name: 'Two people at Tern.',
    payment: 'People at Tern.',
    review: 'Somebody at Tern, two people for a large amount.',
  },
  otherwise: {
    check: 'By law it stays set aside, or all of it comes back to your balance, fee included. We tell you which.',
    release: 'All of it comes back to your balance, fee included.',
    settle: 'It goes on its way when the time is over.',
  },

  endings: {
    cleared: 'Nothing was found. What waited for this check goes on its way.',
    confirmed:
      'By law this money can’t go on. What waited for this check stays set aside, or has come back to your balance.',
  },
  decidedAt: (at: string) => `Decided ${at}`,
  payments: (count: number) =>
    counted(count, { one: 'The payment that waits for it', other: `The ${count} payments that wait for it` }),
  seePayment: 'See the payment',
  seePaymentOf: (number: number) => `See payment ${number}`,

  answerTitle: 'Your answer',
  answerText: {
    explanation: 'Tell us who this payment is for, and what for. People read it, for this check only.',
    document: 'Upload the document that helps us tell you apart, such as a passport, and say what it shows.',
  },
  documentType: 'Document',
  chooseDocument: 'Choose a document',
  answerLabel: 'What we should know',
  sendAnswer: 'Send answer',
  answered: 'We have your answer. The clock is ours again.',
  answerFailed: 'We couldn’t send your answer. Please try again.',
  answerClock: (until: string) =>
    `Once you answer, our time to decide begins. Without an answer by ${until} people decide with what they have.`,

  object: 'I object',
  objectTitle: 'Object to the hold',
  objectText:
    'Somebody who has had nothing to do with this check decides about your objection, by a date that we tell you at once. Until then the check rests: we don’t decide about it.',
  objectLabel: 'Why is it wrong?',
  sendObjection: 'Send objection',
  back: 'Back',
  objectFailed: 'We couldn’t send your objection. Please try again.',
  objected: 'Objection received',
  empty: 'Write a few words',
  characters: (count: string, most: string) => `${count} of ${most} characters.`,

  objectionTitles: { open: 'Objection received', upheld: 'You were right to object', dismissed: 'Objection dismissed' },
  objectionTexts: {
    open: 'If we’re late, a senior colleague takes over.',
    upheld: 'Somebody else looked at it and agrees with you.',
    dismissed:
      'Somebody else looked at it and came to the same end. You can go to the ombudsman or a court at any time.',
  },
  steps: {
    hold: 'Put on hold',
    objected: 'You objected',
    decision: 'The check is decided',
    objection: 'Your objection is decided, by somebody else',
    by: (at: string) => `by ${at}`,
  },

  cancel: 'Cancel transfer',
  canceled: 'Canceled. Nothing was sent.',
  cancelFailed: 'We couldn’t cancel it. Please try again.',

  notice: {
    one: (kind: string) => `${kind}: money of yours waits`,
    several: (count: number) => `${count} checks: money of yours waits`,
    nothing: (until: string) => `Nothing is needed from you. Decided by ${until}.`,
    asks: (until: string) => `We need something from you, by ${until}.`,
    see: 'See details',
  },
  sentTitle: 'Transfer on hold',
  sent: 'Nothing has left your wallet yet.',
}
