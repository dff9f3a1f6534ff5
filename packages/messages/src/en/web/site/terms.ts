export const terms = {
  description: 'The rules between you and whoever runs this Tern: account, prices, transfers, withdrawals, holds.',
  lead: 'The clauses are what binds. The notes marked “In short” say the same in plain words and are there to help you read.',
  clauses: {
    who: {
      title: 'Who we are',
      text: [
        'Tern lets you hold money, send it to other registered users, exchange it and withdraw it to your bank. In these terms we means whoever runs this installation, and you means the person who opened the account.',
      ],
      short: 'These are the rules between you and whoever runs this Tern.',
    },
    opening: {
      title: 'Opening an account',
      text: [
        'You must be 18, live in one of the ten countries we support, and give details that are your own and correct. We verify who you are before you can move money, and may ask for photos of your document.',
        'You may log in by password, passkey, a link by email or an identity provider. Keep what you log in with to yourself, and tell us at once when somebody else has it: the email about a new device has a link for that.',
      ],
      short: 'In your real name, after an identity check.',
      where: 'open an account',
    },
    prices: {
      title: 'Prices',
      text: [
        'A transfer within one currency costs 0.5% of the amount. A transfer into another currency costs 1% and goes through USDT. A conversion costs 1% where USDT is on one side or in the middle, and 2% where it is direct. The fee is added to the amount and shown before you confirm.',
        'A price is valid for five minutes. If you accept it in time, it is honored to the smallest unit of the currency.',
      ],
      short: '0.5%, 1% or 2%, always shown first. A price is a promise for five minutes.',
      where: 'work out a price again yourself',
    },
    confirming: {
      title: 'Confirming payments',
      text: [
        'We ask you to confirm a payment once more than the worth of 100 US dollars, or more than five payments, would go through since you last confirmed one. Transfers, withdrawals and payments from your saved cards and linked bank accounts count together. A fourth person or bank account in one day that you have never paid before needs a confirmation too.',
        'A person or bank account that you first paid more than a day ago can get another 1,000 US dollars a day, unless you logged in on a new device, or changed how you log in, within the last day. Scheduled transfers are confirmed when you set them up. A confirmation counts for exactly the payment it names, for five minutes.',
      ],
      short: 'Small payments pass until they add up to 100 dollars or five. Then we ask.',
      where: 'change the amount after confirming',
    },
    limits: {
      title: 'Limits',
      text: [
        'Limits apply to what leaves and to what comes in, per payment, per day and per 30 days. Settings show yours, what is used and when it is free again. You can set lower ones: lowering works at once, raising takes a confirmation and 24 hours.',
      ],
      short: 'Ours, and lower ones of your own.',
      where: 'your limits in Settings',
    },
    sending: {
      title: 'Sending money',
      text: [
        'A transfer that has been delivered is final and cannot be reversed. We show you the name of the person before you confirm; make sure it is the right one.',
        'A transfer that waits for a card or bank payment is delivered once the money has come. If the payment fails, nothing is sent.',
      ],
      short: 'Delivered means final. Check the name first.',
    },
    withdrawals: {
      title: 'Withdrawals',
      text: [
        'A withdrawal leaves your balance at once and reaches your bank in 1–3 business days of your bank’s country. If the bank returns it, all of it goes back to your wallet, with what it cost, and we email you.',
        'Money added by card can go to other people at once, but to a bank only after seven days, because a card payment can still be taken back. Money from a bank account waits one week, or two while your Tern account or that bank account is new here. The time stays with the money: whoever gets some of it from you waits for the rest. All other money of yours goes first. Before you pay you see how long yours waits, and afterwards from when it can go.',
        'Credit for a dispute can go to people you had paid before, but to a bank or to anybody else only once the dispute is decided. Moving money to a bank is free, unless the operator of this installation charges for money that cards paid in lately: then you see that before your card is charged, and again before you withdraw.',
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
        'If a card payment or bank debit is taken back after it was credited, we take the amount back from your wallet, but never more than is in it. What is missing remains owed, and until that is settled nothing can leave your account.',
      ],
      short: 'Money that your bank takes back leaves your wallet again.',
    },
    freezing: {
      title: 'Freezing your account',
      text: [
        'You can freeze your account at any time with one press, in Settings or, without logging in, from the email about a first payment to somebody. From then on nothing leaves it, nothing is charged to your cards or bank accounts, orders wait, and what was waiting to be sent comes back to you at its deadline. Money from others still arrives. Only you can unfreeze it, with a confirmation.',
      ],
      short: 'One press stops everything that leaves. You alone undo it.',
      where: 'freeze your account',
    },
    holds: {
      title: 'Holds and checks',
      text: [
        'We may hold a transfer while a person looks at it. It then shows as pending, and has a deadline. Above the worth of 1,000 US dollars two different people decide. If it is not let through by its deadline, all of the money goes back to your wallet, fee included.',
        'Where the law has us check a name or a payment first, you cannot cancel what is held, and no deadline ends it by itself: if nobody has decided, a senior colleague takes over. You see what kind of check runs, what we need and by when it is decided, as far as the law lets us tell. You can object; somebody who has had nothing to do with the check decides about that. If what was suspected is true, the money stays set aside as the law demands, or comes back to your wallet, or to the bank account that it came from.',
      ],
      short: 'A held transfer shows as pending, with a deadline, and you can object.',
      where: 'your checks',
    },
    ending: {
      title: 'Versions, and leaving',
      text: [
        'Settings show which version of these terms you agreed to and when, and let you agree to a newer one. You can delete your account there once no money and nothing else is open in it. It is closed at once: nobody can pay it or ask it for money. It is deleted after 14 days, unless you log in before, or something that is open by then stands against it.',
      ],
      short: 'You see what you agreed to, and can leave.',
      where: 'what you agreed to',
    },
  },
}
