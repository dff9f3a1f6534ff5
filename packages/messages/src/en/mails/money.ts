/** Mails about money from and to banks and cards. */
export const moneyMails = {
  button: 'See your transactions',
  not_ordered:
    'If it was not you who ordered this, change your password and sign out all other devices in your settings.',
  not_paid: 'If it was not you who paid, somebody may be using your account: change your password.',
  bank_account_linked: {
    subject: 'A bank account was linked',
    preview: 'If it was you, there is nothing to do.',
    allows: 'Money can now be withdrawn from your Tern wallet to this bank account, and deposited from it.',
    what_to_do:
      'If it was you, there is nothing to do. If it was not you, remove the account in your settings at once, change your password and sign out all other devices.',
    button: 'Go to your settings',
    note: 'For the first day, larger withdrawals to it are only carried out once you have confirmed them.',
  },
  came_back: {
    preview: 'The whole amount is in your wallet again.',
    next: 'You can withdraw it to another bank account, or link this one again if its details were out of date.',
    withdrawal_failed: {
      subject: 'Your withdrawal did not go through',
      text: 'A withdrawal to your bank account could not be carried out. The whole amount is in your wallet again, without a fee.',
    },
    withdrawal_returned: {
      subject: 'Your withdrawal was returned',
      text: 'A withdrawal had reached your bank, and the bank has sent it back. The whole amount is in your wallet again, without a fee.',
    },
  },
  late_payment: {
    subject: 'A late payment is in your wallet',
    previews: {
      send: 'What you wanted to send was not sent.',
      deposit: 'It had been given up, and came all the same.',
    },
    texts: {
      send: 'A payment of yours arrived after the transfer that it was meant for had been given up. That transfer was not made: the money is in your own wallet, where you can send or withdraw it.',
      deposit:
        'A deposit of yours had been given up, and was paid all the same. The money is in your wallet, where you can send or withdraw it.',
    },
  },
  debit_failed: {
    preview: 'Your bank did not pay it.',
    next: 'See with your bank whether there was enough money in the account, then try again.',
    deposit: {
      subject: 'Your bank deposit did not go through',
      text: 'Your bank did not pay a deposit to your Tern wallet. Nothing was added to your wallet.',
    },
    send: {
      subject: 'Your transfer did not go through',
      text: 'Your bank did not pay for a transfer that you ordered. It was not made: nothing was sent, and your wallet is as it was.',
    },
  },
  payment_taken_back: {
    preview: 'The amount was taken out of your wallet.',
    note: 'If you did not ask for this and do not know why it happened, ask your bank or the issuer of the card.',
    refund: {
      subject: 'A card payment was refunded',
      text: 'A card payment of yours was refunded. The money goes back to the card, so it was taken out of your wallet.',
    },
    chargeback: {
      subject: 'A card payment was disputed',
      text: 'The bank of a card that you paid with has taken the payment back, because it was disputed there. So it was taken out of your wallet.',
    },
    debit_return: {
      subject: 'A bank deposit was returned',
      text: 'Your bank has taken back money that had been deposited from your bank account. So it was taken out of your wallet.',
    },
  },
} as const
