/** Amounts of the example transfer. */
interface StepAmounts {
  readonly total: string
  readonly bridge: string
  readonly received: string
}

/** Landing page. Every claim is true of the running product, or its source is shown. */
export const marketing = {
  description: 'Send money to ten countries at the mid-market rate, for one fee that is shown before you send.',
  headline: 'Money, as the\u00a0tern flies.',
  lead: 'Send straight across to ten countries at the mid-market rate. One fee, shown before you send, and up to 80% cheaper than a bank.',
  priceCheck: 'Price check',
  tern: 'Tern, 1%:',
  averageBank: 'Average bank, 11.48%:',
  source: (amount: string) =>
    `Drawn to scale, one division for each percent. Average of banks on ${amount}: World Bank, Remittance Prices Worldwide, issue 47, Q3 2023. Other amounts at the same percentage.`,
  sameCurrency: 'Both wallets hold the same currency, so nothing is converted and the fee is 0.5%.',
  howItWorks: 'How It Works',
  simplyPut: '(Simply Put)',
  follow: (amount: string) => `Follow ${amount} from your wallet to theirs.`,
  steps: [
    {
      title: 'Send Money',
      text: 'Choose a person and an amount. You see the rate and the fee before you press anything.',
    },
    {
      title: 'Conversion',
      text: 'On the way, your money becomes USDT, a digital dollar. You never have to touch it.',
    },
    { title: 'Send Globally', text: 'It arrives in seconds, even at night and on Sundays.' },
    { title: 'Receive Locally', text: 'They get their own currency, in their own wallet, ready to spend or withdraw.' },
  ],
  fullPrice: 'See the full price before you send',
  fullPriceText:
    'What they get, the rate, the fee and the total, all in one place. The price holds for five minutes, to the cent.',
  samplePerson: 'João Siqueira',
  sampleUsername: 'joao.siqueira · Brazil',
  sampleGets: 'João gets',
  sampleAmount: 'Amount',
  sampleArrives: 'Arrives in seconds. This price holds for 4:58.',
  sampleSend: 'Send Money',
  sampleSuccess: 'Transfer Successful!',
  sampleSuccessText: 'João has the money, 4 seconds after you confirmed.',
  samplePaid: 'You paid',
  sampleFee: 'Fee',
  sampleId: 'ID',
  sampleReference: 'TRN-8F41-20C7',
  sampleBack: 'Back to Dashboard',
  sampleNote: 'Sample people and amounts.',
  advantages: 'Advantages',
  speed: {
    name: 'Speed & Efficiency',
    claim: 'Seconds, not days',
    text: 'From wallet to wallet a transfer takes seconds, at any hour. Withdrawing to a bank takes 1–\u20603 business days, and we say so before you start.',
    example: 'An example transfer',
    steps: [
      { time: '9:15:02 AM', text: (amounts: StepAmounts) => `You confirm ${amounts.total}` },
      { time: '9:15:03 AM', text: (amounts: StepAmounts) => `${amounts.bridge} in transit` },
      { time: '9:15:06 AM', text: (amounts: StepAmounts) => `Lucas has ${amounts.received}` },
    ],
  },
  cost: {
    name: 'Cost Savings',
    claim: 'Up to 80% cheaper',
    text: '1% when the currency changes, 0.5% when it doesn’t. The rate is the mid-market rate, with nothing added to it.',
    tern: 'Tern',
    averageBank: 'Average bank',
    source: (amount: string) => `Sending ${amount}. World Bank, Q3 2023.`,
  },
  security: {
    name: 'Security & Compliance',
    claim: 'Every cent accounted\u00a0for',
    text: 'Every movement is recorded in a ledger no one can alter, and everyone who moves money is verified first.',
    wallet: 'From your wallet',
    conversion: 'To the conversion',
    fee: 'To the fee',
    sum: 'Sum, always',
  },
  ease: {
    name: 'Ease of Use',
    claim: 'A name is enough',
    text: 'Send to a username or an email. No account numbers, no codes, no branch address.',
    typed: 'luc',
    username: 'as.moreau',
    recipient: 'L. M. · gets EUR',
  },
  evidence: {
    title: 'Don’t take our word for it.',
    lead: 'Three things you can check yourself, today, without asking us.',
    price: {
      claim: 'Every price can be recomputed',
      amount: 'Amount',
      rate: (date: string) => `Reference rate of ${date}`,
      roundedDown: (received: string) => `Rounded down: ${received}`,
      match: 'Exact match',
      link: 'Recompute a receipt',
    },
    ledger: {
      claim: 'Every cent is accounted for',
      sender: 'From the sender',
      recipient: 'To the recipient',
      fee: 'To the fee',
      sum: 'Sum, always',
      link: 'How we test this',
    },
    access: {
      claim: 'You see who looked at your data',
      entries: [
        { what: 'Your passport photo was opened', who: 'Reviewer 7, for a name check', when: 'Nov 21' },
        { what: 'Your identity check was decided', who: 'Reviewer 2', when: 'Oct 3' },
      ],
      link: 'How your data is protected',
    },
    sample: 'Sample amounts and entries.',
    about: 'Who runs this service',
    operator: 'Operated by',
    license: 'License',
    help: 'Help',
    team: 'Our team comes from',
  },
}
