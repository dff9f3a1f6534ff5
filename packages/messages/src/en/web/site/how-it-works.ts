/** Explanation of a transfer; names and amounts are an example. */
export const howItWorks = {
  description: 'Load your wallet, choose a recipient, confirm the full price, and the money is there.',
  headline: 'Four steps. Three are yours.',
  lead: (amount: string) =>
    `You choose, you check, you confirm; we do the rest. Follow ${amount} from the United States to Lucas in France.`,
  from: 'United States',
  to: 'France',
  step: (number: number) => `Step ${number} of 4`,
  steps: {
    load: {
      title: 'Load Your Wallet',
      text: 'Add money by card or from your bank. A card payment arrives as soon as it is confirmed; a bank transfer takes a few business days. You can send it to people at once. Before you pay, you see when it can go to a bank, and any cost.',
    },
    select: {
      title: 'Select Recipient',
      text: 'Type a username or an email. You see a name and the currency they receive, so you know it is the right person.',
    },
    confirm: {
      title: 'Confirm Transfer',
      text: 'You see the full price before you send, and it holds for five minutes. What you confirm is exactly what is sent.',
    },
    arrive: {
      title: 'Money Arrives',
      text: 'Lucas has euros in his own wallet seconds later, ready to send on or to withdraw to his bank.',
    },
  },
  amount: 'Amount',
  card: 'Card',
  cardHint: 'Arrives at once',
  bank: 'Bank',
  bankHint: 'A few business days',
  recipient: 'Recipient',
  typed: 'luc',
  people: [
    { name: 'Lucas Moreau', username: 'lucas.moreau', gets: 'gets EUR' },
    { name: 'Lucia Brandt', username: 'lucia.brandt', gets: 'gets EUR' },
  ],
  lucasGets: 'Lucas gets',
  rate: 'Mid-market rate',
  fee: (percent: string) => `Fee, ${percent}%`,
  total: 'Total to pay',
  holds: 'This price holds for 4:58.',
  arrived: (amount: string) => `${amount} for Lucas`,
  arrivedIn: 'In seconds',
  completed: 'Completed',
  example: 'Sample people; price and rate are an example at our own prices.',
  cardMoney: 'Money you added by card',
  technology: 'The dollar that travels',
  technologyLead:
    'Between two currencies, Tern uses a stablecoin. You don’t need to know this to send money, but you can.',
  stages: [
    'You start with your own currency.',
    'On the way it is USDT, worth one dollar each.',
    'They end with theirs.',
  ],
  questions: [
    {
      title: 'What is a stablecoin?',
      text: 'A digital token made to be worth exactly one US dollar. Tern converts through USDT. Unlike a bank wire, it doesn’t wait for opening hours. You can also hold USDT and USDC yourself.',
    },
    {
      title: 'Why use one?',
      text: 'A wire passes from bank to bank, and each may take a fee and a day. With one currency in the middle, both conversions are a single step in our books, and nothing waits in between.',
    },
    {
      title: 'What if its price moves?',
      text: 'A stablecoin can stray from a dollar. Your price is fixed for five minutes, so if it moves while you confirm, the loss is ours, not yours.',
    },
  ],
  benefits: 'Why people use Tern',
  benefitList: [
    {
      title: 'Instant transfers',
      text: 'From wallet to wallet in seconds. Withdrawals to a bank take 1–3 business days. Money you just added by card or from a bank waits first.',
    },
    { title: 'Lower fees', text: '1% when the currency changes, 0.5% when it stays the same.' },
    { title: 'Available 24/7', text: 'Nights, Sundays and holidays. Only banks keep opening hours.' },
    {
      title: 'Better rates',
      text: 'The mid-market rate, halfway between the buying and the selling price, with no markup.',
    },
    {
      title: 'Full transparency',
      text: 'Amount, rate, fee and total before you confirm, and the same four in your transactions.',
    },
    {
      title: 'No hidden charges',
      text: 'Nothing is taken on the way. The amount you saw is the amount that arrives.',
    },
  ],
  individuals: {
    title: 'For individuals',
    text: 'For the people and places your life is spread across.',
    list: [
      { title: 'Family abroad', text: 'Send to a username or an email. They get their own currency.' },
      { title: 'Services', text: 'Pay a tutor, a landlord or a doctor in their currency.' },
      { title: 'Travel', text: 'Keep one wallet, with stablecoins beside your own currency.' },
    ],
  },
  businesses: {
    title: 'For small businesses',
    text: 'For a supplier in Osaka and a client in Leeds.',
    list: [
      { title: 'Pay suppliers', text: 'They get the amount you agreed on, to the cent.' },
      {
        title: 'Receive payments',
        text: 'Send a payment link or show a QR code. Clients pay from their wallet or by card, and you see it arrive.',
      },
      { title: 'Keep the books straight', text: 'Every transfer keeps its rate, its fee and its reference.' },
    ],
  },
}
