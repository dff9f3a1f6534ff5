/** Mails about money from and to banks and cards. */
export const moneyMails = {
  button: 'See your transactions',
  not_ordered: "If this wasn't you, change your password and log out all other devices in your settings.",
  not_paid: "If this wasn't you, someone may have access to your account: change your password.",
  bank_account_linked: {
    subject: 'A bank account was connected',
    preview: "If this was you, there's nothing to do.",
    allows: 'You can now withdraw money from your Tern wallet to this bank account, and add money from it.',
    what_to_do:
      "If this was you, there's nothing to do. If it wasn't you, remove the account in your settings right away, change your password and log out all other devices.",
    button: 'Go to your settings',
    note: "For the first day, we'll ask you to confirm larger withdrawals.",
  },
  came_back: {
    preview: 'The full amount is back in your wallet.',
    next: 'You can withdraw it to another bank account, or connect this one again if its details were out of date.',
    withdrawal_failed: {
      subject: "Your withdrawal didn't go through",
      text: "We couldn't complete a withdrawal to your bank account. The full amount is back in your wallet, without a fee.",
    },
    withdrawal_returned: {
      subject: 'Your withdrawal was returned',
      text: 'Your bank sent a withdrawal back. The full amount is in your wallet again, without a fee.',
    },
  },
  late_payment: {
    subjects: {
      send: 'A late payment is in your wallet',
      deposit: 'A late payment is in your wallet',
      canceled_send: 'A canceled payment is in your wallet',
      canceled_deposit: 'A canceled payment is in your wallet',
      stopped_send: 'Your transfer was not made',
    },
    previews: {
      send: 'Your transfer was not sent.',
      deposit: 'It arrived after all.',
      canceled_send: 'Your transfer was not sent.',
      canceled_deposit: 'It arrived all the same.',
      stopped_send: 'The payment for it is in your wallet.',
    },
    texts: {
      send: 'A payment of yours arrived after we had given up waiting for it. The transfer it was for was not made: the money is in your own wallet, to send or withdraw.',
      deposit:
        'A payment of yours arrived after we had given up waiting for it. The money is in your wallet, to send or withdraw.',
      canceled_send:
        'You canceled a transfer, and the payment for it arrived all the same. Nothing was sent: the money is in your own wallet, to send or withdraw.',
      canceled_deposit:
        'You canceled a payment, and it arrived all the same. The money is in your wallet, to send or withdraw.',
      stopped_send:
        'A payment of yours arrived while your account was frozen, or while money was missing from it. So the transfer it was for was not made: the money is in your own wallet.',
    },
  },
  transfer_not_made: {
    subject: 'Your transfer was not made: the exchange rate changed',
    preview: 'The money is in your wallet. You can send it at the new rate.',
    texts: {
      price_moved:
        'Your payment came after its price had expired, and the exchange rate had changed by then. So nothing was sent, and the money is in your wallet.',
      below_minimum:
        'Your bank has paid. At the exchange rate of that moment, less would have arrived than the least you had chosen. So nothing was sent, and the money is in your wallet.',
    },
    to: 'To',
    in_wallet: 'In your wallet',
    promised: { price_moved: 'At the price you saw', below_minimum: 'As estimated' },
    now: 'At the new rate',
    next: 'You can send it at the new rate in one step, without another payment.',
    button: 'See the new price',
  },
  deposit_repriced: {
    subject: 'Your deposit was converted at a new rate',
    preview: 'The exchange rate changed before your payment came.',
    text: 'Your payment came after its price had expired, and the exchange rate had changed by then. So we converted it at the rate of the moment it came.',
    got: 'In your wallet',
    promised: 'At the price you saw',
  },
  debit_failed: {
    preview: "Your bank didn't pay it.",
    next: 'Check with your bank that the account had enough money, then try again.',
    deposit: {
      subject: "Your bank payment didn't go through",
      text: "Your bank didn't pay what you wanted to add to your Tern wallet. Nothing was added.",
    },
    send: {
      subject: "Your transfer didn't go through",
      text: "Your bank didn't pay for a transfer you ordered. Nothing was sent, and your wallet hasn't changed.",
    },
  },
  transfer_undeliverable: {
    subject: "Your transfer didn't go through",
    preview: 'The full amount is back in your wallet.',
    text: "The person you were sending money to can't receive it right now. Nothing was sent: the full amount is back in your wallet, without a fee.",
  },
  dispute_changed: {
    by: 'By',
    credit_by: 'Money back meanwhile',
    button: 'See your dispute',
    missing:
      'Your wallet had too little to take all of the credit back. Until you have paid what is missing, nothing can leave your wallet: add money, then pay it in Settings.',
    note: "If this wasn't you, someone may have access to your account: change your password.",
    steps: {
      opened: {
        subject: 'We have your dispute',
        text: 'You told us that something is wrong with a payment. A person looks at it, and decides by the date below.',
      },
      asked: {
        subject: 'We need something from you for your dispute',
        text: 'We asked you for something. Please answer by the date below; after that we decide by what we have.',
      },
      credited: {
        subject: 'Your money is back while we look into your dispute',
        text: 'We are still looking into it, so the money is in your wallet for the time being. Until we have decided, you can send it to people you had paid before, but not to a bank or to new people. If we find that the payment was right, we take it back.',
      },
      credit_waits: {
        subject: 'Your dispute: a person looks before money comes back',
        text: 'The credit that comes while we look into disputes has a ceiling, and yours would exceed it. So it does not come by itself: a person decides about it, and about your dispute by the date below.',
      },
      credit_stopped: {
        subject: 'Your dispute: no money back before we decide',
        text: 'We need to look closer before any money can come back. A person decides by the date below.',
      },
      extended: {
        subject: 'Your dispute takes longer',
        text: "We haven't decided in time. Somebody more senior does, by the date below.",
      },
      upheld: {
        subject: 'You were right about your payment',
        text: 'We decided your dispute for you. What was missing is yours again; the original payment stays in your list.',
      },
      dismissed: {
        subject: "We can't refund this payment",
        text: 'What is on record says that the payment was right. You can object within 30 days; somebody else decides then.',
      },
      objection_upheld: {
        subject: 'Your objection was right',
        text: 'Somebody else looked at your dispute and decided for you. What was missing is yours again.',
      },
      objection_dismissed: {
        subject: 'Your objection was looked at',
        text: 'Somebody else looked at your dispute, and came to the same decision. You can still go to an ombudsman or a court.',
      },
    },
  },
  payment_waits: {
    subject: 'A payment waits for you',
    preview: 'Was it you? If not, cancel it.',
    text: 'Street mode holds a payment from your Tern wallet, because it is above your limit for when you are away from home or it is night. It leaves only if you confirm it again.',
    from: 'You can confirm it from',
    until: 'Back in your wallet after',
    cancel: 'Cancel this payment',
    next: 'If it was you, confirm it once its time has come.',
    button: 'See the payment',
    note: "If this wasn't you, cancel it, and freeze your account in Settings.",
  },
  payment_taken_back: {
    preview: 'The amount was taken from your wallet.',
    note: "If you didn't ask for this and don't know why it happened, contact your bank or card issuer.",
    missing: {
      preview: 'Nothing can leave your wallet until you have paid what is missing.',
      text: 'Your wallet had too little for that. Until you have paid what is missing, nothing can leave your wallet: add money, then pay it in Settings.',
      label: 'Missing',
      button: 'Pay what is missing',
    },
    refund: {
      subject: 'A card payment was refunded',
      text: 'One of your card payments was refunded. The money goes back to the card, so we took it from your wallet.',
    },
    chargeback: {
      subject: 'A card payment was charged back',
      text: 'A card payment of yours was charged back: the bank took it back. So we took the amount from your wallet.',
    },
    debit_return: {
      subject: 'A bank payment was returned',
      text: 'Your bank took back money you had added to your wallet. So we took the amount from your wallet.',
    },
  },
} as const
