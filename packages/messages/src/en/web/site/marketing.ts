/** The first page. Every claim is true of the product as it runs, or stands beside its source. */
export const marketing = {
  description: 'Send money to ten countries at the mid-market rate, for one fee that is shown before you send.',
  headline: 'Money, as the tern flies.',
  lead: 'Send to ten countries straight across, at the mid-market rate. One fee, shown before you send, and up to 80% cheaper than a bank.',
  openWallet: 'Open your wallet',
  openWalletHint: 'An email, a password and an identity check. No card is needed to start.',
  priceCheck: 'Price check',
  example: (date: string) => `Example at Tern’s reference rate of ${date}.`,
  average: 'Average bank',
  averageSource:
    'Average of banks, 11.48% on 200 USD: World Bank, Remittance Prices Worldwide, issue 47, Q3 2023. Other amounts at the same percentage.',
  newYork: 'New York',
  toronto: 'Toronto',
  london: 'London',
  saoPaulo: 'São Paulo',
  mumbai: 'Mumbai',
  howItWorks: 'How It Works',
  simplyPut: '(Simply Put)',
  steps: [
    {
      title: 'Send Money',
      text: 'Choose a person and an amount. The fee and the rate are on the screen before you press anything.',
    },
    {
      title: 'Conversion',
      text: 'Your currency becomes USDT, a stablecoin worth one dollar, for the crossing.',
    },
    { title: 'Send Globally', text: 'It crosses in seconds, at night and on Sundays too.' },
    { title: 'Receive Locally', text: 'They get their own currency in their own wallet.' },
  ],
  advantages: [
    {
      name: 'Speed & Efficiency',
      claim: 'Minutes, not days',
      text: 'A transfer lands while you are still on the phone with the person who gets it.',
    },
    {
      name: 'Cost Savings',
      claim: 'Up to 80% cheaper',
      text: 'One fee of 1%, shown first, where banks take 11.48% on average. The rate is the mid-market rate, with nothing folded into it.',
    },
    {
      name: 'Security & Compliance',
      claim: 'Every cent accounted for',
      text: 'Each movement is posted twice in a ledger that nobody can edit, and an identity check comes before the first transfer.',
    },
    {
      name: 'Ease of Use',
      claim: 'A name is enough',
      text: 'Send to a username or an email. No account numbers, no codes, no branch address.',
    },
  ],
}
