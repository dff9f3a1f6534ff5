export const terms = {
  description: 'The rules between you and the operator of Tern: account, prices, transfers, withdrawals, holds.',
  lead: 'The clauses are binding. The notes marked “In short” say the same in plain words to help you read.',
  clauses: {
    who: {
      title: 'Who we are',
      text: [
        'Tern lets you hold money, send it to other registered users, exchange it and withdraw it to your bank. In these terms, “we” means the operator of Tern, and “you” means the person who opened the account.',
      ],
      short: 'These are the rules between you and the operator of Tern.',
    },
    opening: {
      title: 'Opening an account',
      text: [
        'You must be 18, live in one of the ten countries we support, and give correct details of your own. We verify who you are before you can move money, and may ask for photos of your document.',
        'You can log in with a password, a passkey, a link by email or an identity provider. Keep your login details to yourself, and tell us at once if someone else has them: the email about a new device has a link for that.',
      ],
      short: 'In your real name, after an identity check.',
      where: 'open an account',
    },
    prices: {
      title: 'Prices',
      text: [
        'A transfer within one currency costs 0.5% of the amount. A transfer into another currency costs 1% when it goes through USDT, as it normally does, and 2% when it is direct. An exchange costs 1% when it goes through USDT or has USDT on one side, and 2% when it is direct. The fee is added to the amount and shown before you confirm.',
        'A price is valid for five minutes. If you accept it in time, it is honored to the smallest unit of the currency.',
      ],
      short: '0.5%, 1% or 2%, always shown first. Each price holds for five minutes.',
      where: 'work out a price again yourself',
    },
    confirming: {
      title: 'Confirming payments',
      text: [
        'We ask you to confirm a payment when payments since your last confirmation exceed 100 US dollars, or there have been five of them. Transfers, withdrawals and payments from your saved cards and linked bank accounts count together. We also ask for a payment to a fourth new person or bank account in one day (UTC).',
        'A person or bank account that you first paid more than a day ago can get another 1,000 US dollars a day without a confirmation, unless you logged in on a new device, or changed how you log in, within the last day. Scheduled transfers are confirmed when you set them up. A confirmation is valid only for the payment it names, for five minutes.',
      ],
      short: 'We ask once payments add up to 100 US dollars, or after five of them.',
      where: 'change the amount after confirming',
    },
    limits: {
      title: 'Limits',
      text: [
        'Limits apply to money in and money out, per payment, per day and per 30 days. Settings show your limits, how much you have used, and when it becomes available again. You can set lower limits: lowering works at once, raising takes a confirmation and 24 hours.',
      ],
      short: 'Our limits, and lower ones you can set.',
      where: 'your limits in Settings',
    },
    sending: {
      title: 'Sending money',
      text: [
        'A transfer that has been delivered is final and cannot be reversed. We show you the name of the person before you confirm; make sure it is the right one.',
        'A transfer that waits for a card or bank payment is delivered once that payment is confirmed. If it fails, nothing is sent.',
      ],
      short: 'Delivered means final. Check the name first.',
    },
    withdrawals: {
      title: 'Withdrawals',
      text: [
        'A withdrawal leaves your balance at once and reaches your bank in 1–3 business days of your bank’s country. If the bank returns it, the whole amount goes back to your wallet, including any fee, and we email you.',
        'Money added by card can go to other people at once, but to a bank only after seven days, because a card payment can still be reversed. Money from a bank account waits one week, or two if your Tern account or that bank account is new. The waiting time stays with the money: a person you send it to waits for the rest of it. Money without a waiting time is always used first. You see the waiting time before you pay, and the date afterwards.',
        'Credit for a dispute can go to people you had paid before; it can go to a bank or to new people once the dispute is decided. Withdrawing is free. If the operator charges for withdrawing money recently added by card, you see the price before your card is charged, and again before you withdraw.',
      ],
      short: '1–3 business days. Money from a card waits seven days first, from a bank one or two weeks.',
      where: 'what you can withdraw now',
    },
    digital: {
      title: 'Digital currencies',
      text: [
        'You may hold USDT, USDC, BTC and ETH. Their value can fall, and the value of BTC and ETH can fall sharply. A stablecoin is made to be worth one US dollar but may stray from it. They are balances in our books; you cannot move them to an outside address.',
      ],
      short: 'Prices of digital currencies can fall. Hold only what you can afford to lose.',
    },
    reversed: {
      title: 'Reversed payments',
      text: [
        'If a card payment or bank debit is reversed after it was credited, we take the amount back from your wallet, but never more than is in it. You owe the rest, and nothing can leave your account until it is paid.',
      ],
      short: 'If your bank reverses a payment, the money leaves your wallet again.',
    },
    freezing: {
      title: 'Freezing your account',
      text: [
        'You can freeze your account at any time with one press, in Settings or, without logging in, from the email about a first payment to someone new. From then on nothing leaves it, your cards and bank accounts can’t be charged, orders wait, and payments waiting to be sent come back to you at their deadline. Money from other people still arrives. Only you can unfreeze it, with a confirmation.',
      ],
      short: 'One press stops all outgoing money. Only you can undo it.',
      where: 'freeze your account',
    },
    holds: {
      title: 'Holds and checks',
      text: [
        'We may hold a transfer while a person reviews it. It then shows as pending, with a deadline. Above 1,000 US dollars two different people decide. If it is not released by its deadline, all of the money goes back to your wallet, including the fee.',
        'If the law requires us to check a name or a payment first, you cannot cancel the held payment, and the deadline does not end the hold: a senior colleague takes over instead. You see what kind of check it is, what we need and by when it is decided, as far as the law allows. You can object; a person who was not involved in the check decides about the objection. If a suspicion is confirmed, the money stays on hold as the law requires, or goes back to your wallet or to the bank account it came from.',
      ],
      short: 'A held transfer shows as pending, with a deadline, and you can object.',
      where: 'your checks',
    },
    ending: {
      title: 'Versions, and leaving',
      text: [
        'Settings show which version of these terms you agreed to and when, and let you agree to a newer one. You can delete your account there once no money and nothing else is open in it. It closes at once: no one can pay it or request money from it. It is deleted after 14 days, unless you log in before then or something is still open in it.',
      ],
      short: 'You see what you agreed to, and you can leave.',
      where: 'what you agreed to',
    },
  },
}
