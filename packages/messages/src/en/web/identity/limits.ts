import { plural } from '../../../plural.ts'

const payments = plural('en')

type Direction = 'out' | 'in'
type Period = 'payment' | 'day' | '30_days'

const inCountry = (country: string): string => `in ${country.startsWith('United') ? `the ${country}` : country}`

/** Limits for outgoing and incoming money in the settings, and what to do when one is reached. */
export const limits = {
  titles: { out: 'What can leave your wallet', in: 'What you can add' } satisfies Record<Direction, string>,
  why: (country: string | null) =>
    `These are the limits for verified people${country === null ? '' : ` ${inCountry(country)}`}.`,
  leads: {
    out: 'You can set lower ones: they apply at once, and raising them takes a day, even for someone who has your password.',
    in: 'From your cards and bank accounts. You can set lower limits here too.',
  } satisfies Record<Direction, string>,
  about: (amount: string) => `about ${amount}`,
  kept: "Limits are kept in US dollars, so figures in your currency follow the day's rate.",
  days: (time: string) =>
    `Amounts in other currencies count at their value in US dollars. Days begin at ${time} your time, which is midnight UTC.`,
  loadFailed: "We couldn't load your limits.",
  unverified: {
    not_started: ['Nothing can move yet', 'Until your identity is verified, your limits are $0.00.'],
    pending: ['Nothing can move yet', 'Until your identity check is complete, your limits are $0.00.'],
    in_review: ['Nothing can move yet', 'Our team is checking your identity. Until then your limits are $0.00.'],
    needs_information: [
      'Nothing can move yet',
      'We need something from you to verify your identity. Until then your limits are $0.00.',
    ],
    rejected: ['Nothing can move', 'Your identity could not be verified, so your limits are $0.00.'],
  } as const,
  verify: 'Verify your identity',
  seeVerification: 'See your verification',

  periods: { payment: 'Per payment', day: 'Per day', '30_days': '30 days' } satisfies Record<Period, string>,
  leftOfYours: (max: string) => `left of your ${max}`,
  leftOfOurs: (max: string) => `left of ${max}`,
  ourLimit: "Tern's limit",
  noLimit: 'No limit',
  yours: (max: string) => `yours ${max}`,
  ours: (max: string) => `Tern's ${max}`,
  gauge: (used: string, ours: string | undefined, own: string | undefined, next: string | undefined) =>
    [
      `${used} used.`,
      own === undefined
        ? 'No limit of your own.'
        : `Your limit ${own}${next === undefined ? '' : `, rising to ${next}`}.`,
      ours === undefined ? '' : `Tern's limit ${ours}.`,
    ]
      .filter(Boolean)
      .join(' '),
  used: (used: string) => `${used} used.`,
  unused: { day: 'Nothing used today.', '30_days': 'Nothing used in 30 days.' },
  allBack: (when: string) => `It becomes available ${when}.`,
  partBack: (amount: string, when: string) => `${amount} becomes available ${when}.`,
  noneOwn: "You haven't set a lower limit.",
  notSettable: 'The same for everyone verified where you live.',
  rises: (max: string, when: string) => `Your limit rises to ${max} ${when}.`,
  ends: (when: string) => `Your own limit ends ${when}.`,
  cancelRise: 'Cancel the increase',
  keepLimit: 'Keep it',
  riseCanceled: (max: string) => `Canceled. Your limit stays ${max}.`,
  change: 'Change',
  set: 'Set',
  changeOf: {
    day: { out: 'Change your daily limit for money out', in: 'Change your daily limit for adding money' },
    '30_days': { out: 'Change your 30-day limit for money out', in: 'Change your 30-day limit for adding money' },
  },
  setOf: {
    day: { out: 'Set a daily limit for money out', in: 'Set a daily limit for adding money' },
    '30_days': { out: 'Set a 30-day limit for money out', in: 'Set a 30-day limit for adding money' },
  },
  today: (time: string) => `today at ${time}`,
  tomorrow: (time: string) => `tomorrow at ${time}`,
  onDay: (date: string, time: string) => `on ${date} at ${time}`,

  alsoTitle: 'Other limits',
  methods: {
    transfer: 'Sending to people',
    exchange: 'Exchanging into cryptocurrency',
    payout: 'Withdrawals to a bank',
    card: 'Adding by card',
    bank: 'Adding from a bank',
  },
  allMethods: { out: 'Everything that leaves', in: 'Everything you add' } satisfies Record<Direction, string>,
  ofPeriod: { payment: 'in one payment', day: 'a day', '30_days': 'in 30 days' } satisfies Record<Period, string>,
  atMost: (max: string, period: string, left: string) => `At most ${max} ${period}. ${left} is left.`,
  atMostOnce: (max: string) => `At most ${max} in one payment.`,
  countAtMost: (max: number, period: string, left: number) =>
    `At most ${payments(max, { one: `${max} payment`, other: `${max} payments` })} ${period}. ${left} left.`,

  dialogTitles: { day: 'Your daily limit', '30_days': 'Your 30-day limit' },
  fields: {
    out: {
      day: 'Send, exchange and withdraw per day',
      '30_days': 'Send, exchange and withdraw in 30 days',
    },
    in: { day: 'Add from cards and banks per day', '30_days': 'Add from cards and banks in 30 days' },
  },
  hint: (own: string | undefined, ours: string | undefined) =>
    [
      own === undefined ? 'You have no limit of your own.' : `Now ${own}.`,
      ours === undefined ? '' : `Tern's limit is ${ours}.`,
    ]
      .filter(Boolean)
      .join(' '),
  raising: (when: string, now: string) =>
    [
      `A higher limit takes effect `,
      when,
      `. Until then ${now} applies, and you can cancel the increase. We ask you to confirm that it's you.`,
    ] as const,
  lowering: (rest: string) => ['A lower limit takes effect ', 'at once', `. ${rest}`] as const,
  stillFree: (left: string) => `${left} would be left.`,
  nothingLeft: (used: string, when: string) => `You've used ${used}, so nothing more can go through until ${when}.`,
  dropsRise: (max: string) => `The increase to ${max} is canceled.`,
  raiseTo: (max: string) => `Raise to ${max}`,
  lowerTo: (max: string) => `Lower to ${max}`,
  setTo: (max: string) => `Set to ${max}`,
  save: 'Save',
  remove: 'Remove my limit',
  cancel: 'Cancel',
  enterAmount: 'Please enter an amount',
  aboveOurs: (max: string) => `Tern's limit for you is ${max}`,
  same: (max: string) => `Your limit is already ${max}`,
  lowered: (max: string) => `Your limit is now ${max}.`,
  raised: (max: string, when: string) => `Your limit rises to ${max} ${when}.`,
  removed: (when: string) => `Your limit ends ${when}.`,
  failed: "We couldn't change your limit. Please try again.",
  notConfirmed: 'Not confirmed. Your limit is unchanged.',

  ways: {
    title: 'What you can do',
    less: {
      send: (amount: string) => `Send ${amount} now`,
      withdraw: (amount: string) => `Withdraw ${amount} now`,
      add: (amount: string) => `Add ${amount} now`,
      exchange: (amount: string) => `Exchange ${amount} now`,
    },
    lessText: (left: string) => `${left} is left of this limit.`,
    parts: 'The rest can follow in another payment.',
    later: {
      send: (amount: string, when: string) => `Send ${amount} ${when}`,
      withdraw: (amount: string, when: string) => `Withdraw ${amount} ${when}`,
      add: (amount: string, when: string) => `Add ${amount} ${when}`,
      exchange: (amount: string, when: string) => `Exchange ${amount} ${when}`,
    },
    laterText: 'By then enough of this limit is available again.',
    scheduleText: 'Schedule it. You can cancel any time before.',
    raise: 'Raise your limit',
    raiseText: 'Takes effect after 24 hours.',
    rising: (max: string | undefined, when: string) =>
      max === undefined ? `Yours ends ${when}.` : `Yours rises to ${max} ${when}.`,
    see: 'See your limits',
    seeText: "This limit is Tern's and can't be raised.",
    verify: 'Verify your identity',
    verifyText: 'Then you have limits to use.',
  },
}
