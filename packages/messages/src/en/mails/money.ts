/** Mails about money to and from banks and cards. */
export const moneyMails = {
  button: 'See your transactions',
  not_ordered: "If this wasn't you, change your password and log out all other devices in your settings.",
  not_paid: "If this wasn't you, someone may have access to your account: change your password.",
  bank_account_linked: {
    subject: 'A bank account was linked',
    preview: "If this was you, there's nothing to do.",
    allows: 'You can now withdraw money from your Tern wallet to this bank account, and add money from it.',
    what_to_do:
      "If this was you, there's nothing to do. If it wasn't you, remove the account in your settings right away, change your password and log out all other devices.",
    button: 'Go to your settings',
    note: "For the first day, we'll ask you to confirm larger withdrawals.",
  },
  came_back: {
    preview: 'The full amount is back in your wallet.',
    next: 'You can withdraw it to another bank account, or link this one again if its details were out of date.',
    withdrawal_failed: {
      subject: "Your withdrawal didn't go through",
      text: "We couldn't complete a withdrawal to your bank account. The full amount is back in your wallet, including any fee.",
    },
    withdrawal_returned: {
      subject: 'Your withdrawal was returned',
      text: 'Your bank sent a withdrawal back. The full amount is back in your wallet, including any fee.',
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
      canceled_deposit: 'It arrived anyway.',
      stopped_send: 'The payment for it is in your wallet.',
    },
    texts: {
      send: "One of your payments arrived after we'd stopped waiting for it. The transfer it was for wasn't made. The money is in your wallet, to send or withdraw.",
      deposit:
        "One of your payments arrived after we'd stopped waiting for it. The money is in your wallet, to send or withdraw.",
      canceled_send:
        'You canceled a transfer, and the payment for it arrived anyway. Nothing was sent. The money is in your wallet, to send or withdraw.',
      canceled_deposit:
        'You canceled a payment, and it arrived anyway. The money is in your wallet, to send or withdraw.',
      stopped_send:
        "One of your payments arrived while your account was frozen or you owed us money, so the transfer it was for wasn't made. The money is in your wallet.",
    },
  },
  transfer_not_made: {
    subject: 'Your transfer was not made: the exchange rate changed',
    preview: 'The money is in your wallet. You can send it at the new rate.',
    texts: {
      price_moved:
        'Your payment arrived after its price had expired, and the exchange rate had changed. Nothing was sent, and the money is in your wallet.',
      below_minimum:
        'Your bank has paid, but at that exchange rate the recipient would have got less than your minimum. Nothing was sent, and the money is in your wallet.',
    },
    to: 'To',
    in_wallet: 'In your wallet',
    promised: { price_moved: 'At the price you saw', below_minimum: 'As estimated' },
    now: 'At the new rate',
    next: 'You can send it at the new rate in one step, without another payment.',
    button: 'See the new price',
  },
  deposit_repriced: {
    subject: 'The money you added was converted at a new rate',
    preview: 'The exchange rate changed before your payment arrived.',
    text: 'Your payment arrived after its price had expired, and the exchange rate had changed. We converted it at the rate at the time it arrived.',
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
      text: "Your bank didn't pay for a transfer you started. Nothing was sent, and your wallet hasn't changed.",
    },
  },
  transfer_undeliverable: {
    subject: "Your transfer didn't go through",
    preview: 'The full amount is back in your wallet.',
    text: "The person you were sending money to can't receive it right now. Nothing was sent: the full amount is back in your wallet, including the fee.",
  },
  dispute_changed: {
    by: 'By',
    credit_by: 'Temporary credit by',
    button: 'See your dispute',
    missing:
      "There wasn't enough in your wallet to take the whole credit back. Until you repay the rest, nothing can leave your wallet: add money, then repay it in Settings.",
    note: "If this wasn't you, someone may have access to your account: change your password.",
    steps: {
      opened: {
        subject: 'We have your dispute',
        text: 'You told us that something is wrong with a payment. A person will review it and decide by the date below.',
      },
      asked: {
        subject: 'We need something from you for your dispute',
        text: "We need more information from you. Please answer by the date below. After that, we'll decide with what we have.",
      },
      credited: {
        subject: 'Your money is back while we look into your dispute',
        text: "We're still looking into it, so we've put the money back in your wallet for now. Until we decide, you can send it to people you've paid before, but not to a bank or to new people. If we find that the payment was right, we'll take it back.",
      },
      credit_waits: {
        subject: 'Your dispute: a person will review your credit',
        text: "There's a limit on the credit we give automatically while we look into disputes, and yours would exceed it. A person will decide about the credit, and about your dispute, by the date below.",
      },
      credit_stopped: {
        subject: 'Your dispute: no money back before we decide',
        text: 'We need to take a closer look before any money can come back. A person will decide by the date below.',
      },
      extended: {
        subject: 'Your dispute takes longer',
        text: "We haven't decided in time. A senior colleague will decide by the date below.",
      },
      upheld: {
        subject: 'You were right about your payment',
        text: 'We decided in your favor. The amount below is yours; the original payment stays in your history.',
      },
      dismissed: {
        subject: "We can't refund this payment",
        text: 'Our records show that the payment was right. You can object within 30 days, and someone else will decide.',
      },
      objection_upheld: {
        subject: 'Your objection was right',
        text: 'Someone else reviewed your dispute and decided in your favor. The amount below is yours.',
      },
      objection_dismissed: {
        subject: 'We reviewed your objection',
        text: 'Someone else reviewed your dispute and reached the same decision. You can still go to an ombudsman or a court.',
      },
    },
  },
  payment_waits: {
    subject: 'A payment needs your confirmation',
    preview: 'Was it you? If not, cancel it.',
    text: "Street mode is holding a payment from your Tern wallet, because it's above your limit for when you're away from home or at night. It's sent only if you confirm it again.",
    from: 'You can confirm it from',
    until: 'Back in your wallet after',
    cancel: 'Cancel this payment',
    next: 'If it was you, confirm it from the time above.',
    button: 'See the payment',
    note: "If this wasn't you, cancel it, and freeze your account in Settings.",
  },
  payment_taken_back: {
    preview: 'The amount was taken from your wallet.',
    note: "If you didn't ask for this and don't know why it happened, contact your bank or card issuer.",
    missing: {
      preview: 'Nothing can leave your wallet until you repay the rest.',
      text: "There wasn't enough in your wallet to cover it. Until you repay the rest, nothing can leave your wallet: add money, then repay it in Settings.",
      label: 'Amount owed',
      button: 'Repay it in Settings',
    },
    refund: {
      subject: 'A card payment was refunded',
      text: 'One of your card payments was refunded. The money goes back to the card, so we took it from your wallet.',
    },
    chargeback: {
      subject: 'A card payment was charged back',
      text: "Your card's bank reversed one of your card payments, so we took the amount from your wallet.",
    },
    debit_return: {
      subject: 'A bank payment was returned',
      text: 'Your bank reversed money you had added, so we took the amount from your wallet.',
    },
  },
} as const
