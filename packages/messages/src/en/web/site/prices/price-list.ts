/** First part of /prices: price list and calculator. */
export const prices = {
  description:
    'What Tern costs: one fee, shown before you send, at the mid-market rate. Adding money and withdrawing are free.',
  headline: 'What Tern costs',
  lead: 'One fee, shown before you send. The rate is the mid-market rate, with nothing added to it.',
  list: 'Price list',
  free: 'Free',
  rows: {
    sameCurrency: { name: 'Send in the same currency', text: 'Dollars to dollars, euros to euros' },
    otherCurrency: {
      name: 'Send to another currency',
      text: 'At the mid-market rate. Exchanging in your own wallet costs the same.',
    },
    direct: {
      name: 'Send with direct conversion',
      text: 'One currency straight into the other, without the digital dollar (USDT) in between',
    },
    add: { name: 'Add money', text: 'By card or from your bank' },
    withdraw: { name: 'Withdraw to your bank', text: '1–3 business days' },
    cardMoney: 'Money you added by card',
  },
  cardMoney: {
    toPeople: 'You can send it to people at once.',
    toBank: 'You can withdraw it to a bank after',
    free: 'free of charge.',
    within: 'Within',
    costs: 'of adding it, moving it to a bank costs',
    unknown: 'Shown before you pay.',
  },
  more: 'No monthly fee. Receiving is free. A fee below one cent is waived for the first five payments of a day (UTC); after that it is one cent.',
  calculator: 'What would you pay?',
  comparison: 'Cost compared with an average bank',
  averageBank: 'Average bank, 11.48%',
  source:
    'Drawn to scale. Banks: World Bank, Remittance Prices Worldwide, issue 47, Q3 2023: average cost of sending 200 US dollars. Other amounts at the same percentage.',
  sameCurrency: 'Nothing is converted here, so there is no bank average to compare with.',
}
