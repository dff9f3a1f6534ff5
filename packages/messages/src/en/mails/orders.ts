/** Mails about exchange orders, rate alerts and protection rules. */
export const orderMails = {
  button: 'See your orders',
  rules_button: 'See your rules',
  alerts_button: 'See your alerts',
  exchange_button: 'Go to exchange',
  not_ordered: "If you didn't ask for this, change your password and log out all other devices in your settings.",
  labels: {
    exchanged: 'Exchanged',
    arrived: 'You got',
    to: 'To',
    rate: 'Rate',
    filled_at: 'Filled at',
    fee: 'Fee',
    on_hold: 'On hold',
    rate_now: 'Rate now',
  },
  /** Trigger rate of an order or alert; `rate` such as '1 USDT = 0.9550 EUR'. */
  at_least: ({ rate }: { rate: string }) => `${rate} or more`,
  at_most: ({ rate }: { rate: string }) => `${rate} or less`,
  filled: {
    subject: 'Your order was filled',
    preview: 'The money is in your wallet.',
    limit: 'Your limit order was filled at your rate or better.',
    stop: 'Your stop order was filled at the rate at that time.',
  },
  expired: {
    subject: 'Your order has expired',
    preview: 'The amount on hold is back in your wallet.',
    text: 'The rate was not reached in time. The amount on hold is back in your wallet.',
  },
  waits: {
    subject: "Your order couldn't be filled yet",
    preview: 'It stays open.',
    text: "The rate was reached, but the order couldn't be filled. It stays open, and its amount stays on hold.",
  },
  alert: {
    subject: 'Your rate alert',
    preview: 'The rate has reached the level you set.',
    text: 'The rate has reached the level you set. We only alert you once.',
  },
  returned: {
    subject: 'Rates are back',
    preview: 'You asked us to let you know.',
    text: 'There is a new rate, so you can exchange again.',
  },
  rule_acted: {
    subject: 'A protection rule exchanged money',
    preview: 'It worked as you set it up.',
    text: 'Your rule exchanged this at the normal price.',
  },
  rule_waits: {
    subject: "A protection rule couldn't exchange money",
    preview: 'Your balance is unchanged.',
    text: "Your rule was due to exchange money but couldn't. Your balance is unchanged.",
  },
} as const
