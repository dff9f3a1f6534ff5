export const terms = {
  description: 'The rules between you and whoever runs this Tern: account, prices, transfers, withdrawals, disputes.',
  lead: 'The clauses are what binds. The notes marked “In short” say the same in plain words and are there to help you read.',
  clauses: [
    {
      title: 'Who we are',
      text: [
        'Tern lets you hold money, send it to other registered users, exchange it and withdraw it to your bank. In these terms we means whoever runs this installation, and you means the person who opened the account.',
      ],
      short: 'These are the rules between you and whoever runs this Tern.',
    },
    {
      title: 'Opening an account',
      text: [
        'You must live in one of the ten countries we support, and the details you give must be your own and correct. We verify who you are before you can move money.',
        'You may log in by password, passkey, a link by email or an identity provider. Keep what you log in with to yourself, and tell us at once when somebody else has it: the email about a new device has a link for that.',
      ],
      short: 'In your real name, after an identity check.',
    },
    {
      title: 'Prices',
      text: [
        'A transfer within one currency costs 0.5% of the amount. A transfer into another currency costs 1% and goes through USDT. A conversion costs 1% where USDT is on one side or in the middle, and 2% where it is direct. The fee is added to the amount and shown before you confirm.',
        'A price is valid for five minutes. If you accept it in time, it is honored to the smallest unit of the currency.',
      ],
      short: '0.5%, 1% or 2%, always shown first. A price is a promise for five minutes.',
    },
    {
      title: 'Sending money',
      text: [
        'A transfer that has been delivered is final and cannot be reversed. We show you the name of the person before you confirm; make sure it is the right one.',
        'A transfer that waits for a card or bank payment is delivered once the money has come. If the payment fails, nothing is sent.',
      ],
      short: 'Delivered means final. Check the name first.',
    },
    {
      title: 'Withdrawals',
      text: [
        'A withdrawal leaves your balance at once and reaches your bank in 1–3 business days of your bank’s country. If the bank returns it, the full amount goes back to your wallet and we email you.',
      ],
      short: '1–3 business days. Returned money comes back to you in full.',
    },
    {
      title: 'Digital currencies',
      text: [
        'You may hold USDT, USDC, BTC and ETH. Their value can fall, and the value of BTC and ETH can fall sharply. A stablecoin is made to be worth one US dollar but may stray from it. They are balances in our books; you cannot move them to an outside address.',
      ],
      short: 'Prices of digital currencies can fall. Hold only what you can afford to lose.',
    },
    {
      title: 'Reversed payments',
      text: [
        'If a card payment or bank debit is taken back after it was credited, we take the amount back from your wallet, but never more than is in it. What is missing remains owed.',
      ],
      short: 'Money that your bank takes back leaves your wallet again.',
    },
    {
      title: 'Holds and checks',
      text: [
        'We may hold a transfer while it is checked. It then shows as pending. If it is not released, the money goes back to your wallet.',
      ],
      short: 'A held transfer shows as pending, and its money is never lost.',
    },
  ],
}
