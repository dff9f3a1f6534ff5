import { plural } from '../../../plural.ts'

const counted = plural('en')

/** Manual checks that hold money, as shown in transaction details, after sending, on /checks and on the dashboard. */
export const holds = {
  title: 'Checks',
  lead: 'Payments that are waiting for a review, and how each check ended.',
  loadFailed: "We couldn't load your checks.",
  none: 'No checks',
  noneText: 'None of your payments are waiting for a check.',
  goToTransactions: 'Go to transactions',
  gone: "We couldn't find this check",
  goneText: 'It may belong to another account, or the link may have a typo.',
  all: 'All checks',
  open: (kind: string) => `Open: ${kind}`,

  kinds: {
    name: 'Name check',
    payment: 'Payment check',
    limited: 'A check required by law',
    review: 'Review',
    lists: 'Lists not up to date',
  },
  onHold: {
    name: 'On hold: name check',
    payment: 'On hold: payment check',
    limited: 'On hold: a check required by law',
    review: 'On hold: review',
    lists: 'On hold: lists are not up to date',
  },
  street: 'On hold: street mode',
  asks: 'On hold: we need something from you',
  ended: { cleared: 'Cleared', confirmed: 'Not cleared' },

  putOnHold: 'Put on hold',
  decidedBy: 'Decided by',
  answerBy: 'Please answer by',
  expectedBy: 'Expected by',
  now: 'now',
  late: 'overdue',
  clock: ({ from, to, untilText }: { from: string; to: string; untilText: string }) =>
    `A ruler of time. Put on hold: ${from}. ${untilText}: ${to}.`,
  block: {
    minutes: (count: number) => `Each block is ${counted(count, { one: 'one minute', other: `${count} minutes` })}.`,
    hours: (count: number) => `Each block is ${counted(count, { one: 'one hour', other: `${count} hours` })}.`,
    days: (count: number) => `Each block is ${counted(count, { one: 'one day', other: `${count} days` })}.`,
  },
  overdue: "We're late. A senior colleague is taking over, and the new date will appear here.",

  reasons: {
    name: 'A name in this payment is close to one on a public list of people under sanctions or in public office. That happens to many people who share a name with someone else. By law a person must review it before the money moves.',
    payment:
      'This looks different from what usually happens in your account. By law a person must review it before the money moves.',
    limited:
      'The law requires this check, and we can’t say more about it before it ends. Your money is safe, and no fee is charged meanwhile.',
    review: 'One of our rules requires a review before this transfer goes out.',
    lists:
      'By law we compare names with public lists before money moves, and our copy of those lists is out of date. Nothing is lost. The payment continues automatically once they are updated and the names are checked.',
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
    transfer: 'On hold in your wallet. It hasn’t left Tern.',
    account: 'In your wallet, as part of your balance.',
    guest: 'With the payer’s bank or card company. It isn’t in your wallet yet.',
  },
  who: {
    name: 'Two people at Tern.',
    payment: 'Our team at Tern.',
    review: 'A person at Tern, or two for a large amount.',
    lists: 'No one needs to. It continues automatically, unless a name is on a list: then our team reviews it.',
  },
  otherwise: {
    check:
      'By law it stays on hold, or all of it goes back to where it came from, including the fee. We’ll tell you which.',
    guest: 'It stays with the payer, or goes back to them. Your request can be paid again.',
    release: 'All of it comes back to your balance, including the fee.',
    settle: 'It’s sent when the time is up.',
    lists: 'It waits longer, and the new time will appear here.',
  },

  endings: {
    cleared: 'Nothing was found. Payments waiting only for this check are on their way.',
    confirmed: 'By law this money can’t be sent. It stays on hold, or goes back to where it came from.',
  },
  endingsOfGuest: {
    cleared: 'Nothing was found. The payment to you is on its way.',
    confirmed: 'By law we can’t accept this payment. The money stays with the payer, or goes back to them.',
  },
  decidedAt: (at: string) => `Decided ${at}.`,
  payments: (count: number) =>
    counted(count, { one: 'The payment waiting for it', other: `The ${count} payments waiting for it` }),
  seePayment: 'See the payment',
  seePaymentOf: (number: number) => `See payment ${number}`,

  answerTitle: 'Your answer',
  answerText: {
    explanation: 'Tell us who this payment is for, and what for. Only the people deciding this check read it.',
    document: 'Upload a document that helps us finish the check, such as a passport, and say what it shows.',
  },
  documentType: 'Document',
  chooseDocument: 'Choose a document',
  answerLabel: 'What we should know',
  sendAnswer: 'Send answer',
  answered: 'We have your answer. It’s our turn now.',
  answerFailed: 'We couldn’t send your answer. Please try again.',
  answerClock: (until: string) =>
    `Once you answer, our time to decide begins. Without an answer by ${until} we decide with what we have.`,

  object: 'I object',
  objectTitle: 'Object to the hold',
  objectText:
    'Someone who wasn’t involved in this check decides on your objection, by a date you see at once. Until then the check itself is not decided.',
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
    upheld: 'Someone else looked at it and agrees with you.',
    dismissed:
      'Someone else looked at it and reached the same conclusion. You can go to an ombudsman or a court at any time.',
  },
  steps: {
    hold: 'Put on hold',
    objected: 'You objected',
    decision: 'The check is decided',
    objection: 'Your objection is decided, by someone else',
    by: (at: string) => `by ${at}`,
  },

  cancel: 'Cancel transfer',
  canceled: 'Canceled. Nothing was sent.',
  cancelFailed: 'We couldn’t cancel it. Please try again.',

  notice: {
    one: (kind: string) => `${kind}: a payment of yours is on hold`,
    several: (count: number) => `${count} checks: payments of yours are on hold`,
    nothing: (until: string) => `Nothing is needed from you. Decided by ${until}.`,
    asks: (until: string) => `We need something from you, by ${until}.`,
    see: 'See details',
  },
  sentTitle: 'Transfer on hold',
  sent: 'Nothing has left your wallet yet.',
}
