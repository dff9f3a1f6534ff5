/** Page /exchange/protection: rules that exchange money automatically. */
export const protection = {
  title: 'Protection',
  lead: 'Rules that exchange for you, at the normal price.',
  newRule: 'New rule',
  newTitle: 'New rule',
  editTitle: 'Change rule',
  /** Sentence of a rule, in parts; its values are buttons between them. */
  keep: { before: 'Keep ', between: ' of my balance in ', after: '.' },
  convert: { before: 'Convert incoming money above ', between: ' to ', after: '.' },
  change: (value: string) => `${value}, change`,
  on: 'Rule on',
  kind: 'What it does',
  kinds: { keep_share: 'Keep a share', convert_incoming: 'Convert incoming money' },
  kindHints: {
    keep_share: (base: string) =>
      `When the share drifts by more than 2 percentage points, the rule exchanges between ${base} and this currency, at most once a day.`,
    convert_incoming: (base: string) => `When money comes in, everything above this amount in ${base} is exchanged.`,
  },
  share: 'Share of my balance',
  shareHint: 'A whole percentage from 1 to 99',
  enterShare: 'Enter a whole percentage from 1 to 99',
  threshold: 'Keep this much',
  enterThreshold: 'Please enter a valid amount',
  currency: 'Currency',
  create: 'Add rule',
  save: 'Save changes',
  cancel: 'Cancel',
  created: 'Rule added',
  saved: 'Changes saved',
  switchedOn: 'Rule is on',
  switchedOff: 'Rule is off',
  remove: 'Remove',
  removeNamed: (rule: string) => `Remove: ${rule}`,
  removeTitle: 'Remove this rule?',
  removeText: "Past exchanges aren't undone.",
  keepIt: 'Keep it',
  removed: 'Rule removed',
  failed: 'This didn’t work. Please try again.',
  most: (count: number) => `You have ${count} rules, which is the maximum. Remove one first.`,

  target: (percent: string, tolerance: number) => `${percent}, give or take ${tolerance}`,
  now: (percent: string) => `${percent} now`,
  stays: (amount: string) => `${amount} stays`,
  shareGauge: (now: string, currency: string, target: string, low: string, high: string) =>
    `${now} of your balance is ${currency}; the rule asks for ${target} and acts below ${low} or above ${high}`,
  thresholdGauge: (balance: string, threshold: string) => `You have ${balance}; ${threshold} stays`,
  shareUnknown: 'The share is not known right now, because a rate is too old. The rule waits.',
  off: 'Off. Nothing is exchanged until you switch it on.',
  nothingToDo: (low: string, high: string) =>
    `Nothing to do. It acts below ${low} or above ${high}, at the normal price, at most once a day.`,
  dueSoon: (low: string, high: string) =>
    `It acts below ${low} or above ${high}, at the normal price, at most once a day.`,
  actsFrom: (moment: string) => `It can act again from ${moment}.`,
  waitsForMoney: (currency: string) =>
    `It acts when money comes in and takes your ${currency} balance above this amount.`,
  lastUsed: (date: string, amount: string, target: string, fee: string) =>
    `Last used ${date}: ${amount} became ${target}, fee ${fee}.`,
  after: (amount: string, name: string) => `After ${amount} from ${name}.`,
  afterMoney: (amount: string) => `After ${amount} came in.`,
  undoing: "To undo it, exchange back at that day's rate.",
  seeExchange: 'See the exchange',
  waiting: (since: string) => `It couldn’t act on ${since}.`,

  emptyTitle: 'No rules yet',
  emptyText: 'Keep a share of your balance in digital dollars, or convert incoming money above an amount.',
  loadFailed: "We couldn't load your rules.",
} as const
