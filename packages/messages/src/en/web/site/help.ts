/** Page /help: answers to frequent questions about money. */
export const help = {
  description:
    'Answers about your money: status, undo, withdrawals, lost devices, limits, fees, disputes, closing an account.',
  headline: 'Help',
  lead: 'The questions people ask most about their money. Each answer leads to the place where you can act.',
  contents: 'Questions',
  contactTitle: 'Still need help?',
  contactText: 'Write to us. Include the reference of the payment, never your password or a code.',
  questions: {
    call: {
      title: 'Is it really Tern on the phone?',
      text: 'Check in the app: it shows whether we are calling you at this moment, who is calling, and a code that the caller has to say. If it shows no call, hang up. On the phone we never ask for a password or code, to move money, or to install anything.',
      link: 'Check the call',
    },
    money: {
      title: 'Where is my money?',
      text: 'Open the payment in your transactions. Completed means the recipient has it. Pending means it is waiting, for example for a bank; the details say what for. On hold means that we are checking it, or that you have to confirm it; the details show the date.',
      link: 'Your transactions',
    },
    undo: {
      title: 'Can I undo a payment?',
      text: 'Yes, while the Undo button is counting down right after you send. By default that is 15 seconds, and only for people you have never paid before; you can change this in Settings. After that the payment is final, and only the recipient can send it back. Scheduled payments can be canceled until they are sent.',
      link: 'Your scheduled payments',
    },
    returned: {
      title: 'My withdrawal was returned. What now?',
      text: 'The whole amount is back in your wallet, including any fee, and we have emailed you the reason. Check that the bank account is open and in your name, then withdraw again.',
      link: 'Withdraw',
    },
    device: {
      title: 'I lost my phone or computer',
      text: 'Log out the lost device. If someone else could have used it, freeze your account as well: nothing can leave it until you unfreeze it.',
      link: 'Your devices',
    },
    limits: {
      title: 'How much can I send?',
      text: 'There is a limit per payment, per day and per 30 days. Your settings show each of them, how much you have used, and when it becomes available again. You can set lower limits of your own.',
      link: 'Your limits',
    },
    fees: {
      title: 'What does it cost?',
      text: '0.5% in the same currency, 1% into another currency, at the mid-market rate. You see the fee before you send.',
      link: 'Prices',
    },
    verification: {
      title: 'How do I get verified?',
      text: 'Fill in the form with the details from your document. If something is missing, we tell you what it is and you can send it again. Until you are verified, no money can leave your wallet.',
      link: 'Your verification',
    },
    cardMoney: {
      title: 'Why can’t I withdraw money I added by card?',
      text: 'A card payment can still be reversed, so this money waits before you can withdraw it. You can send it to people at once. The withdrawal page shows the date.',
      link: 'What you can withdraw now',
    },
    dispute: {
      title: 'I don’t recognize a payment',
      text: 'Freeze your account, then report the payment. Before you send the report, you see when we will decide.',
      link: 'Report a problem',
    },
    close: {
      title: 'How do I close my account?',
      text: 'Withdraw or send what is left, then delete the account in your privacy settings. It closes at once and is deleted after 14 days. Until then, logging in undoes it.',
      link: 'Privacy settings',
    },
  },
}
